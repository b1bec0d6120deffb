package dev.spillway.simulation.lab;

import dev.spillway.core.Timing;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.Backlog;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.core.scaling.ScaleOut;
import dev.spillway.core.scaling.Tuning;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** What sizes the pool: rules of the core, or a rival. */
sealed interface Contender {
    String name();

    /** What it is and where its figures come from, in one line. */
    String about();

    /** The core's own decisions, asked at the moments at which the deployed functions ask them. */
    record Rules(String name, String about, ScaleOutRule out, ScaleInRule in, Tuning tuning, Asking asking)
            implements Contender {

        Rules named(String other) {
            return new Rules(other, about, out, in, tuning, asking);
        }

        ScaleOut grow(PoolView view, int waiting, boolean refused, Timing timing, Instant now) {
            return ScaleOut.plan(view, waiting, Backlog.Work.NONE, refused, tuning, timing, now);
        }

        ScaleIn shrink(PoolView view, int held, Timing timing, Instant now) {
            return ScaleIn.plan(view, held, Backlog.Work.NONE, tuning, timing, now);
        }
    }

    /**
     * When the rules are asked beyond an overflow and a hand-off that leaves calls waiting, which always ask.
     *
     * @param everyRound scale-out too is asked at every round
     * @param onFull scale-out is asked when a container has taken its last slot
     * @param undrainForCaller a caller for whom no slot is free takes one of a container that is being drained, which thereby
     *     comes back
     */
    record Asking(boolean everyRound, boolean onFull, boolean undrainForCaller) {
        static final Asking OVERFLOW_ONLY = new Asking(false, false, false);

        /** As the functions do for a pool with the rule {@code ahead}. */
        static final Asking AHEAD = new Asking(true, true, false);
    }

    /**
     * Another system's rule; each run gets a fresh one, since such rules remember what they saw.
     *
     * @param countsCalls whether a container takes no more calls than its limit
     * @param packs whether a call goes to the fullest container that has room, and not to the emptiest
     */
    record Rival(
            String name,
            String about,
            boolean countsCalls,
            boolean packs,
            int minimum,
            Duration every,
            Supplier<Rule> rule)
            implements Contender {

        @FunctionalInterface
        interface Rule {
            /** How many containers there should be now, without those that are leaving. */
            int wanted(Look look);
        }
    }

    /**
     * What a rival sees.
     *
     * @param millis since the start
     * @param ready containers that take calls
     * @param starting asked for, not ready
     * @param empty of the ready ones
     * @param calls in the containers, and {@code held} on the gateway
     */
    record Look(long millis, int ready, int starting, int empty, int calls, int held) {}
}
