package dev.spillway.core.attempt;

import dev.spillway.core.call.Outcome;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The few things of an attempt that the summary of many needs.
 *
 * @param outcome null while it is open
 * @param cause of its last refusal, hold or deferral; null if it never had to wait
 * @param caller or who is called; null if unknown
 * @param turnedAway whether the door of its own pool turned it away
 * @param deferrals how often it was deferred
 */
public record Outline(
        String id,
        Attempt.Kind kind,
        Instant arrivedAt,
        @Nullable Outcome outcome,
        @Nullable Cause cause,
        @Nullable CallerHash caller,
        boolean turnedAway,
        int deferrals) {
    public Outline {
        Objects.requireNonNull(id);
        Objects.requireNonNull(kind);
        Objects.requireNonNull(arrivedAt);
    }

    /** Whether nobody was talked to, and may well be tried again: by the caller, or by another job. */
    boolean mayComeAgain() {
        return switch (kind) {
            case INBOUND -> outcome == Outcome.REFUSED || outcome == Outcome.ABANDONED;
            case OUTBOUND ->
                outcome == Outcome.ABANDONED || outcome == Outcome.DEFERRED_EXPIRED || outcome == Outcome.SETUP_FAILED;
        };
    }
}
