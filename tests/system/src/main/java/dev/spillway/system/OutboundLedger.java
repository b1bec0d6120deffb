package dev.spillway.system;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.system.OutboundDemoResult.Identity;
import java.util.ArrayList;
import java.util.List;

/**
 * What the demo of calls out holds against the system: the looks that were taken at the attempts and at the reserve, and
 * what they say in the end.
 */
final class OutboundLedger {
    private final int jobs;
    private final int callers;
    private final int limit;
    private final int reserve;
    private Identity identity = new Identity(0, 0, 0);
    private int looks;
    private int brokenLooks;
    private int reserveLooks;
    private int brokenReserves;
    private int mostCallsOut;

    /**
     * @param jobs that are handed in
     * @param callers that come in all
     * @param limit calls out at once, at most
     * @param reserve slots that no dial may take
     */
    OutboundLedger(int jobs, int callers, int limit, int reserve) {
        this.jobs = jobs;
        this.callers = callers;
        this.limit = limit;
        this.reserve = reserve;
    }

    /**
     * The identity, as the summary of the attempts has it at this instant; every job has to be in it, and to be found by
     * itself. So has every caller who heard an agent before, and there are no more than have called: whoever has just come may
     * not be there yet.
     *
     * @param found jobs that {@code GET /calls/{id}} knows
     */
    void look(JsonNode summary, int found, long heard, long called) {
        int terminals = 0;
        for (JsonNode outcome : summary.path("outcomes")) {
            terminals += outcome.asInt();
        }
        identity = new Identity(
                summary.path("offered").asInt(), terminals, summary.path("open").asInt());
        looks++;
        int inbound = summary.path("inbound").path("offered").asInt();
        if (!identity.holds()
                || inbound < heard
                || inbound > called
                || summary.path("outbound").path("offered").asInt() != jobs
                || found != jobs) {
            brokenLooks++;
        }
    }

    /**
     * When Twilio is asked to dial.
     *
     * @param free slots that are free then
     * @param takenSince of those that are not, what callers took after the dial's own claim
     */
    synchronized void dialled(int free, long takenSince) {
        reserveLooks++;
        if (free + takenSince < reserve) {
            brokenReserves++;
        }
    }

    void callsOut(int now) {
        mostCallsOut = Math.max(mostCallsOut, now);
    }

    Identity identity() {
        return identity;
    }

    int looks() {
        return looks;
    }

    synchronized int brokenReserves() {
        return brokenReserves;
    }

    int mostCallsOut() {
        return mostCallsOut;
    }

    /** Why the run failed; nothing if all went as it should. */
    synchronized List<String> failures(int jobsEnded, int callersRefused, int callersAnswered) {
        List<String> failures = new ArrayList<>();
        if (looks == 0 || brokenLooks > 0 || !identity.holds() || identity.offered() != jobs + callers) {
            failures.add("the identity failed at " + brokenLooks + " of " + looks + " looks, and at last: " + identity
                    + " of " + (jobs + callers) + " that were handed in");
        }
        if (brokenReserves > 0 || reserveLooks == 0) {
            failures.add(brokenReserves + " of " + reserveLooks
                    + " dials that were looked at went into the slots reserved for callers");
        }
        if (mostCallsOut > limit) {
            failures.add(mostCallsOut + " calls out at once, and " + limit + " are allowed");
        }
        if (callersRefused > 0) {
            failures.add(callersRefused + " callers were refused");
        }
        if (callersAnswered < callers) {
            failures.add((callers - callersAnswered) + " callers heard no agent");
        }
        if (jobsEnded < jobs || identity.open() > 0) {
            failures.add(
                    (jobs - jobsEnded) + " jobs did not end in time, and " + identity.open() + " attempts are open");
        }
        return failures;
    }
}
