package dev.spillway.load.replay;

import java.time.Duration;

/**
 * What bounds a run.
 *
 * @param maxInFlight operations at once; an arrival beyond it is dropped by the generator
 * @param timeout of one operation, without the length of its call
 * @param cleanup how long operations that were told to end may take
 */
public record Limits(int maxInFlight, Duration timeout, Duration cleanup) {
    public Limits {
        if (maxInFlight < 1) {
            throw new IllegalArgumentException("at least one operation is in flight, not " + maxInFlight);
        }
        if (!timeout.isPositive() || !cleanup.isPositive()) {
            throw new IllegalArgumentException("times are positive: " + timeout + ", " + cleanup);
        }
    }
}
