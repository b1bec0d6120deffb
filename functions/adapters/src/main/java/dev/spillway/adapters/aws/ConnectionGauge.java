package dev.spillway.adapters.aws;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import software.amazon.awssdk.http.HttpMetric;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricPublisher;
import software.amazon.awssdk.metrics.SdkMetric;

/**
 * How many connections one client's pool holds: in use and idle. The pool tells it with each call, so the figure is as of
 * the last call; once the pool has been unused for long enough to have closed them all, it is 0.
 */
final class ConnectionGauge implements MetricPublisher {
    private final Duration life;
    private final LongSupplier nanoTime;
    private volatile Seen seen = new Seen(0, 0);

    private record Seen(int open, long atNanos) {}

    /** @param life how long an unused connection stays open at most */
    ConnectionGauge(Duration life, LongSupplier nanoTime) {
        this.life = life;
        this.nanoTime = nanoTime;
    }

    int open() {
        Seen last = seen;
        return nanoTime.getAsLong() - last.atNanos() > life.toNanos() ? 0 : last.open();
    }

    @Override
    public void publish(MetricCollection metrics) {
        List<Integer> leased = metrics.metricValues(HttpMetric.LEASED_CONCURRENCY);
        if (!leased.isEmpty()) {
            seen = new Seen(leased.getLast() + lastOf(metrics, HttpMetric.AVAILABLE_CONCURRENCY), nanoTime.getAsLong());
        }
        metrics.children().forEach(this::publish);
    }

    private static int lastOf(MetricCollection metrics, SdkMetric<Integer> metric) {
        List<Integer> values = metrics.metricValues(metric);
        return values.isEmpty() ? 0 : values.getLast();
    }

    @Override
    public void close() {
        seen = new Seen(0, nanoTime.getAsLong());
    }
}
