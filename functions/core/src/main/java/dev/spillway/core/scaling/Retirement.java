package dev.spillway.core.scaling;

import dev.spillway.core.Timing;
import dev.spillway.core.handoff.HeldCall;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Retires containers without ever stopping a call: READY → DRAINING here, DRAINED by the container itself, then
 * STOPPING is written before ECS is asked, and from then on the container is out for good, whatever ECS answers. A
 * crash between any two steps is mended by the next visit: each step looks at what the table says.
 */
public final class Retirement {
    private final Pools pools;
    private final Containers containers;
    private final Fleet fleet;
    private final Growth growth;
    private final Journal journal;
    private final Timing timing;

    public Retirement(Pools pools, Containers containers, Fleet fleet, Growth growth, Journal journal, Timing timing) {
        this.pools = pools;
        this.containers = containers;
        this.fleet = fleet;
        this.growth = growth;
        this.journal = journal;
        this.timing = timing;
    }

    /** One visit: stops what is drained, then starts a retirement if the rule says so. */
    public void sweep(PoolId id, Instant now) {
        stopDrained(id, now);
        Optional<PoolView> view = pools.read(id);
        if (view.isEmpty()) {
            return;
        }
        ScaleIn decision = ScaleIn.plan(view.get(), held(id, now), growth.work(view.get(), now), timing, now);
        switch (decision) {
            case ScaleIn.Keep keep -> {}
            case ScaleIn.Restart restart -> pools.restartIdleWindow(id, now);
            case ScaleIn.Drain drain -> drain(id, drain, now);
        }
    }

    private void drain(PoolId id, ScaleIn.Drain drain, Instant now) {
        if (!pools.lockScaleIn(id, now, now.plus(timing.scaleInLock()))) {
            return;
        }
        ContainerId container = drain.container().id();
        boolean closed = containers.become(
                id, container, ContainerState.READY, ContainerState.DRAINING, true, ScaleIn.IDLE, now);
        if (!closed) {
            return; // a call came first, and stays
        }
        // From here, not from the lowering: the next one follows one window after this one, however long stopping
        // takes.
        pools.restartIdleWindow(id, now);
        pools.note(id, new Pool.Decision("drain " + container, drain.reason(), now));
        journal.write(Entry.of("drain")
                .with("pool", id)
                .with("container", container)
                .with("reason", drain.reason())
                .count(Metric.SCALE_DECISIONS));
    }

    /** Lowers the desired count for every container that has confirmed to be empty. */
    public void stopDrained(PoolId id, Instant now) {
        Optional<PoolView> view = pools.read(id);
        if (view.isEmpty()) {
            return;
        }
        view.get()
                .in(ContainerState.DRAINED)
                .filter(container -> container.stateReason().equals(ScaleIn.DEPLOYMENT))
                // The deployment stops it; the desired count is not lowered for it.
                .forEach(container -> containers.become(
                        id,
                        container.id(),
                        ContainerState.DRAINED,
                        ContainerState.STOPPING,
                        true,
                        ScaleIn.DEPLOYMENT,
                        now));
        List<Container> empty = view.get().containers().stream()
                .filter(container ->
                        container.state() == ContainerState.DRAINED || container.state() == ContainerState.STOPPING)
                .filter(container -> container.stateReason().equals(ScaleIn.IDLE))
                .filter(container -> !container.mayExit())
                .toList();
        for (Container container : empty) {
            stop(id, container, now);
        }
    }

    private void stop(PoolId id, Container container, Instant now) {
        PoolView view = pools.read(id).orElseThrow();
        if (!view.pool().lowered().containsKey(container.id())) {
            Fleet.Service service = fleet.describe(view.pool().service());
            ScaleIn.Lowering lowering = ScaleIn.planLowering(view, service, container, timing, now);
            if (!(lowering instanceof ScaleIn.Lowering.Lower lower)) {
                journal.write(Entry.of("stop-waits")
                        .with("pool", id)
                        .with("container", container.id())
                        .with("reason", ((ScaleIn.Lowering.Wait) lowering).reason()));
                return;
            }
            boolean stopping = container.state() == ContainerState.STOPPING
                    || containers.become(
                            id,
                            container.id(),
                            ContainerState.DRAINED,
                            ContainerState.STOPPING,
                            true,
                            ScaleIn.IDLE,
                            now);
            if (!stopping) {
                return;
            }
            String count = view.pool().desired() + " -> " + lower.desired();
            Pool.Decision note =
                    new Pool.Decision("scale in " + count, "container " + container.id() + " is idle", now);
            if (!pools.desire(id, lower.desired(), view.pool().version(), container.id(), note)) {
                return; // the count moved meanwhile: the next visit looks again
            }
            journal.write(Entry.of("scale-in")
                    .with("pool", id)
                    .with("container", container.id())
                    .with("from", view.pool().desired())
                    .with("to", lower.desired())
                    .with("reason", note.reason())
                    .count(Metric.SCALE_DECISIONS));
        }
        growth.tellFleet(id);
        containers.allowExit(id, container.id());
    }

    private int held(PoolId id, Instant now) {
        return id.tenant()
                .flatMap(tenant -> pools.read(PoolId.GATEWAY)
                        .map(gateway -> HeldCall.of(tenant, gateway, now).size()))
                .orElse(0);
    }
}
