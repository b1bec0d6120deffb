package dev.spillway.simulation.world;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What came of one run.
 *
 * @param fired names of the faults that happened
 * @param seconds of virtual time
 * @param trace empty unless it was asked for
 * @param tally how the attempts ended
 * @param longestSilence seconds in which somebody who had been talking heard nobody
 */
record Outcome(
        Scenario scenario,
        Optional<Violation> violation,
        List<String> fired,
        long steps,
        long writes,
        long seconds,
        List<String> trace,
        long hash,
        Map<String, Integer> tally,
        long longestSilence) {}
