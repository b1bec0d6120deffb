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
 */
public record Step(
        Kind kind,
        Instant at,
        int hop,
        @Nullable PoolId pool,
        @Nullable ContainerId container,
        @Nullable Cause cause,
        @Nullable Slots slots,
        String reason) {

    /** What kind of thing it was. */
    public enum Kind {
        /** A container or everything turned the call away. One that turned it away at hop 0 was its pool's own door. */
        REFUSED,
        /** An outbound job found no slot: nobody was dialled. */
        DEFERRED,
        /** It got a slot of its own pool, first of all. */
        ADMITTED,
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
            return name().toLowerCase(Locale.ROOT);
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
        boolean withoutSlot = kind == Kind.REFUSED || kind == Kind.DEFERRED || kind == Kind.HELD;
        if ((withoutSlot && cause == null) || (cause == null) != (slots == null)) {
            throw new IllegalArgumentException("a step that is " + kind.text()
                    + " needs a cause with slots if it found no slot, not " + cause + " with " + slots);
        }
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

    /** Whether this is a refusal at the door of the call's own pool, before anything was decided. */
    public boolean isTurnedAway() {
        return kind == Kind.REFUSED && hop == 0;
    }
}
