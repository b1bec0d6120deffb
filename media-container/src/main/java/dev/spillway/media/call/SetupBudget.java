package dev.spillway.media.call;

import java.time.Duration;

/**
 * How long the setup of a call may take here, from its request to its answer. Building the call's configuration (whose call
 * it is, how it is to be answered) may use all of it; waiting for the container that has a slot for it, with a claim or a
 * relay, only part of what is left then. When it is spent the answer is 503, and Twilio goes on with the fallback or the
 * continue URL.
 *
 * @param whole below Twilio's own 15 s for a webhook (FACTS, error 11205)
 * @param container at most this much of what is left
 */
public record SetupBudget(Duration whole, Duration container) {
    /** The figures of the design. They are real time in a rehearsal, too: a caller waits. */
    public static final SetupBudget STANDARD = new SetupBudget(Duration.ofSeconds(12), Duration.ofSeconds(5));

    public SetupBudget {
        if (container.isNegative() || container.isZero() || whole.compareTo(container) < 0) {
            throw new IllegalArgumentException("want some time for a container within " + whole + ", not " + container);
        }
    }

    /** A setup that begins now. */
    public Begun begin(long nowNanos) {
        return new Begun(this, nowNanos + whole.toNanos());
    }

    /**
     * One setup's budget.
     *
     * @param endNanos when it is spent, on the clock of {@link System#nanoTime()}
     */
    public record Begun(SetupBudget budget, long endNanos) {
        /** What may still be used for anything; zero once it is spent. */
        public Duration left(long nowNanos) {
            return Duration.ofNanos(Math.max(0, endNanos - nowNanos));
        }

        /** What may be used for a container from now on; zero once the whole is spent. */
        public Duration forContainer(long nowNanos) {
            Duration left = left(nowNanos);
            return left.compareTo(budget.container) < 0 ? left : budget.container;
        }

        public boolean isSpent(long nowNanos) {
            return endNanos - nowNanos <= 0;
        }
    }
}
