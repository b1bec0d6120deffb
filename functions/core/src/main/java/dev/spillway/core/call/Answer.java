package dev.spillway.core.call;

import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What Twilio is told to do with a call. It is stored on the call, so that a repeated webhook gets it again. */
public sealed interface Answer {
    Instant at();

    /** The generation of the claim that this answer sends the call to; empty if it sends it nowhere. */
    default Optional<Generation> placed() {
        return this instanceof Stream stream ? Optional.of(stream.generation()) : Optional.empty();
    }

    /**
     * Open a stream. {@code container} is null when no claim could be written: any container of the gateway may then
     * take the call.
     *
     * @param expiry until when the stream may be opened
     */
    record Stream(PoolId pool, @Nullable ContainerId container, Generation generation, Instant expiry, Instant at)
            implements Answer {
        public Stream {
            Objects.requireNonNull(pool);
            Objects.requireNonNull(generation);
            Objects.requireNonNull(expiry);
            Objects.requireNonNull(at);
        }
    }

    /** Every assistant is busy: said only when live heartbeats confirm it. */
    record Busy(Instant at) implements Answer {}

    /** A short apology: something is broken, or this call has been moved too often. */
    record Apology(Instant at) implements Answer {}

    /** The conversation is over. */
    record HangUp(Instant at) implements Answer {}

    /**
     * The agent gave the call to somebody else: dial the number. If nobody there answers, the call comes back.
     *
     * @param number in E.164
     * @param at to the millisecond, as the table keeps it: a transfer that was read back is known again as the one written
     */
    record Transfer(String number, Instant at) implements Answer {
        private static final Pattern FORM = Pattern.compile("\\+[1-9][0-9]{6,14}");

        public Transfer {
            if (!isNumber(number)) {
                throw new IllegalArgumentException("want a phone number in E.164 to transfer a call to");
            }
            at = Instant.ofEpochMilli(at.toEpochMilli());
        }

        public static boolean isNumber(String text) {
            return FORM.matcher(text).matches();
        }

        /** Phone numbers stay out of logs, so they stay out of this text too. */
        @Override
        public String toString() {
            return "Transfer[at=" + at + "]";
        }
    }
}
