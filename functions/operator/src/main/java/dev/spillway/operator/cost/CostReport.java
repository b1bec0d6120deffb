package dev.spillway.operator.cost;

import java.io.PrintWriter;
import java.util.Locale;

/** Prints a bill, and the first text's comparison beside it. */
final class CostReport {
    private CostReport() {}

    static void print(Demand demand, Prices prices, PrintWriter out) {
        Bill bill = Bill.of(demand, prices);
        out.printf(
                Locale.ROOT,
                "A month of %d on-demand and %d production tenants, %.0f calls of %.1f minutes a day each (US dollars)%n",
                demand.onDemand(),
                demand.production(),
                demand.callsPerDay(),
                demand.minutes());
        out.printf(Locale.ROOT, "Prices of %s, %s: %s.%n%n", prices.asOf(), prices.region(), prices.source());
        out.printf(Locale.ROOT, "%-16s %-70s %10s %12s%n", "service", "what", "a month", "of it idle");
        for (Bill.Line line : bill.lines()) {
            out.printf(
                    Locale.ROOT,
                    "%-16s %-70s %10.2f %12.2f%n",
                    line.service(),
                    line.what(),
                    line.monthly(),
                    line.idle());
        }
        out.printf(Locale.ROOT, "%-16s %-70s %10.2f %12.2f%n", "sum", "", bill.sum(), bill.idle());
        out.printf(
                Locale.ROOT,
                "%nThe gateway's floor is in it: %d containers that always run. Tenants are billed %.2f for each call on it,"
                        + " %.2f a month together.%n",
                demand.gatewayContainers(),
                demand.gatewayFee(),
                bill.fees());
        out.printf(
                Locale.ROOT,
                "An on-demand tenant's container runs %.0f minutes a day: %.0f of calls and %.0f idle windows of %.0f.%n%n",
                demand.containerMinutesPerDay(),
                demand.callsPerDay() * demand.minutes(),
                demand.idleWindows(),
                demand.idleMinutes());
        out.println("Not in it:");
        Bill.leftOut(prices).forEach(what -> out.println("  " + what));
        out.println();
        compare(demand, prices, out);
    }

    private static void compare(Demand demand, Prices prices, PrintWriter out) {
        Comparison text = Comparison.of(demand.callsPerDay(), demand.minutes(), demand.gatewayFee(), prices);
        out.println("The first text's comparison for one tenant, Fargate alone:");
        out.printf(Locale.ROOT, "  a container that always runs            %8.2f a month%n", text.alwaysOn());
        out.printf(
                Locale.ROOT,
                "  per call, one idle window a day         %8.2f a month, %.0f minutes a day; gateway fees %.2f to %.2f (2 to 3 calls a day)%n",
                text.shared(),
                text.sharedMinutes(),
                text.leastFees(),
                text.mostFees());
        out.printf(
                Locale.ROOT,
                "  per call, each call by itself           %8.2f a month, %.0f minutes a day; gateway fees %.2f (every call wakes it)%n",
                text.isolated(),
                text.isolatedMinutes(),
                text.isolatedFees());
        out.println(
                "The text counts 40 minutes a day for ten calls of three: that assumes that they share one idle window."
                        + " Ten calls that are alone take 130.");
    }
}
