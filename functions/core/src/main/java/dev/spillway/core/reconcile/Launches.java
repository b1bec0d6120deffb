package dev.spillway.core.reconcile;

import dev.spillway.core.Timing;
import dev.spillway.core.background.Shift;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Counts launches that fail, and makes the pool back off. */
public final class Launches {
    private final Journal journal;
    private final Timing timing;

    public Launches(Journal journal, Timing timing) {
        this.journal = journal;
        this.timing = timing;
    }

    void failed(Shift shift, PoolView view, Finding.FailedLaunches failed, Instant now) {
        Duration backOff = backOff(failed.inARow());
        Pool.Launches next = new Pool.Launches(
                failed.inARow(), failed.lastReason(), failed.lastAt().plus(backOff));
        if (!next.equals(view.pool().launches())) {
            // ECS tries again by itself: the next launch is on its way from now on.
            shift.pools().recordLaunches(shift.pool(), next, now);
            journal.write(Entry.of("launch-failed")
                    .with("pool", shift.pool())
                    .with("reason", failed.reason())
                    .with("backOff", backOff));
        }
    }

    /** A container became READY since the last failure, or ECS shows none any more. */
    void forget(Shift shift, PoolView view, List<Finding> findings) {
        boolean failing = findings.stream().anyMatch(Finding.FailedLaunches.class::isInstance);
        if (!failing
                && view.pool().launches().failures() > 0
                && view.in(ContainerState.READY).findAny().isPresent()) {
            shift.pools()
                    .recordLaunches(
                            shift.pool(), Pool.Launches.FINE, view.pool().launchSince());
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
}
