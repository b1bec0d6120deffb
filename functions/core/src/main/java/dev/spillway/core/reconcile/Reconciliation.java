package dev.spillway.core.reconcile;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.pool.Probe;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.scaling.Retirement;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.Tenants;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Once a minute, makes the table, ECS and the callers agree again after whatever was lost: containers that died, claims
 * that no call names, launches that fail, counts that drifted, calls that are still held.
 */
public final class Reconciliation {
    private final Pools pools;
    private final Containers containers;
    private final Calls calls;
    private final Fleet fleet;
    private final Tenants tenants;
    private final Telephony telephony;
    private final Probe probe;
    private final Growth growth;
    private final Retirement retirement;
    private final HandOff handOff;
    private final Journal journal;
    private final Timing timing;

    public Reconciliation(
            Pools pools,
            Containers containers,
            Calls calls,
            Fleet fleet,
            Tenants tenants,
            Telephony telephony,
            Probe probe,
            Growth growth,
            Retirement retirement,
            HandOff handOff,
            Journal journal,
            Timing timing) {
        this.pools = pools;
        this.containers = containers;
        this.calls = calls;
        this.fleet = fleet;
        this.tenants = tenants;
        this.telephony = telephony;
        this.probe = probe;
        this.growth = growth;
        this.retirement = retirement;
        this.handOff = handOff;
        this.journal = journal;
        this.timing = timing;
    }

    /** One visit to one pool; gives what was found. */
    public List<Finding> visit(PoolId id, Instant now) {
        Optional<PoolView> read = pools.read(id);
        if (read.isEmpty()) {
            return List.of();
        }
        // The findings need to know since when the fleet is heard again.
        PoolView view = noteSilence(read.get(), now) ? pools.read(id).orElse(read.get()) : read.get();
        releaseOrphans(view, now);
        List<Finding> findings = fleetFindings(view, now);
        List<DependencyException> failures = new ArrayList<>();
        for (Finding finding : findings) {
            attempt(failures, () -> mend(view, finding, now));
        }
        attempt(failures, () -> forgetFailures(view, findings));
        attempt(failures, () -> retirement.stopDrained(id, now));
        id.tenant().ifPresent(tenant -> attempt(failures, () -> handOff.run(tenant, now)));
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        return findings;
    }

    /** What fails is left to the next visit, and keeps nothing else from being mended: callers wait for the hand-off. */
    private static void attempt(List<DependencyException> failures, Runnable step) {
        try {
            step.run();
        } catch (DependencyException e) {
            failures.add(e);
        }
    }

    /** Nothing of this when ECS cannot be asked: claims and hand-offs go on all the same. */
    private List<Finding> fleetFindings(PoolView view, Instant now) {
        try {
            Fleet.Service service = fleet.describe(view.pool().service());
            return Finding.find(view, service, fleet.tasks(view.pool().service()), timing, now);
        } catch (DependencyException e) {
            journal.write(entry("fleet-unreadable", view, "ECS cannot be asked; looked at again next time"));
            return List.of();
        }
    }

    /** Whether the pool's item was changed. */
    private boolean noteSilence(PoolView view, Instant now) {
        boolean silent = isSilent(view, now);
        boolean wasSilent = view.pool().silentSince().isBefore(Instant.MAX);
        if (silent && !wasSilent) {
            pools.recordSilence(view.pool().id(), now, view.pool().heardAgainAt());
            return true;
        } else if (!silent && wasSilent) {
            pools.recordSilence(view.pool().id(), Instant.MAX, now);
            return true;
        }
        return false;
    }

    /**
     * Whether the whole fleet is silent, as far as this pool can tell: several containers that should be heard and are not,
     * or its only one while the gateway is not heard either.
     */
    private boolean isSilent(PoolView view, Instant now) {
        List<Container> expected = view.containers().stream()
                .filter(container -> container.state() != ContainerState.LOST)
                .filter(container -> container.state() != ContainerState.STOPPING)
                .toList();
        if (expected.isEmpty() || expected.stream().anyMatch(container -> container.isAlive(now))) {
            return false;
        }
        return expected.size() > 1 || !isGatewayHeard(view.pool().id(), now);
    }

    /** For the gateway itself yes: its only container is judged by its own silence. */
    private boolean isGatewayHeard(PoolId id, Instant now) {
        return id.isGateway()
                || pools.read(PoolId.GATEWAY)
                        .filter(gateway -> gateway.isHeard(now))
                        .isPresent();
    }

    private void mend(PoolView view, Finding finding, Instant now) {
        PoolId id = view.pool().id();
        switch (finding) {
            case Finding.Stopped stopped -> {
                lose(view, stopped.container(), stopped.reason(), now);
                containers.allowExit(id, stopped.container().id());
            }
            case Finding.Vanished vanished -> {
                lose(view, vanished.container(), vanished.reason(), now);
                probe(view, vanished.container(), vanished.reason());
            }
            case Finding.Silent silent -> probe(view, silent.container(), silent.reason());
            case Finding.FleetSilent silent -> journal.write(entry("fleet-silent", view, silent.reason()));
            case Finding.Unregistered unregistered ->
                journal.write(entry("zombie", view, unregistered.reason())
                        .with("container", unregistered.task().id())
                        .count(Metric.ZOMBIES_FOUND));
            case Finding.Drift drift -> {
                journal.write(entry("drift", view, drift.reason()));
                growth.tellFleet(id);
            }
            case Finding.Outdated outdated -> {
                boolean draining = containers.become(
                        id,
                        outdated.container().id(),
                        ContainerState.READY,
                        ContainerState.DRAINING,
                        false,
                        ScaleIn.DEPLOYMENT,
                        now);
                if (draining) {
                    journal.write(entry("drain", view, outdated.reason())
                            .with("container", outdated.container().id()));
                }
            }
            case Finding.Departed departed -> {
                containers.allowExit(id, departed.container().id());
                pools.recordLaunches(id, view.pool().launches(), now);
            }
            case Finding.Gone gone -> {
                containers.remove(id, gone.container().id());
                pools.forget(id, gone.container().id());
            }
            case Finding.FailedLaunches failed -> recordLaunches(view, failed, now);
        }
    }

    /** A container that is alive but cut off from the table is left alone: its calls go on. */
    private void probe(PoolView view, Container container, String reason) {
        boolean answers = probe.answers(view.pool(), container.id());
        journal.write(
                entry("silent", view, reason).with("container", container.id()).with("answers", answers));
        if (!answers) {
            moveCalls(view, container);
        }
    }

    private void lose(PoolView view, Container container, String reason, Instant now) {
        boolean lost = containers.become(
                view.pool().id(), container.id(), container.state(), ContainerState.LOST, false, reason, now);
        if (lost) {
            // ECS replaces it by itself: that replacement is on its way from now on.
            pools.recordLaunches(view.pool().id(), view.pool().launches(), now);
            journal.write(entry("lost", view, reason)
                    .with("container", container.id())
                    .with("calls", container.claims().size())
                    .count(Metric.ZOMBIES_FOUND));
        }
    }

    /** Connected calls of a container that does not answer go on elsewhere, IF they are still on that hop. */
    private void moveCalls(PoolView view, Container container) {
        for (Map.Entry<ClaimKey, Claim> entry : container.claims().entrySet()) {
            Claim claim = entry.getValue();
            if (claim.phase() != Claim.Phase.CONNECTED || !(entry.getKey() instanceof CallSid sid)) {
                continue;
            }
            calls.find(claim.tenant(), sid)
                    .filter(call -> !call.isOver())
                    .filter(call -> call.hop() == claim.generation().hop())
                    .flatMap(call -> tenants.find(claim.tenant()))
                    .ifPresent(tenant -> moveCall(view, container, tenant, sid, claim));
        }
    }

    /** One tenant's trouble with Twilio must not keep the other calls, nor the rest of the visit, from being mended. */
    private void moveCall(PoolView view, Container container, Tenant tenant, CallSid sid, Claim claim) {
        Entry moved = entry("moved", view, "its container is silent and does not answer")
                .with("container", container.id())
                .with("callSid", sid);
        try {
            boolean sent =
                    telephony.sendToContinue(tenant, sid, claim.generation().hop());
            journal.write(moved.with("sent", sent));
        } catch (DependencyException e) {
            journal.write(moved.with("sent", "unknown").with("error", e.dependency() + " did not answer"));
        }
    }

    private void recordLaunches(PoolView view, Finding.FailedLaunches failed, Instant now) {
        Duration backOff = backOff(failed.inARow());
        Pool.Launches next = new Pool.Launches(
                failed.inARow(), failed.lastReason(), failed.lastAt().plus(backOff));
        if (!next.equals(view.pool().launches())) {
            // ECS tries again by itself: the next launch is on its way from now on.
            pools.recordLaunches(view.pool().id(), next, now);
            journal.write(entry("launch-failed", view, failed.reason()).with("backOff", backOff));
        }
    }

    /** A container became READY since the last failure, or ECS shows none any more. */
    private void forgetFailures(PoolView view, List<Finding> findings) {
        boolean failing = findings.stream().anyMatch(Finding.FailedLaunches.class::isInstance);
        if (!failing
                && view.pool().launches().failures() > 0
                && view.in(ContainerState.READY).findAny().isPresent()) {
            pools.recordLaunches(
                    view.pool().id(), Pool.Launches.FINE, view.pool().launchSince());
        }
    }

    /** Three failures in a row start the back-off: three cold starts, doubled with each further one, 30 min at most. */
    private Duration backOff(int failures) {
        if (failures < 3) {
            return Duration.ZERO;
        }
        Duration first = timing.coldStart().multipliedBy(3);
        Duration wait = first.multipliedBy(1L << Math.min(failures - 3, 10));
        Duration most = timing.coldStart().multipliedBy(30);
        return wait.compareTo(most) < 0 ? wait : most;
    }

    private void releaseOrphans(PoolView view, Instant now) {
        for (Container container : view.containers()) {
            for (Map.Entry<ClaimKey, Claim> entry : container.claims().entrySet()) {
                Claim claim = entry.getValue();
                // A job's claim is its dialer's business: it knows which of its dials are under way.
                if (claim.phase() != Claim.Phase.RESERVED || !(entry.getKey() instanceof CallSid sid)) {
                    continue;
                }
                Optional<Call> call = calls.find(claim.tenant(), sid);
                if (call.isEmpty()) {
                    continue;
                }
                boolean forsaken = isForsaken(claim, call.get(), now);
                if (forsaken) {
                    // First the offer: a call that comes back after all must not be sent to a slot that is gone.
                    calls.withdraw(claim.tenant(), sid, claim.generation());
                }
                if (forsaken || isOrphan(claim, call.get(), now)) {
                    containers.release(view.pool().id(), container.id(), sid, claim.generation());
                    String reason = forsaken
                            ? "it was offered to a call that the gateway does not hold any more"
                            : "no call names this claim any more";
                    journal.write(entry("orphan", view, reason)
                            .with("container", container.id())
                            .with("callSid", sid));
                }
            }
        }
    }

    /**
     * Whether a reserved claim can never connect. It is a check of references, not of age: the claim of a placement that is
     * just being written is for a hop that its call has not reached.
     */
    static boolean isOrphan(Claim claim, Call call, Instant now) {
        if (call.isOver()) {
            return true;
        }
        if (call.names(claim.generation())) {
            return call.current().orElse(null) instanceof Answer.Stream stream
                    && stream.generation().equals(claim.generation())
                    && stream.expiry().plusSeconds(30).isBefore(now);
        }
        return call.hop() >= claim.generation().hop();
    }

    /**
     * Whether an offer waits for a call that is no longer where it was to be fetched from: it ended, and nobody told us. A
     * hand-off that is under way has left the gateway too, and is on its way for no longer than a stream may be opened.
     */
    private boolean isForsaken(Claim claim, Call call, Instant now) {
        Offer offer = call.offer();
        return offer != null
                && offer.generation().equals(claim.generation())
                && offer.at().plus(timing.tokenLife()).isBefore(now)
                && call.current().orElse(null) instanceof Answer.Stream held
                && held.container() != null
                && containers
                        .find(held.pool(), held.container())
                        .map(container -> container.claims().get(call.sid()))
                        .filter(there -> there.generation().equals(held.generation()))
                        .isEmpty();
    }

    private static Entry entry(String event, PoolView view, String reason) {
        return Entry.of(event).with("pool", view.pool().id()).with("reason", reason);
    }
}
