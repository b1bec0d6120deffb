package dev.spillway.core.attempt;

import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One try to get in, as it is listed.
 *
 * @param id the CallSid of an inbound call, the job's id of an outbound one
 * @param call the call itself; null for a job of which Twilio has not named a call
 * @param outcome null while it is open
 */
public record Attempt(
        TenantId tenant,
        String id,
        @Nullable CallSid call,
        Instant arrivedAt,
        @Nullable Outcome outcome,
        Story story) {
    /** Who started it. */
    public enum Kind {
        /** Somebody calls the tenant. */
        INBOUND,
        /** The tenant has somebody called. */
        OUTBOUND;

        /** As written in the table and in answers. */
        public String text() {
            return this == INBOUND ? "inbound" : "outbound";
        }

        public static Kind of(String text) {
            for (Kind kind : values()) {
                if (kind.text().equals(text)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("no such kind of attempt: '" + text + "'");
        }
    }

    public Attempt {
        Objects.requireNonNull(tenant);
        Objects.requireNonNull(id);
        Objects.requireNonNull(arrivedAt);
        Objects.requireNonNull(story);
    }

    /** An inbound call as an attempt. One that was dialled is none: its job is. */
    public static Attempt of(Call call) {
        if (call.story().job() != null) {
            throw new IllegalArgumentException(
                    "call " + call.sid() + " is part of job " + call.story().job());
        }
        return new Attempt(
                call.tenant(), call.sid().value(), call.sid(), call.arrivedAt(), call.outcome(), call.story());
    }

    /** A job's attempt with what its call tells of it. */
    public Attempt joined(Call ofJob) {
        return new Attempt(
                tenant,
                id,
                ofJob.sid(),
                arrivedAt,
                outcome,
                story.joined(ofJob.story().steps()));
    }

    public Kind kind() {
        return story.kind();
    }

    public boolean isOpen() {
        return outcome == null;
    }

    public Optional<Cause> cause() {
        return story.lastWithCause().map(Step::cause);
    }

    public Optional<Slots> slots() {
        return story.lastWithCause().map(Step::slots);
    }

    /** What the summary and the links are made from. */
    public Outline outline() {
        return new Outline(
                id,
                kind(),
                arrivedAt,
                outcome,
                cause().orElse(null),
                story.caller(),
                story.isTurnedAway(),
                story.deferrals());
    }
}
