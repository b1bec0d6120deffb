package dev.spillway.core.pool;

import java.util.Objects;

/**
 * How a pool is sized.
 *
 * @param minimum containers that always run; 2 for a production tenant, 0 on demand, 3 for the gateway
 * @param maximum containers that it may have at most
 * @param limit slots per container; 6 is the first text's measured figure, yours differs
 * @param spareSlots free slots to keep beyond the calls at hand; only the gateway keeps any by default
 */
public record Policy(int minimum, int maximum, int limit, int spareSlots, ScaleOutRule scaleOut, ScaleInRule scaleIn) {

    /** What a tenant's pool does unless it is told otherwise; the laboratory found nothing better (decision 0035). */
    public static final ScaleOutRule USUAL_SCALE_OUT = ScaleOutRule.AHEAD;

    public static final ScaleInRule USUAL_SCALE_IN = ScaleInRule.CONSOLIDATE;

    /** When a pool grows. */
    public enum ScaleOutRule {
        /** The first text's rule: one container more than are active, unless one is already starting. */
        PLUS_ONE,
        /** As many containers as the calls at hand need. */
        DEMAND,
        /** As {@link #DEMAND}, and once a container is full, free slots for those who call within a cold start: {@code Tuning}. */
        AHEAD
    }

    /** When a pool shrinks. */
    public enum ScaleInRule {
        /** The first text's rule: after the idle window without a call, one container. */
        IDLE,
        /** While a whole container is too much, the emptiest: its calls finish there; {@code Tuning}. */
        CONSOLIDATE
    }

    public Policy {
        if (minimum < 0 || maximum < Math.max(1, minimum)) {
            throw new IllegalArgumentException(
                    "want 0 <= minimum <= maximum and maximum >= 1, not " + minimum + " and " + maximum);
        }
        if (limit < 1 || spareSlots < 0) {
            throw new IllegalArgumentException(
                    "want limit >= 1 and spareSlots >= 0, not " + limit + " and " + spareSlots);
        }
        Objects.requireNonNull(scaleOut);
        Objects.requireNonNull(scaleIn);
    }
}
