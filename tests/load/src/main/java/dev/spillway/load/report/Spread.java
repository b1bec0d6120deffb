package dev.spillway.load.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Durations of one population in nanoseconds. Percentiles by nearest rank, so that each is a value that was measured. */
public final class Spread {
    private final long[] sorted;
    private final double sum;

    private Spread(long[] sorted) {
        this.sorted = sorted;
        this.sum = Arrays.stream(sorted).mapToDouble(value -> (double) value).sum();
    }

    public static Spread of(Collection<Long> nanos) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        return new Spread(sorted);
    }

    public int count() {
        return sorted.length;
    }

    /** In milliseconds; null of an empty population, which has none. */
    public @Nullable Double percentile(double percent) {
        if (sorted.length == 0) {
            return null;
        }
        int index = (int) Math.ceil(percent / 100 * sorted.length) - 1;
        return millis((double) sorted[Math.clamp(index, 0, sorted.length - 1)]);
    }

    public @Nullable Double average() {
        return sorted.length == 0 ? null : millis(sum / sorted.length);
    }

    public @Nullable Double max() {
        return percentile(100);
    }

    /** Rounded to the microsecond. */
    static double millis(double nanos) {
        return BigDecimal.valueOf(nanos / 1e6).setScale(3, RoundingMode.HALF_UP).doubleValue();
    }

    /** count, avg, p50, p90, p99 and max, in milliseconds. */
    void write(ObjectNode to) {
        to.put("count", count())
                .put("avg", average())
                .put("p50", percentile(50))
                .put("p90", percentile(90))
                .put("p99", percentile(99))
                .put("max", max());
    }
}
