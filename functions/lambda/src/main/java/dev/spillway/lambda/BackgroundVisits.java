package dev.spillway.lambda;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.background.Lease;
import dev.spillway.core.background.Shift;
import dev.spillway.core.background.Shifts;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.reconcile.SilenceWatch;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Does background work on pools, one shift after the other on each. When another has the pool, a visit waits a while and
 * then leaves the pool to that one: what is not done now is found by the visit of the next round.
 */
final class BackgroundVisits {
    /** Looks at a lease that another holds before it is left to them, spread over {@link Timing#backgroundPatience()}. */
    private static final int LOOKS = 4;

    private final Rounds rounds;
    private final Shifts shifts;
    private final FailureAlarm alarm;
    private final Journal journal;
    private final InstantSource clock;
    private final Sleeper sleeper;
    private final Duration pause;

    BackgroundVisits(
            Rounds rounds,
            Shifts shifts,
            FailureAlarm alarm,
            Journal journal,
            InstantSource clock,
            Sleeper sleeper,
            Timing timing) {
        this.rounds = rounds;
        this.shifts = shifts;
        this.alarm = alarm;
        this.journal = journal;
        this.clock = clock;
        this.sleeper = sleeper;
        this.pause = timing.backgroundPatience().dividedBy(LOOKS);
    }

    /** One visit to one pool. */
    @FunctionalInterface
    interface Work {
        void visit(Shift shift, Instant now);
    }

    /** As {@link Rounds#visitAll}. */
    void visitAll(String what, Work work) {
        rounds.visitAll(what, rounds.pools(), pool -> visit(what, pool, work));
    }

    /**
     * As {@link #visitAll}, and beside it, until the next round is due, visits to those pools in which callers hear
     * nothing. Such a visit that fails is told to the alarm, and is made up for by the next; a round that fails does not end
     * the watch.
     */
    void visitAllAndWatch(String what, Work work, SilenceWatch watch) {
        Instant begun = clock.instant();
        List<PoolId> pools = rounds.pools();
        try (ExecutorService beside = Executors.newVirtualThreadPerTaskExecutor()) {
            beside.execute(() -> watch.watch(pools, begun, rounds::any, pool -> visitBeforeItsTurn(what, pool, work)));
            rounds.visitAll(what, pools, pool -> visit(what, pool, work));
        }
    }

    private void visitBeforeItsTurn(String what, PoolId pool, Work work) {
        try {
            visit(what, pool, work);
        } catch (RuntimeException e) {
            rounds.noteFailure(what, pool, e);
        }
    }

    /** @param what the work's name, for the log */
    void visit(String what, PoolId pool, Work work) {
        try {
            visitOnce(what, pool, work);
        } catch (RuntimeException e) {
            alarm.failed(what, pool, e);
            throw e;
        }
    }

    private void visitOnce(String what, PoolId pool, Work work) {
        String holder = what + " " + UUID.randomUUID();
        for (int look = 1; ; look++) {
            switch (shifts.begin(pool, holder, clock.instant())) {
                case Shifts.Start.Begun begun -> {
                    alarm.began(what, pool, begun.unfinished());
                    if (carryOut(begun.shift(), work)) {
                        alarm.succeeded(what, pool);
                    } else {
                        overtaken(what, pool);
                    }
                    return;
                }
                case Shifts.Start.NoPool none -> {
                    return;
                }
                case Shifts.Start.Busy busy -> {
                    if (look > LOOKS || !isRested()) {
                        leave(what, pool, busy.by());
                        return;
                    }
                }
            }
        }
    }

    /** Whether the visit counts as complete. */
    private boolean carryOut(Shift shift, Work work) {
        try {
            work.visit(shift, clock.instant());
        } catch (RuntimeException e) {
            try {
                shifts.breakOff(shift, clock.instant());
            } catch (DependencyException alsoThat) {
                e.addSuppressed(alsoThat); // the lease runs out by itself
            }
            throw e;
        }
        return shifts.complete(shift, clock.instant());
    }

    /** It took longer than its lease, so that what it wrote at last may have been refused; the other visit makes up for it. */
    private void overtaken(String what, PoolId pool) {
        String reason = "another took the pool's background lease before the visit ended";
        journal.write(Entry.of("visit-overtaken")
                .with("round", what)
                .with("pool", pool)
                .with("reason", reason));
        alarm.failed(what, pool, new IllegalStateException(reason));
    }

    private void leave(String what, PoolId pool, Lease by) {
        journal.write(Entry.of("visit-left")
                .with("round", what)
                .with("pool", pool)
                .with("holder", by.holder())
                .with("until", by.until())
                .with("reason", "another has the pool's background lease; the next round visits it again"));
    }

    private boolean isRested() {
        try {
            sleeper.sleep(pause);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
