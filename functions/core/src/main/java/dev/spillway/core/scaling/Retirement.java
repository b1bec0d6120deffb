package dev.spillway.core.scaling;

import dev.spillway.core.Timing;
import dev.spillway.core.background.Shift;
import dev.spillway.core.handoff.HeldCall;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Retires containers without ever stopping a call: READY → DRAINING here, DRAINED by the container itself, then
 * STOPPING is written before ECS is asked, and from then on the container is out for good, whatever ECS answers. A
 * crash between any two steps is mended by the next visit: each step looks at what the table says.
 */
public final class Retirement {
    private final Fleet fleet;
    private final Growth growth;
    private final Journal journal;
    private final Timing timing;

    public Retirement(Fleet fleet, Growth growth, Journal journal, Timing timing) {
        this.fleet = fleet;
        this.growth = growth;
        this.journal = journal;
        this.timing = timing;
    }

    /**
     * One visit: stops what is drained, then starts a retirement if the rule says so. A pool that keeps slots free for calls
     * to come is asked whether it has to grow, too: no event tells that they are used up.
     */
    public void sweep(Shift shift, Instant now) {
        stopDrained(shift, now);
        Optional<PoolView> view = shift.pools().read(shift.pool());
        if (view.isEmpty()) {
            return;
        }
        switch (ScaleIn.plan(view.get(), held(shift, now), growth.work(view.get(), now), timing, now)) {
            case ScaleIn.Keep keep -> {}
            case ScaleIn.Restart restart -> shift.pools().restartIdleWindow(shift.pool(), now);
            case ScaleIn.Drain drain -> drain(shift, drain, now);
        }
        if (!shift.pool().isGateway() && view.get().pool().policy().scaleOut() == ScaleOutRule.AHEAD) {
            growth.in(shift).ask(shift.pool(), false, now);
        }
    }

    private void drain(Shift shift, ScaleIn.Drain drain, Instant now) {
        PoolId id = shift.pool();
        if (!shift.pools().lockScaleIn(id, now, now.plus(timing.scaleInLock()))) {
            return;
        }
        List<ContainerId> closed = new ArrayList<>();
        for (Container container : drain.containers()) {
            // Calls that it has may end there; one that is empty is closed only if it still is: a call that came first
            // stays.
            boolean onlyWithoutClaims = container.claims().isEmpty();
            if (shift.containers()
                    .become(
                            id,
                            container.id(),
                            ContainerState.READY,
                            ContainerState.DRAINING,
                            onlyWithoutClaims,
                            ScaleIn.IDLE,
                            now)) {
                closed.add(container.id());
                journal.write(Entry.of("drain")
                        .with("pool", id)
                        .with("container", container.id())
                        .with("reason", drain.reason())
                        .count(Metric.SCALE_DECISIONS));
            }
        }
        if (closed.isEmpty()) {
            return;
        }
        // From here, not from the lowering: the next one follows one window after this one, however long stopping
        // takes.
        shift.pools().restartIdleWindow(id, now);
        String what = closed.size() == 1 ? closed.getFirst().value() : closed.size() + " containers";
        shift.pools().note(id, new Pool.Decision("drain " + what, drain.reason(), now));
    }

    /** Lowers the desired count for every container that has confirmed to be empty. */
    public void stopDrained(Shift shift, Instant now) {
        Optional<PoolView> view = shift.pools().read(shift.pool());
        if (view.isEmpty()) {
            return;
        }
        view.get()
                .in(ContainerState.DRAINED)
                .filter(container -> container.stateReason().equals(ScaleIn.DEPLOYMENT))
                .filter(container -> isIdle(shift.pool(), container))
                // The deployment stops it; the desired count is not lowered for it.
                .forEach(container -> become(shift, container, ScaleIn.DEPLOYMENT, now));
        List<ContainerId> empty = view.get().containers().stream()
                .filter(container ->
                        container.state() == ContainerState.DRAINED || container.state() == ContainerState.STOPPING)
                .filter(ScaleIn::isRetiring)
                .filter(container -> !container.mayExit())
                .map(Container::id)
                .toList();
        for (ContainerId container : empty) {
            stop(shift, container, now);
        }
    }

    private boolean become(Shift shift, Container drained, String reason, Instant now) {
        return shift.containers()
                .become(shift.pool(), drained.id(), ContainerState.DRAINED, ContainerState.STOPPING, true, reason, now);
    }

    /** Each attempt looks anew: at the count, at ECS, and first of all at whether the container is idle. */
    private void stop(Shift shift, ContainerId id, Instant now) {
        PoolView view = shift.pools().read(shift.pool()).orElseThrow();
        Optional<Container> found = view.container(id);
        if (found.isEmpty() || !isIdle(shift.pool(), found.get())) {
            return;
        }
        Container container = found.get();
        if (!view.pool().lowered().containsKey(id)) {
            Fleet.Service service = fleet.describe(view.pool().service());
            ScaleIn.Lowering lowering = ScaleIn.planLowering(view, service, container, timing, now);
            if (!(lowering instanceof ScaleIn.Lowering.Lower lower)) {
                waits(shift.pool(), id, ((ScaleIn.Lowering.Wait) lowering).reason());
                return;
            }
            boolean stopping = container.state() == ContainerState.STOPPING
                    || become(shift, container, container.stateReason(), now);
            if (!stopping || !lower(shift, view, container, lower, now)) {
                return; // something moved meanwhile: the next visit looks again
            }
        }
        growth.in(shift).tellFleet(shift.pool());
        shift.containers().allowExit(shift.pool(), id);
    }

    private boolean lower(Shift shift, PoolView view, Container container, ScaleIn.Lowering.Lower lower, Instant now) {
        String count = view.pool().desired() + " -> " + lower.desired();
        Pool.Decision note = new Pool.Decision("scale in " + count, "container " + container.id() + " is empty", now);
        if (!shift.pools().desire(shift.pool(), lower.desired(), view.pool().version(), container.id(), note)) {
            return false;
        }
        journal.write(Entry.of("scale-in")
                .with("pool", shift.pool())
                .with("container", container.id())
                .with("from", view.pool().desired())
                .with("to", lower.desired())
                .with("reason", note.reason())
                .count(Metric.SCALE_DECISIONS));
        return true;
    }

    /**
     * Whether nothing at all is going on in a container that has confirmed just that. A report from before its confirmation
     * may still show what was ending then; work in a later one should be impossible, and whoever is on the line is not
     * cut off.
     */
    private boolean isIdle(PoolId pool, Container container) {
        if (container.isIdle()) {
            return true;
        }
        Instant reportedAt = container.aliveUntil().minus(timing.expiry());
        if (container.claims().isEmpty() && reportedAt.isBefore(container.stateSince())) {
            waits(pool, container.id(), "its last report is older than its confirmation that it is empty");
            return false;
        }
        int calls = Math.max(
                container.claims().size(),
                container.report().live() + container.report().setups());
        journal.write(Entry.alert(
                        "drained-not-idle",
                        "it is " + container.state() + " with "
                                + container.claims().size() + " claims and reports " + container.report(),
                        calls)
                .with("pool", pool)
                .with("container", container.id()));
        return false;
    }

    private void waits(PoolId pool, ContainerId container, String reason) {
        journal.write(Entry.of("stop-waits")
                .with("pool", pool)
                .with("container", container)
                .with("reason", reason));
    }

    private int held(Shift shift, Instant now) {
        return shift.pool()
                .tenant()
                .flatMap(tenant -> shift.pools()
                        .read(PoolId.GATEWAY)
                        .map(gateway -> HeldCall.of(tenant, gateway, now).size()))
                .orElse(0);
    }
}
