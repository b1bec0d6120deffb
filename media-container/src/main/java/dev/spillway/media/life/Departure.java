package dev.spillway.media.life;

import dev.spillway.core.DependencyException;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.ContainerState;
import java.time.Duration;
import java.time.InstantSource;

/**
 * The way out on SIGTERM: no new calls; calls finish; those that are up when three quarters of the stop timeout are over leave at
 * the end of their turn, with what was said kept, and whoever finds no such end is given back in the middle of it; then the item
 * says STOPPING and carries no claim.
 */
final class Departure {
    private static final String REASON = "the task was asked to stop";
    /** How often the end of the last call is looked for. */
    private static final Duration LOOK = Duration.ofMillis(50);

    private final Running running;
    private final Journal journal;
    private final InstantSource clock;
    private final Duration stopTimeout;

    Departure(Running running, Journal journal, InstantSource clock, Duration stopTimeout) {
        this.running = running;
        this.journal = journal;
        this.clock = clock;
        this.stopTimeout = stopTimeout;
    }

    void leave() {
        long begun = System.nanoTime();
        running.admission().closeForGood("stopping");
        become(ContainerState.READY, ContainerState.DRAINING);
        if (!awaitQuiet(begun, stopTimeout.multipliedBy(3).dividedBy(4))) {
            journal.write(Entry.of("giving-back")
                    .with("calls", running.streams().count())
                    .with("reason", "the stop timeout is near: their calls go on elsewhere"));
            running.streams().leaveAll("the container stops");
            // Of 120 s these are 12: twice what a turn's end and the last save may take.
            if (!awaitQuiet(begun, stopTimeout.multipliedBy(17).dividedBy(20))) {
                running.streams().closeAll("the container stops");
                awaitQuiet(begun, stopTimeout.multipliedBy(9).dividedBy(10));
            }
        }
        running.pulse().stop();
        become(ContainerState.STARTING, ContainerState.STOPPING);
        become(ContainerState.DRAINING, ContainerState.DRAINED);
        become(ContainerState.DRAINED, ContainerState.STOPPING);
        journal.write(Entry.of("stopped").with("reason", REASON));
    }

    private void become(ContainerState from, ContainerState to) {
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
        } catch (DependencyException e) {
            journal.write(Entry.of("state-not-written")
                    .with("state", to)
                    .with("reason", "the table cannot be reached; ECS will show the task as stopped"));
        }
    }

    private boolean awaitQuiet(long begunNanos, Duration limit) {
        while (!running.admission().report(0).isQuiet()) {
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
        return true;
    }
}
