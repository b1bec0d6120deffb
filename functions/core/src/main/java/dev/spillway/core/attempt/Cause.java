package dev.spillway.core.attempt;

import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolView;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** Why a call was held, refused or deferred: exactly one of these for each. */
public enum Cause {
    /** Every slot there is has a call, and no container is on its way. A pool without containers is full, too. */
    FULL,
    /** No slot is free, and a container is on its way. */
    STARTING,
    /** A slot would be free if a call that is over did not still hold it. */
    COOLDOWN,
    /** What is free is kept for inbound calls. */
    RESERVE,
    /** The tenant has as many outbound calls as it may have. */
    OUTBOUND_LIMIT,
    /** What is free is another's turn: another tenant's part of the gateway, another batch's slot. */
    FAIRNESS,
    /** The carrier takes no more calls per second. */
    DIAL_RATE,
    /** A provider of speech, or of the model, takes no more conversations of this tenant's. */
    PROVIDER_LIMIT,
    /** Not a good time where the callee lives. */
    CALLING_HOURS,
    /** The tenant has dialled as often as it may today. */
    DAILY_CAP,
    /** An operator has ordered that no call goes there. */
    OPERATOR,
    /** That number may not be dialled at all: its country is not allowed, or it is on the suppression list. */
    SUPPRESSED,
    /** Something that is needed does not answer or does not work. */
    DEPENDENCY;

    /** As written in the table and in answers. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Cause of(String text) {
        for (Cause cause : values()) {
            if (cause.text().equals(text)) {
                return cause;
            }
        }
        throw new IllegalArgumentException("no such cause: '" + text + "'");
    }

    /** Whether a slot that becomes free may end a job's wait before its time. */
    public boolean endsWithASlot() {
        return switch (this) {
            case FULL, STARTING, COOLDOWN, RESERVE, OUTBOUND_LIMIT, FAIRNESS, DIAL_RATE, PROVIDER_LIMIT, OPERATOR ->
                true;
            case CALLING_HOURS, DAILY_CAP, SUPPRESSED, DEPENDENCY -> false;
        };
    }

    /**
     * Why a call that needs a slot of this pool gets none. The first that holds of: an order (operator); nothing of the pool has been heard, or
     * its launches fail (dependency); a finished call still has a slot (cooldown); a container is on its way (starting);
     * full.
     *
     * @param coldStart the usual time from asking for a container to READY
     */
    public static Cause of(PoolView view, Instant now, Duration coldStart) {
        if (view.pool().orders().closing(now).isPresent()) {
            return OPERATOR;
        }
        boolean serving = view.claimable(now).findAny().isPresent();
        boolean silent = !view.containers().isEmpty() && !view.isHeard(now);
        if (!serving && silent && view.starting(now, coldStart) == 0) {
            return DEPENDENCY;
        }
        if (view.claimable(now).anyMatch(container -> isFilledByCooldown(container, now))) {
            return COOLDOWN;
        }
        if (!serving && view.pool().launches().backOffUntil().isAfter(now)) {
            return DEPENDENCY;
        }
        return view.starting(now, coldStart) > 0 ? STARTING : FULL;
    }

    private static boolean isFilledByCooldown(Container container, Instant now) {
        return container.free(now) == 0
                && container.claims().values().stream().anyMatch(claim -> claim.phase() == Claim.Phase.COOLDOWN);
    }
}
