package dev.spillway.core.reconcile;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.background.Shift;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.scaling.ScaleIn;
import java.time.Instant;
import java.util.List;

/** Finds where the table and ECS disagree, and mends each such thing. */
public final class FleetMending {
    private final Fleet fleet;
    private final Growth growth;
    private final SilentContainers silentOnes;
    private final Launches launches;
    private final Journal journal;
    private final Timing timing;

    public FleetMending(
            Fleet fleet,
            Growth growth,
            SilentContainers silentOnes,
            Launches launches,
            Journal journal,
            Timing timing) {
        this.fleet = fleet;
        this.growth = growth;
        this.silentOnes = silentOnes;
        this.launches = launches;
        this.journal = journal;
        this.timing = timing;
    }

    /** While ECS cannot be asked, only what the containers' own silence tells: their callers wait for nobody else. */
    List<Finding> find(PoolView view, Instant now) {
        try {
            Fleet.Service service = fleet.describe(view.pool().service());
            return Finding.find(view, service, fleet.tasks(view.pool().service()), timing, now);
        } catch (DependencyException e) {
            journal.write(entry("fleet-unreadable", view, "ECS cannot be asked; looked at again next time"));
            return Finding.findWithoutFleet(view, timing, now);
        }
    }

    /** After every finding was mended, or tried to. */
    void afterwards(Shift shift, PoolView view, List<Finding> findings) {
        launches.forget(shift, view, findings);
    }

    void mend(Shift shift, PoolView view, Finding finding, Instant now) {
        switch (finding) {
            case Finding.Stopped stopped -> {
                lose(shift, view, stopped.container(), stopped.reason(), now);
                shift.containers().allowExit(shift.pool(), stopped.container().id());
            }
            case Finding.Vanished vanished -> {
                lose(shift, view, vanished.container(), vanished.reason(), now);
                silentOnes.look(view.pool(), vanished.container(), vanished.reason(), now);
            }
            case Finding.Silent silent -> silentOnes.look(view.pool(), silent.container(), silent.reason(), now);
            case Finding.FleetSilent silent -> journal.write(entry("fleet-silent", view, silent.reason()));
            case Finding.Unregistered unregistered ->
                journal.write(entry("zombie", view, unregistered.reason())
                        .with("container", unregistered.task().id())
                        .count(Metric.ZOMBIES_FOUND));
            case Finding.Drift drift -> {
                journal.write(entry("drift", view, drift.reason()));
                growth.in(shift).tellFleet(shift.pool());
            }
            case Finding.Outdated outdated -> drain(shift, view, outdated, now);
            case Finding.Deploying deploying -> tell(view, deploying);
            case Finding.Departed departed -> {
                shift.containers().allowExit(shift.pool(), departed.container().id());
                shift.pools().recordLaunches(shift.pool(), view.pool().launches(), now);
            }
            case Finding.BeingStopped stopped -> letGo(shift, view, stopped, now);
            case Finding.LeftBehind left -> silentOnes.moveCalls(left.container(), left.reason(), now);
            case Finding.Gone gone -> {
                shift.containers().remove(shift.pool(), gone.container().id());
                shift.pools().forget(shift.pool(), gone.container().id());
            }
            case Finding.FailedLaunches failed -> launches.failed(shift, view, failed, now);
        }
    }

    /** Nothing is mended: stopping a container would cut its calls, and protecting fewer would let ECS do so. */
    private void tell(PoolView view, Finding.Deploying deploying) {
        journal.write(
                deploying.blocked()
                        ? Entry.alert("deployment-blocked", deploying.reason(), deploying.calls())
                                .with("pool", view.pool().id())
                        : entry("deployment-waits", view, deploying.reason()).with("calls", deploying.calls()));
    }

    private void drain(Shift shift, PoolView view, Finding.Outdated outdated, Instant now) {
        if (drain(shift, outdated.container(), ScaleIn.DEPLOYMENT, now)) {
            journal.write(entry("drain", view, outdated.reason())
                    .with("container", outdated.container().id()));
        }
    }

    /** It lets its calls go at their turns' ends in time. The permission comes last: whoever has it is not found again. */
    private void letGo(Shift shift, PoolView view, Finding.BeingStopped stopped, Instant now) {
        drain(shift, stopped.container(), stopped.reason(), now);
        shift.pools().recordLaunches(shift.pool(), view.pool().launches(), now);
        shift.containers().allowExit(shift.pool(), stopped.container().id());
        journal.write(entry("being-stopped", view, stopped.reason())
                .with("container", stopped.container().id())
                .with("calls", stopped.container().claims().size()));
    }

    private static boolean drain(Shift shift, Container container, String reason, Instant now) {
        return shift.containers()
                .become(
                        shift.pool(),
                        container.id(),
                        ContainerState.READY,
                        ContainerState.DRAINING,
                        false,
                        reason,
                        now);
    }

    private void lose(Shift shift, PoolView view, Container container, String reason, Instant now) {
        boolean lost = shift.containers()
                .become(shift.pool(), container.id(), container.state(), ContainerState.LOST, false, reason, now);
        if (lost) {
            // ECS replaces it by itself: that replacement is on its way from now on.
            shift.pools().recordLaunches(shift.pool(), view.pool().launches(), now);
            journal.write(entry("lost", view, reason)
                    .with("container", container.id())
                    .with("calls", container.claims().size())
                    .count(Metric.ZOMBIES_FOUND));
        }
    }

    private static Entry entry(String event, PoolView view, String reason) {
        return Entry.of(event).with("pool", view.pool().id()).with("reason", reason);
    }
}
