package dev.spillway.localcloud.twilio;

import java.time.Duration;
import java.time.Instant;

/** A point in time on the monotonic clock, for differences, with the wall clock's reading beside it, for logs. */
public record Moment(long nanos, Instant wall) {

    public static Moment now() {
        return new Moment(System.nanoTime(), Instant.now());
    }

    /** The time from the earlier moment to this one; negative if it is in fact later. */
    public Duration since(Moment earlier) {
        return Duration.ofNanos(nanos - earlier.nanos);
    }
}
