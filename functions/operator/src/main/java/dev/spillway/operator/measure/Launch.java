package dev.spillway.operator.measure;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/**
 * One launch, by the times that the table and ECS gave. Their clocks differ by milliseconds; the instants are those of
 * events, not of when somebody looked.
 */
public record Launch(
        Instant desired,
        Instant created,
        Instant connected,
        Instant pullStarted,
        Instant pullStopped,
        Instant started,
        Instant ready) {

    /** What a launch is made of, in its order. */
    public enum Part {
        /** From the desired count to a task. */
        ASKED,
        /** Its network interface. */
        NETWORK,
        /** Until the image begins to be pulled. */
        PREPARED,
        PULL,
        /** From the image to a running process. */
        START,
        /** From the process to READY in the table. */
        READY,
        ALL
    }

    /** An event that came before its predecessor took no time. */
    public Map<Part, Duration> parts() {
        Map<Part, Duration> parts = new EnumMap<>(Part.class);
        parts.put(Part.ASKED, between(desired, created));
        parts.put(Part.NETWORK, between(created, connected));
        parts.put(Part.PREPARED, between(connected, pullStarted));
        parts.put(Part.PULL, between(pullStarted, pullStopped));
        parts.put(Part.START, between(pullStopped, started));
        parts.put(Part.READY, between(started, ready));
        parts.put(Part.ALL, between(desired, ready));
        return parts;
    }

    private static Duration between(Instant from, Instant to) {
        Duration duration = Duration.between(from, to);
        return duration.isNegative() ? Duration.ZERO : duration;
    }
}
