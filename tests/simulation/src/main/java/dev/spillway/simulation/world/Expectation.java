package dev.spillway.simulation.world;

/**
 * What a scenario's callers may expect: the less goes wrong, the more.
 *
 * @param drops whether it may come to that no URL answers a call
 * @param apologies whether anybody may hear the apology
 * @param cuts whether a load balancer may have to cut the streams of a task that ECS stops
 * @param silenceMicros how long whoever was not heard yet may wait for somebody to speak
 * @param silenceOfTalkersMicros how long nobody may speak to whoever was talking before
 */
record Expectation(boolean drops, boolean apologies, boolean cuts, long silenceMicros, long silenceOfTalkersMicros) {
    private static final long SECOND = 1_000_000;
    /** Nobody is on the phone that long without hearing anything, whatever goes wrong. */
    private static final long LONGEST_SILENCE = 600 * SECOND;

    /** Whoever calls while the first containers of all are starting waits for one of them. */
    private static final long FIRST_CONTAINERS = 20 * SECOND;
    /** Three seconds, and half of one between two looks. */
    private static final long AFTER_A_KILL = 3_500_000;
    /**
     * 30 s until it counts as silent, 3 s of wrong clocks, and up to 79 s until the next look: 20 s while a round's watch
     * lasts, but schedules fire anywhere within their minute, so that it may be over before the next round begins (decision
     * 0031).
     */
    private static final long AFTER_A_FREEZE = 120 * SECOND;

    /** Where anything may go wrong. */
    static final Expectation LITTLE = new Expectation(true, true, true, LONGEST_SILENCE, LONGEST_SILENCE);

    /** Where little goes wrong, the design's figures. */
    static Expectation of(Scenario scenario) {
        if (scenario.isCalm()) {
            return new Expectation(false, false, false, FIRST_CONTAINERS, AFTER_A_KILL);
        }
        return scenario.only()
                .map(trouble -> trouble == Scenario.Trouble.KILL_CONTAINER || trouble == Scenario.Trouble.RETIRE_TASK
                        ? new Expectation(false, false, false, FIRST_CONTAINERS, AFTER_A_KILL)
                        // A container that is gone without a word is believed to be there for half a minute: a call
                        // that is sent to it thrice hears the apology.
                        // And whose container is frozen when it should let him go is cut.
                        : new Expectation(false, true, true, AFTER_A_FREEZE, AFTER_A_FREEZE))
                .orElse(LITTLE);
    }
}
