package dev.spillway.media.life;

import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Report;
import dev.spillway.media.call.Self;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** The steps of a start, each repeated with growing pauses until it succeeds or the launch deadline is over. */
final class Launch {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Instant deadline;
    private final InstantSource clock;
    private final Journal journal;
    private final Executor workers;
    private final BooleanSupplier givenUp;

    Launch(Instant deadline, InstantSource clock, Journal journal, Executor workers, BooleanSupplier givenUp) {
        this.deadline = deadline;
        this.clock = clock;
        this.journal = journal;
        this.workers = workers;
        this.givenUp = givenUp;
    }

    /** Begins a step beside the others; an empty answer counts as none. */
    <T> CompletableFuture<T> step(String what, Callable<Optional<T>> question) {
        return CompletableFuture.supplyAsync(() -> retried(what, question), workers);
    }

    /** The step's result. */
    static <T> T join(CompletableFuture<T> step) throws LaunchException {
        try {
            return step.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof LaunchException launch) {
                throw launch;
            }
            throw new LaunchException("the start failed: " + e.getCause(), e);
        }
    }

    /** Writes the container's item as STARTING. */
    void register(Containers containers, Self self, int limit, Duration expiry) throws LaunchException {
        Instant now = clock.instant();
        Container item = new Container(
                self.pool(),
                self.id(),
                self.bootId(),
                ContainerState.STARTING,
                "registered",
                now,
                self.address(),
                self.revision(),
                limit,
                Map.of(),
                Report.empty(self.startedAt()),
                now.plus(expiry),
                Instant.EPOCH,
                self.startedAt(),
                false);
        boolean registered = join(step(
                "registering in the table",
                () -> Optional.of(containers.register(item) || isThere(containers, self, ContainerState.STARTING))));
        if (!registered) {
            throw new LaunchException(
                    "container " + self.id() + " is in the table already: another process of this task"
                            + " registered it, and a restarted process needs a new task");
        }
    }

    /** STARTING → READY. */
    void becomeReady(Containers containers, Self self) throws LaunchException {
        boolean ready = join(step(
                "writing READY",
                () -> Optional.of(containers.become(
                                self.pool(),
                                self.id(),
                                ContainerState.STARTING,
                                ContainerState.READY,
                                false,
                                "serving",
                                clock.instant())
                        || isThere(containers, self, ContainerState.READY))));
        if (!ready) {
            throw new LaunchException("container " + self.id() + " is not STARTING any more and may not become READY");
        }
    }

    /** Whether an earlier try was applied and only its reply was lost. */
    private static boolean isThere(Containers containers, Self self, ContainerState state) {
        return containers
                .find(self.pool(), self.id())
                .filter(there -> there.bootId().equals(self.bootId()) && there.state() == state)
                .isPresent();
    }

    private <T> T retried(String what, Callable<Optional<T>> question) {
        Duration pause = FIRST_PAUSE;
        while (true) {
            String problem;
            try {
                Optional<T> answer = question.call();
                if (answer.isPresent()) {
                    return answer.get();
                }
                problem = "there is none";
            } catch (Exception e) {
                problem = e.toString();
            }
            if (givenUp.getAsBoolean() || !clock.instant().plus(pause).isBefore(deadline) || !slept(pause)) {
                throw new CompletionException(
                        new LaunchException(what + " could not be read or done in time: " + problem));
            }
            journal.write(Entry.of("start-waits").with("for", what).with("reason", problem));
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        }
    }

    private static boolean slept(Duration duration) {
        try {
            Thread.sleep(duration);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
