package dev.spillway.core.outbound;

import dev.spillway.core.attempt.Cause;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One thing that happened to a job.
 *
 * @param cause why it was deferred; null for every other kind
 * @param reason in words, with the figures it was decided by; never a phone number
 * @param at the last time, if it happened several times in a row
 * @param times how often in a row
 */
public record JobStep(Kind kind, @Nullable Cause cause, String reason, Instant at, int times) {
    /** What happened. */
    public enum Kind {
        ACCEPTED,
        DEFERRED,
        ADMITTED,
        DIAL_UNKNOWN,
        DIALLED,
        CANCEL_REQUESTED,
        ENDED
    }

    public JobStep {
        Objects.requireNonNull(kind);
        Objects.requireNonNull(reason);
        Objects.requireNonNull(at);
        if (times < 1) {
            throw new IllegalArgumentException("a step happens at least once, not " + times + " times");
        }
    }

    public static JobStep of(Kind kind, String reason, Instant at) {
        return new JobStep(kind, null, reason, at, 1);
    }

    public static JobStep deferred(Cause cause, String reason, Instant at) {
        return new JobStep(Kind.DEFERRED, cause, reason, at, 1);
    }

    boolean repeats(JobStep before) {
        return kind == before.kind && cause == before.cause;
    }
}
