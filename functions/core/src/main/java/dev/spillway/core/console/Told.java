package dev.spillway.core.console;

import dev.spillway.core.attempt.Cause;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One decision, as it is told to somebody who watches. Never a phone number.
 *
 * @param subject what kind of thing it is about
 * @param about its id
 * @param what was decided, in a few words
 * @param where the container or pool that a call was sent to; null if none is named
 * @param cause why a call found no slot; null if it is not about that
 * @param times how often in a row, the last time at {@code at}
 */
public record Told(
        Instant at,
        Subject subject,
        String about,
        String what,
        @Nullable String where,
        @Nullable Cause cause,
        String reason,
        int times) {

    /** What a decision can be about. */
    public enum Subject {
        /** The desired count of a pool, or its launches. */
        POOL,
        /** The state of one container. */
        CONTAINER,
        /** A pool, by an operator's order. */
        ORDER,
        /** An inbound call, or a job to call somebody. */
        CALL;

        /** As in the HTTP API. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Told {
        Objects.requireNonNull(at);
        Objects.requireNonNull(subject);
        Objects.requireNonNull(about);
        Objects.requireNonNull(what);
        Objects.requireNonNull(reason);
        if (times < 1) {
            throw new IllegalArgumentException("a decision was made at least once, not " + times + " times");
        }
    }

    Told(Instant at, Subject subject, String about, String what, String reason) {
        this(at, subject, about, what, null, null, reason, 1);
    }
}
