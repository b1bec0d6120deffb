package dev.spillway.system;

import java.util.Collection;
import java.util.List;

/** Percentiles by the nearest-rank method, so that each is a value that was measured. */
final class Statistics {
    private Statistics() {}

    static DemoResult.Latency latency(Collection<Long> millis) {
        List<Long> sorted = millis.stream().sorted().toList();
        double mean = sorted.stream().mapToLong(Long::longValue).average().orElse(0);
        return new DemoResult.Latency(
                sorted.size(),
                Math.round(mean),
                sorted.isEmpty() ? 0 : rank(sorted, 50),
                sorted.isEmpty() ? 0 : rank(sorted, 90));
    }

    static DemoResult.Spread spread(Collection<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        if (sorted.isEmpty()) {
            return new DemoResult.Spread(0, 0, 0);
        }
        double mean = sorted.stream().mapToDouble(Double::doubleValue).average().orElse(0);
        return new DemoResult.Spread(round(mean), round(rank(sorted, 95)), round(sorted.getLast()));
    }

    static OutboundDemoResult.Times times(Collection<Double> seconds) {
        List<Double> sorted = seconds.stream().sorted().toList();
        return sorted.isEmpty()
                ? new OutboundDemoResult.Times(0, 0, 0)
                : new OutboundDemoResult.Times(sorted.size(), round(rank(sorted, 50)), round(sorted.getLast()));
    }

    private static <T> T rank(List<T> sorted, int percent) {
        int index = (int) Math.ceil(percent / 100.0 * sorted.size()) - 1;
        return sorted.get(Math.max(0, index));
    }

    static double round(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
