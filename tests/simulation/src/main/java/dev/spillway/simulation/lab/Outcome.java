package dev.spillway.simulation.lab;

import java.util.List;

/**
 * What a run came to; the JSON's fields are these.
 *
 * @param calls that arrived
 * @param touchedGateway of them, those that were answered by the gateway
 * @param gatewaySeconds how long calls talked on the gateway, over all calls: those that never did with 0
 * @param refused callers who were told that everything is busy, or whom nobody answered
 * @param degraded calls that at any time shared a container with more calls than its limit
 * @param containerHours of the tenant's pool, from asking for a container to its exit
 * @param lowerBoundHours the least that anybody could pay who knew everything
 * @param peakContainers running at once
 * @param costUsd of the container hours: Fargate with one vCPU and 2 GB, and the public address
 */
record Outcome(
        int calls,
        int touchedGateway,
        Spread gatewaySeconds,
        int refused,
        int degraded,
        double containerHours,
        double lowerBoundHours,
        int peakContainers,
        double costUsd,
        List<Event> timeline) {

    record Spread(double mean, double p95, double max) {
        static Spread of(double[] seconds) {
            if (seconds.length == 0) {
                return new Spread(0, 0, 0);
            }
            double[] sorted = seconds.clone();
            java.util.Arrays.sort(sorted);
            double sum = 0;
            for (double one : sorted) {
                sum += one;
            }
            // The nearest rank: a value that was seen.
            return new Spread(
                    sum / sorted.length, sorted[(int) Math.ceil(0.95 * sorted.length) - 1], sorted[sorted.length - 1]);
        }
    }

    /** @param containers that take calls after it */
    record Event(double atSeconds, String event, int containers) {}

    Outcome {
        timeline = List.copyOf(timeline);
    }

    /** Container hours over the lower bound. */
    double ratio() {
        return lowerBoundHours == 0 ? 0 : containerHours / lowerBoundHours;
    }

    /** Of all calls, those that the gateway answered. */
    double touchedShare() {
        return (double) touchedGateway / calls;
    }
}
