package dev.spillway.lambda;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Lets each thing through once a minute, as far as this instance of a function knows: a function that runs in several
 * instances may say a thing once in each.
 */
final class MinuteLimit {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Map<String, Instant> last = new HashMap<>();

    synchronized boolean passes(String what, Instant now) {
        Instant before = last.get(what);
        if (before != null && before.plus(MINUTE).isAfter(now)) {
            return false;
        }
        last.put(what, now);
        return true;
    }
}
