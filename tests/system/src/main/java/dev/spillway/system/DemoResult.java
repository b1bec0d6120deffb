package dev.spillway.system;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything the demo measured. Times of the schedule ({@code timeline}, {@code gatewaySeconds}) are unscaled, as in the
 * text: seconds of this run times its speed. What callers hear (latency, silence, first audio) is real time.
 *
 * @param answered calls that heard an agent
 * @param refused calls that were told that everything is busy, or got an apology
 * @param dropped calls that ended before the caller hung up
 * @param wrongPersona utterances of an agent of another tenant
 * @param cutUtterances of agents that ended before their end, though the caller had neither interrupted nor hung up
 * @param handOffGapMs from the last frame of one container to the first sound of the next, without Twilio's webhook
 * @param ghostConnections connections that a stand-in still counted although their process was gone
 * @param failures why the exit code is 1; empty if it is 0
 */
record DemoResult(
        double speed,
        int thinkMillis,
        int calls,
        int answered,
        int refused,
        int dropped,
        int wrongPersona,
        int cutUtterances,
        double longestSilenceSeconds,
        int peakContainers,
        int finalContainers,
        Latency baselineLatencyMs,
        Latency responseLatencyMs,
        int answersOver800Ms,
        int answersOver1000Ms,
        Spread firstAudioMs,
        int handOffs,
        Spread handOffGapMs,
        Spread gatewaySeconds,
        Spread gatewaySecondsAsRun,
        List<TimelineRow> timeline,
        List<RetirementRow> walkToZero,
        List<CallRow> perCall,
        List<String> ghostConnections,
        List<String> failures) {

    record Latency(int samples, long avg, long p50, long p90) {}

    record Spread(double mean, double p95, double max) {}

    record TimelineRow(double atSeconds, String event, int containers, int activeCalls) {}

    record RetirementRow(double atSeconds, int from, int to) {}

    record Gap(double atSeconds, double seconds) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record CallRow(
            int number,
            double arrivedAtSeconds,
            @Nullable Long firstAudioMs,
            double gatewaySeconds,
            int moves,
            int answers,
            List<Long> handOffGapsMs,
            double longestSilenceSeconds,
            List<Gap> gapsOverOneSecond,
            String end) {}
}
