package dev.spillway.core.attempt;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One thing that happened to an attempt, in the words of its record. Never a phone number.
 *
 * @param hop which placement it belongs to; 0 before the first
 * @param pool where; null if nowhere in particular
 * @param container null if none is named
 * @param cause why there was no slot; every refusal, hold and deferral has one
 * @param slots what filled the pool then; there if, and only if, there is a cause
 * @param reason in words
 * @param times how often in a row, if it happened again and again; the rest is of the last time
 */
public record Step(
        Kind kind,
        Instant at,
        int hop,
        @Nullable PoolId pool,
        @Nullable ContainerId container,
        @Nullable Cause cause,
        @Nullable Slots slots,
        String reason,
        int times) {

    /** What kind of thing it was. */
    public enum Kind {
        /** A job was accepted: nobody is dialled yet. */
        ACCEPTED,
        /** A container or everything turned the call away. One that turned it away at hop 0 was its pool's own door. */
        REFUSED,
        /** An outbound job found no slot: nobody was dialled. */
        DEFERRED,
        /** It got a slot of its own pool, first of all. */
        ADMITTED,
        /** Twilio has named the call of an outbound job. */
        DIALLED,
        /** Nobody knows whether Twilio dials. */
        DIAL_UNKNOWN,
        /** The person who was dialled has answered: Twilio asked for what to do with the call. */
        ANSWERED,
        /** An outbound job is to be canceled while its call is under way. */
        CANCEL_REQUESTED,
        /** It was sent to the gateway, first of all. */
        HELD,
        /** It was sent from where it was to somewhere else; with a cause if that is the gateway. */
        MOVED,
        /** Its stream was accepted. */
        CONNECTED,
        /** A slot of its own pool was reserved for it while it was held. */
        OFFERED,
        /** It reached its outcome. */
        ENDED;

        /** As written in the table and in answers. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        public static Kind of(String text) {
            for (Kind kind : values()) {
                if (kind.text().equals(text)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("no such kind of step: '" + text + "'");
        }
    }

    public Step {
        Objects.requireNonNull(kind);
        Objects.requireNonNull(at);
        Objects.requireNonNull(reason);
        if (hop < 0) {
            throw new IllegalArgumentException("hops are counted from 0, not " + hop);
        }
        if (times < 1) {
            throw new IllegalArgumentException("a step happens at least once, not " + times + " times");
        }
        boolean withoutSlot = kind == Kind.REFUSED || kind == Kind.DEFERRED || kind == Kind.HELD;
        if ((withoutSlot && cause == null) || (cause == null) != (slots == null)) {
            throw new IllegalArgumentException("a step that is " + kind.text()
                    + " needs a cause with slots if it found no slot, not " + cause + " with " + slots);
        }
    }

    /** A step that happened once. */
    public Step(
            Kind kind,
            Instant at,
            int hop,
            @Nullable PoolId pool,
            @Nullable ContainerId container,
            @Nullable Cause cause,
            @Nullable Slots slots,
            String reason) {
        this(kind, at, hop, pool, container, cause, slots, reason, 1);
    }

    /** Something of an attempt as a whole, in no pool: of the kinds that a job has and a caller has not. */
    public static Step of(Kind kind, int hop, String reason, Instant at) {
        return new Step(kind, at, hop, null, null, null, null, reason);
    }

    /** The person who was dialled has answered, and the call is sent to the slot that was claimed for it. */
    public static Step answered(Answer.Stream there, String reason) {
        return new Step(
                Kind.ANSWERED,
                there.at(),
                there.generation().hop(),
                there.pool(),
                there.container(),
                null,
                null,
                reason);
    }

    /** A slot of the call's own pool was taken for it. */
    public static Step admitted(int hop, PoolId pool, ContainerId container, String reason, Instant at) {
        return new Step(Kind.ADMITTED, at, hop, pool, container, null, null, reason);
    }

    /** @param container null if any container of the gateway may take the call */
    public static Step held(
            int hop, @Nullable ContainerId container, Cause cause, Slots slots, String reason, Instant at) {
        return new Step(Kind.HELD, at, hop, PoolId.GATEWAY, container, cause, slots, reason);
    }

    /** An outbound job waits on, and nobody was dialled. */
    public static Step deferred(PoolId pool, Cause cause, Slots slots, String reason, Instant at) {
        return new Step(Kind.DEFERRED, at, 0, pool, null, cause, slots, reason);
    }

    /** Turned away by that pool; at hop 0 by the door of a container or its load balancer, which wrote nothing. */
    public static Step refused(int hop, PoolId pool, Cause cause, Slots slots, String reason, Instant at) {
        return new Step(Kind.REFUSED, at, hop, pool, null, cause, slots, reason);
    }

    /** To a slot of the call's own pool. */
    public static Step moved(int hop, PoolId pool, ContainerId container, String reason, Instant at) {
        return new Step(Kind.MOVED, at, hop, pool, container, null, null, reason);
    }

    /** To the gateway, since the call's own pool has no slot. */
    public static Step movedToGateway(
            int hop, @Nullable ContainerId container, Cause cause, Slots slots, String reason, Instant at) {
        return new Step(Kind.MOVED, at, hop, PoolId.GATEWAY, container, cause, slots, reason);
    }

    /** To somebody else, by the agent's wish. */
    public static Step transferred(int hop, Instant at) {
        return of(Kind.MOVED, hop, "the agent gave the call to another number", at);
    }

    /** @param here where the stream was accepted, and when */
    public static Step connected(Answer.Stream here, String reason) {
        return new Step(
                Kind.CONNECTED, here.at(), here.generation().hop(), here.pool(), here.container(), null, null, reason);
    }

    /** @param hop the hop the call is on */
    public static Step offered(TenantId tenant, int hop, Offer offer) {
        return new Step(
                Kind.OFFERED,
                offer.at(),
                hop,
                PoolId.of(tenant),
                offer.container(),
                null,
                null,
                "a slot of the tenant's pool is free");
    }

    public static Step ended(int hop, Outcome outcome, String reason, Instant at) {
        return new Step(Kind.ENDED, at, hop, null, null, null, null, outcome.text() + ": " + reason);
    }

    /** Whether it tells the same as another one, at another time. */
    boolean isLike(Step other) {
        return kind == other.kind && cause == other.cause;
    }

    /** The same step, and the others that are like it. */
    Step times(int all) {
        return new Step(kind, at, hop, pool, container, cause, slots, reason, all);
    }

    /** Whether this is a refusal at the door of the call's own pool, before anything was decided. */
    public boolean isTurnedAway() {
        return kind == Kind.REFUSED && hop == 0;
    }
}
