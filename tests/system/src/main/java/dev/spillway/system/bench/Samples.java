package dev.spillway.system.bench;

import java.util.Arrays;

/** Durations in microseconds, as many as come. Percentiles are by nearest rank: each is a value that was measured. */
final class Samples {
    private int[] micros = new int[1 << 16];
    private int count;

    void add(long nanos) {
        if (count == micros.length) {
            micros = Arrays.copyOf(micros, count * 2);
        }
        micros[count++] = (int) Math.min(Integer.MAX_VALUE, nanos / 1_000);
    }

    /** Milliseconds; 0 without samples. */
    double percentileMillis(int percent) {
        if (count == 0) {
            return 0;
        }
        int[] sorted = Arrays.copyOf(micros, count);
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(percent / 100.0 * count) - 1;
        return Math.round(sorted[Math.max(0, rank)] / 10.0) / 100.0;
    }
}
