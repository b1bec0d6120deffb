package dev.spillway.core.usage;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * A container's time, from its registration to its end, or to now if it has none.
 *
 * @param until not before {@code from}
 */
public record Life(Instant from, Instant until) {
    public Life {
        Objects.requireNonNull(from);
        if (until.isBefore(from)) {
            throw new IllegalArgumentException("a life cannot end at " + until + " if it begins at " + from);
        }
    }

    /** What of it lies in the window. */
    Duration within(Instant start, Instant end) {
        Instant first = from.isBefore(start) ? start : from;
        Instant last = until.isAfter(end) ? end : until;
        return last.isAfter(first) ? Duration.between(first, last) : Duration.ZERO;
    }
}
