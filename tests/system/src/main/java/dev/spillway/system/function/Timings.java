package dev.spillway.system.function;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Durations, in the order in which they were measured. Percentiles are by nearest rank. */
final class Timings {
    private final List<Duration> all = new ArrayList<>();

    void add(Duration duration) {
        all.add(duration);
    }

    int count() {
        return all.size();
    }

    /** Milliseconds; 0 without a sample. */
    double percentile(int percent) {
        if (all.isEmpty()) {
            return 0;
        }
        List<Duration> sorted = all.stream().sorted().toList();
        int rank = (int) Math.ceil(percent / 100.0 * sorted.size()) - 1;
        return sorted.get(Math.max(0, rank)).toNanos() / 1e6;
    }
}
