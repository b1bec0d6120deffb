package dev.spillway.core.outbound;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.pool.ContainerId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where a job stands. */
public sealed interface JobState {
    /**
     * One dial: made with a slot that was claimed before.
     *
     * @param container where the slot was claimed
     * @param generation of the claim, of the TwiML's URL and of the status callback's
     */
    record Dial(ContainerId container, Generation generation, Instant at) {
        public Dial {
            Objects.requireNonNull(container);
            Objects.requireNonNull(generation);
            Objects.requireNonNull(at);
        }
    }

    /** Nobody has been dialled. {@code nextTryAt} is when it asks again by itself. */
    record Waiting(Instant nextTryAt) implements JobState {
        public Waiting {
            Objects.requireNonNull(nextTryAt);
        }
    }

    /** Twilio is being asked to dial. */
    record Dialling(Dial dial) implements JobState {}

    /** Twilio was asked, and nobody knows whether it dials: not dialled again before that is known. */
    record DialUnknown(Dial dial) implements JobState {}

    /** Twilio has named the call. */
    record Dialled(Dial dial, CallSid call) implements JobState {}

    /** Over. {@code dial} is null if nobody was ever dialled. */
    record Ended(
            Outcome outcome,
            Instant at,
            @Nullable Dial dial,
            @Nullable CallSid call) implements JobState {
        public Ended {
            Objects.requireNonNull(outcome);
            Objects.requireNonNull(at);
        }
    }

    /** The dial that is under way or was the last. */
    default Optional<Dial> lastDial() {
        return switch (this) {
            case Waiting waiting -> Optional.empty();
            case Dialling dialling -> Optional.of(dialling.dial());
            case DialUnknown unknown -> Optional.of(unknown.dial());
            case Dialled dialled -> Optional.of(dialled.dial());
            case Ended ended -> Optional.ofNullable(ended.dial());
        };
    }

    /** The call that came of it, once Twilio has named it. */
    default Optional<CallSid> callSid() {
        return switch (this) {
            case Dialled dialled -> Optional.of(dialled.call());
            case Ended ended -> Optional.ofNullable(ended.call());
            case Waiting waiting -> Optional.empty();
            case Dialling dialling -> Optional.empty();
            case DialUnknown unknown -> Optional.empty();
        };
    }

    /** Whether it has a slot or may have one. */
    default boolean isInFlight() {
        return switch (this) {
            case Waiting waiting -> false;
            case Dialling dialling -> true;
            case DialUnknown unknown -> true;
            case Dialled dialled -> true;
            case Ended ended -> false;
        };
    }

    /** As written in the table and in answers. */
    default String text() {
        return switch (this) {
            case Waiting waiting -> "waiting";
            case Dialling dialling -> "dialling";
            case DialUnknown unknown -> "dial-unknown";
            case Dialled dialled -> "dialled";
            case Ended ended -> "ended";
        };
    }
}
