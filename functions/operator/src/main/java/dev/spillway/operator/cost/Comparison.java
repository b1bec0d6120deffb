package dev.spillway.operator.cost;

/**
 * The first text's comparison for one tenant: a container that always runs against one that runs for calls. Ten calls of
 * three minutes a day are 30 minutes; the text's 40 add one idle window of ten minutes, which all calls of the day share.
 *
 * @param alwaysOn a container around the clock
 * @param shared per call, with one idle window a day
 * @param isolated per call, with an idle window after every call
 * @param leastFees a month's fees for two gateway calls a day
 * @param mostFees for three
 * @param isolatedFees if every call wakes the container
 */
public record Comparison(
        double alwaysOn,
        double sharedMinutes,
        double shared,
        double isolatedMinutes,
        double isolated,
        double leastFees,
        double mostFees,
        double isolatedFees) {
    /** The text expects two or three of ten calls there: the first of the day, and those during a launch. */
    private static final double FEWEST_GATEWAY_CALLS = 2;

    private static final double MOST_GATEWAY_CALLS = 3;

    public static Comparison of(double callsPerDay, double minutes, double gatewayFee, Prices prices) {
        double hour = prices.containerHour();
        double sharedMinutes = callsPerDay * minutes + Demand.IDLE_MINUTES;
        double isolatedMinutes = callsPerDay * (minutes + Demand.IDLE_MINUTES);
        return new Comparison(
                hour * Bill.HOURS,
                sharedMinutes,
                sharedMinutes / 60 * Bill.DAYS * hour,
                isolatedMinutes,
                isolatedMinutes / 60 * Bill.DAYS * hour,
                FEWEST_GATEWAY_CALLS * gatewayFee * Bill.DAYS,
                MOST_GATEWAY_CALLS * gatewayFee * Bill.DAYS,
                callsPerDay * gatewayFee * Bill.DAYS);
    }
}
