package dev.spillway.simulation.world;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Runs seeds one after the other, a few at once. */
final class Seeds {
    /** Worlds at once: each keeps one core busy. */
    private static final int AT_ONCE = Math.min(8, Runtime.getRuntime().availableProcessors());

    /**
     * What came of it.
     *
     * @param ran how many seeds were run to their end
     * @param failures in the order of their seeds
     * @param took real time
     */
    record Result(
            long ran,
            List<Outcome> failures,
            long steps,
            long writes,
            long virtualSeconds,
            Map<String, Long> tally,
            FaultCounts faults,
            Map<String, Long> silences,
            Duration took) {
        double seedsPerSecond() {
            return ran * 1_000.0 / Math.max(1, took.toMillis());
        }

        /** In some lines. */
        String words() {
            List<String> lines = new ArrayList<>();
            lines.add(
                    "%d seeds in %.1f s (%.0f a second), %d steps, %d writes looked at, %.1f virtual hours, %d violations"
                            .formatted(
                                    ran,
                                    took.toMillis() / 1_000.0,
                                    seedsPerSecond(),
                                    steps,
                                    writes,
                                    virtualSeconds / 3_600.0,
                                    failures.size()));
            lines.add("attempts: " + FaultCounts.counted(tally));
            lines.addAll(faults.lines());
            if (!silences.isEmpty()) {
                lines.add("longest silence of talkers, in s, where one container is lost and nothing else: "
                        + FaultCounts.counted(silences));
            }
            return String.join("\n  ", lines);
        }
    }

    private Seeds() {}

    /**
     * @param goesOn asked before each seed
     * @param most failures of the kind that the fault must lead to, after which no further seed is begun
     */
    static Result run(long from, long count, Mutation mutation, int most, BooleanSupplier goesOn) {
        long begun = System.nanoTime();
        AtomicLong next = new AtomicLong(from);
        List<Outcome> failures = new ArrayList<>();
        Map<String, Long> tally = new TreeMap<>();
        FaultCounts faults = new FaultCounts();
        Map<String, Long> silences = new TreeMap<>();
        long[] sums = new long[4];
        List<Throwable> broken = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(AT_ONCE);
        for (int i = 0; i < AT_ONCE; i++) {
            Thread.ofVirtual().start(() -> {
                try {
                    long seed;
                    while ((seed = next.getAndIncrement()) < from + count && goesOn.getAsBoolean()) {
                        Outcome outcome = new World(Scenario.of(seed), Set.of(), mutation, false).run();
                        synchronized (sums) {
                            sums[0]++;
                            sums[1] += outcome.steps();
                            sums[2] += outcome.writes();
                            sums[3] += outcome.seconds();
                            outcome.tally().forEach((what, many) -> tally.merge(what, (long) many, Long::sum));
                            faults.add(outcome);
                            outcome.scenario()
                                    .only()
                                    .ifPresent(trouble ->
                                            silences.merge(trouble.toString(), outcome.longestSilence(), Math::max));
                            if (outcome.violation().isPresent()) {
                                failures.add(outcome);
                            }
                            long found = failures.stream()
                                    .filter(failure -> failure.violation()
                                            .filter(mutation::isFoundBy)
                                            .isPresent())
                                    .count();
                            if (found >= most) {
                                return;
                            }
                        }
                    }
                } catch (RuntimeException | Error e) {
                    synchronized (sums) {
                        broken.add(new IllegalStateException("the simulation itself failed near seed " + next, e));
                    }
                } finally {
                    done.countDown();
                }
            });
        }
        try {
            done.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (sums) {
            if (!broken.isEmpty()) {
                throw new IllegalStateException(broken.getFirst());
            }
            failures.sort(
                    (a, b) -> Long.compare(a.scenario().seed(), b.scenario().seed()));
            return new Result(
                    sums[0],
                    List.copyOf(failures),
                    sums[1],
                    sums[2],
                    sums[3],
                    tally,
                    faults,
                    silences,
                    Duration.ofNanos(System.nanoTime() - begun));
        }
    }
}
