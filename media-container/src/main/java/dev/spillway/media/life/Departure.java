package dev.spillway.media.life;

import dev.spillway.core.DependencyException;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.ContainerState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The way out on SIGTERM: no new calls; calls finish, and those that have a claim here are waited for while their stream may
 * still come; those that are up when three quarters of the stop timeout are over leave at the end of their turn, or after five
 * seconds in the middle of it, with what was said kept; whoever has not gone by then is given back; then the item says STOPPING
 * and carries no claim.
 */
final class Departure {
    private static final String REASON = "the task was asked to stop";
    /** How often the end of the last call is looked for. */
    private static final Duration LOOK = Duration.ofMillis(50);
    /** What did not succeed is tried again, and streams that came meanwhile are told too. */
    private static final Duration AGAIN = Duration.ofSeconds(1);
    /** Before the end: for a turn's end and the last saves of all calls, twice as long as they may take, and the last writes. */
    private static final Duration LEAVING = Duration.ofSeconds(18);
    /** For the beat that reads which claims are here. It takes milliseconds; without a table, what it said last counts. A guess. */
    private static final Duration WORD = Duration.ofSeconds(5);

    private final Running running;
    private final Journal journal;
    private final InstantSource clock;
    private final Duration stopTimeout;
    private final Duration tokenLife;
    /** When no further claim could be made here; null while the table may hold it READY. */
    private @Nullable Instant drainingSince;

    /** @param tokenLife how long after its TwiML a stream may come */
    Departure(Running running, Journal journal, InstantSource clock, Duration stopTimeout, Duration tokenLife) {
        this.running = running;
        this.journal = journal;
        this.clock = clock;
        this.stopTimeout = stopTimeout;
        this.tokenLife = tokenLife;
    }

    void leave() {
        long begun = System.nanoTime();
        running.admission().closeForGood("stopping");
        if (!await(() -> isQuiet() && !isAnyoneExpected(begun), begun, leavingAfter(), () -> {})) {
            journal.write(Entry.of("giving-back")
                    .with("calls", running.streams().count())
                    .with("relays", running.admission().report(0).relays())
                    .with("reason", "the stop timeout is near: their calls go on elsewhere"));
            Runnable leave = () -> running.streams().leaveAll("the container stops");
            if (!await(this::isQuiet, begun, stopTimeout.multipliedBy(17).dividedBy(20), leave)) {
                running.streams().closeAll("the container stops");
                await(this::isQuiet, begun, stopTimeout.multipliedBy(9).dividedBy(10), () -> {});
            }
        }
        running.pulse().stop();
        become(ContainerState.STARTING, ContainerState.STOPPING);
        become(ContainerState.DRAINING, ContainerState.DRAINED);
        become(ContainerState.DRAINED, ContainerState.STOPPING);
        journal.write(Entry.of("stopped").with("reason", REASON));
    }

    /** Three quarters of the stop timeout, or earlier where that would leave too little for the rest; half at least. */
    private Duration leavingAfter() {
        Duration usual = stopTimeout.multipliedBy(3).dividedBy(4);
        Duration latest = stopTimeout.minus(LEAVING);
        Duration half = stopTimeout.dividedBy(2);
        Duration after = usual.compareTo(latest) < 0 ? usual : latest;
        return after.compareTo(half) < 0 ? half : after;
    }

    private boolean isQuiet() {
        return running.admission().report(0).isQuiet();
    }

    /**
     * Whoever has a claim here was told to come here, or will be when the other side picks up: gone before him, the container
     * would cost him a move, and would leave a claim behind that keeps it from being DRAINED. What the table said before it took
     * DRAINING is not its last word: a claim may have been made since.
     */
    private boolean isAnyoneExpected(long begunNanos) {
        Duration waited = Duration.ofNanos(System.nanoTime() - begunNanos);
        if (waited.compareTo(tokenLife) >= 0) {
            return false;
        }
        Instant since = drainingSince;
        boolean known = since != null && running.admission().isReadSince(since);
        return running.admission().used() > 0 || (!known && waited.compareTo(WORD) < 0);
    }

    /** Until the table has taken it: a container that stays READY there would be sent calls. */
    private void drain() {
        if (drainingSince == null && become(ContainerState.READY, ContainerState.DRAINING)) {
            drainingSince = clock.instant();
            running.pulse().wake(); // no claim comes any more: it reads them all, and reports that nobody answers here
        }
    }

    /** Whether the table answered: if its item was in another state, nothing changed. */
    private boolean become(ContainerState from, ContainerState to) {
        try {
            running.ports()
                    .containers()
                    .become(
                            running.self().pool(),
                            running.self().id(),
                            from,
                            to,
                            to != ContainerState.DRAINING,
                            REASON,
                            clock.instant());
            return true;
        } catch (DependencyException e) {
            journal.write(Entry.of("state-not-written")
                    .with("state", to)
                    .with("reason", "the table cannot be reached; ECS will show the task as stopped"));
            return false;
        }
    }

    /**
     * Until then the table is told, at once and every second, that this container drains.
     *
     * @param limit counted from the beginning of the way out
     * @param meanwhile done as often
     */
    private boolean await(BooleanSupplier condition, long begunNanos, Duration limit, Runnable meanwhile) {
        long next = System.nanoTime();
        while (true) {
            if (System.nanoTime() - next >= 0) {
                drain();
                meanwhile.run();
                next = System.nanoTime() + AGAIN.toNanos();
            }
            if (condition.getAsBoolean()) {
                return true;
            }
            if (System.nanoTime() - begunNanos >= limit.toNanos()) {
                return false;
            }
            try {
                Thread.sleep(LOOK);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
