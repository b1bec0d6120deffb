package dev.spillway.system;

import java.util.List;

/**
 * What the chaos did to each caller.
 *
 * @param failures in words; none if every caller was kept within the bounds
 */
record ChaosResult(long seed, int callers, List<BlowRow> blows, List<CallerRow> rows, List<String> failures) {
    /**
     * @param atSeconds since the first call
     * @param calls that the container had
     */
    record BlowRow(double atSeconds, String fault, String pool, int calls) {}

    /**
     * @param faults that hit the caller's container while the caller was on it
     * @param totalSilence seconds of all silences longer than one second
     * @param longestSilence in seconds
     * @param bearable how many seconds were allowed to the longest silence, by what had hit the caller then
     * @param cut utterances of the agent that something other than the caller ended in the middle
     * @param repeated answers that the caller had heard to their end before
     * @param greetedAgain greetings after the first
     * @param saidAgain how often the caller had to repeat something for want of an answer
     * @param wrongPersona utterances in another tenant's name
     */
    record CallerRow(
            int caller,
            String tenant,
            List<String> faults,
            int moves,
            double totalSilence,
            double longestSilence,
            double bearable,
            int cut,
            int repeated,
            int greetedAgain,
            int saidAgain,
            int wrongPersona,
            boolean dropped) {}

    ChaosResult {
        blows = List.copyOf(blows);
        rows = List.copyOf(rows);
        failures = List.copyOf(failures);
    }
}
