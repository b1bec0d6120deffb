package dev.spillway.load.replay;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What bounds a run.
 *
 * @param maxInFlight operations at once; an arrival beyond it is dropped by the generator
 * @param timeout of one operation, without the length of its call
 * @param cleanup how long operations that were told to end may take
 * @param maxPerSecond operations started within any second, also by a generator that is late; null for no such bound
 * @param until nothing is offered after this time, no probe either; null for no such bound
 */
public record Limits(
        int maxInFlight,
        Duration timeout,
        Duration cleanup,
        @Nullable Double maxPerSecond,
        @Nullable Instant until) {
    public Limits(int maxInFlight, Duration timeout, Duration cleanup) {
        this(maxInFlight, timeout, cleanup, null, null);
    }

    public Limits {
        if (maxInFlight < 1) {
            throw new IllegalArgumentException("at least one operation is in flight, not " + maxInFlight);
        }
        if (!timeout.isPositive() || !cleanup.isPositive()) {
            throw new IllegalArgumentException("times are positive: " + timeout + ", " + cleanup);
        }
    }
}
