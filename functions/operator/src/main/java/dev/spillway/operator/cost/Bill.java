package dev.spillway.operator.cost;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A month of a deployment, by service.
 *
 * @param lines what AWS bills
 * @param fees what tenants are billed for calls on the gateway: income, and no part of the sum
 */
public record Bill(List<Line> lines, double fees) {
    static final double DAYS = 30;
    static final double HOURS = 730;

    /** Of a month, too. */
    private static final double MINUTES = 60 * HOURS;

    private static final double MILLION = 1e6;

    /** Each tenant's counts as {@code DESIGN.md} has them: writes of a direct call, and of one that overflows. */
    private static final double DIRECT_WRITES = 5;

    private static final double OVERFLOW_WRITES = 12;
    private static final double OVERFLOW_READS = 20;

    /** Turns of a call after which the conversation is saved: one every ten seconds, a guess. */
    private static final double SAVES_PER_MINUTE = 6;

    /** Heartbeats: one every 10 s. */
    private static final double BEATS_PER_HOUR = 360;

    /** Functions that run every minute, and how long for each tenant. A guess. */
    private static final int SCHEDULES = 4;

    private static final double ROUND_SECONDS = 0.3;
    private static final double ROUND_SECONDS_PER_TENANT = 0.02;
    private static final double FUNCTION_GB = 1.73;

    /** Of each minute in which a call is up, the reconciler watches for silent containers so long (decision 31). */
    private static final double WATCH_SECONDS = 40;

    /** Functions for a call that overflows: fallback, continue, two scalers, hand-off, two notices. */
    private static final double INVOCATIONS_PER_OVERFLOW = 7;

    private static final double SECONDS_PER_INVOCATION = 0.08;

    /** Once a day each other function is invoked, so that its snapshot is kept. */
    private static final int DAILY = 15;

    /** Alarms of the shared stack; each tenant has one more. */
    private static final int ALARMS = 28;

    /** Gauges of each pool's slots, written every minute; each is one metric for each pool. */
    private static final int GAUGES = 6;

    /**
     * Metrics of a tenant that has calls: each pair of a function and what it counts is one. They are billed by the hour in
     * which they are written; here for all of them.
     */
    private static final int METRICS_OF_CALLS = 10;

    /** Log lines, in kB; guesses from local runs. */
    private static final double LOG_KB_PER_ROUND = 1.5;

    private static final double LOG_KB_PER_ROUND_AND_TENANT = 0.7;
    private static final double LOG_KB_PER_CALL = 10;
    private static final double LOG_KB_PER_OVERFLOW = 10;
    private static final double LOG_KB_PER_CONTAINER_HOUR = 60;
    private static final double KB_PER_GB = 1e6;

    /**
     * @param idle what of it is due even if nobody ever calls
     */
    public record Line(String service, String what, double monthly, double idle) {}

    public Bill {
        lines = List.copyOf(lines);
    }

    public double sum() {
        return lines.stream().mapToDouble(Line::monthly).sum();
    }

    public double idle() {
        return lines.stream().mapToDouble(Line::idle).sum();
    }

    public static Bill of(Demand demand, Prices prices) {
        Prices.Usd usd = prices.usd();
        List<Line> lines = new ArrayList<>();
        double onDemandHours = demand.onDemand() * demand.containerMinutesPerDay() / 60 * DAYS;
        double productionHours = demand.production() * 2 * HOURS;
        double gatewayHours = demand.gatewayContainers() * HOURS;
        lines.add(flowing("Fargate", "on-demand tenants", onDemandHours * prices.containerHour()));
        lines.add(standing(
                "Fargate", "production tenants, two containers each", productionHours * prices.containerHour()));
        lines.add(standing(
                "Fargate",
                "gateway, " + demand.gatewayContainers() + " containers",
                gatewayHours * prices.containerHour()));
        lines.add(new Line(
                "VPC",
                "a public address for each container",
                (onDemandHours + productionHours + gatewayHours) * usd.publicIpv4Hour(),
                (productionHours + gatewayHours) * usd.publicIpv4Hour()));
        lines.add(standing(
                "Load balancer",
                "one, two addresses, one capacity unit",
                HOURS * (usd.loadBalancerHour() + usd.loadBalancerLcuHour() + 2 * usd.publicIpv4Hour())));
        lines.add(lambda(demand, usd));
        lines.add(flowing(
                "Lambda",
                "the watch for silent containers, while calls are up",
                minutesWithCalls(demand) * WATCH_SECONDS * FUNCTION_GB * usd.lambdaArmGbSecond()));
        lines.add(flowing(
                "API Gateway",
                "webhooks",
                (demand.callsPerMonth() + 4 * demand.gatewayCallsPerMonth()) / MILLION * usd.httpApiMillionRequests()));
        lines.add(dynamo(demand, usd, onDemandHours, productionHours + gatewayHours));
        double events = demand.callsPerMonth() + 2 * demand.gatewayCallsPerMonth();
        lines.add(flowing("EventBridge", "announcements", events / MILLION * usd.eventsMillion()));
        double schedules = (SCHEDULES * MINUTES + DAILY * DAYS) / MILLION;
        lines.add(standing(
                "Scheduler",
                "four schedules every minute, " + DAILY + " a day; the first " + (int) usd.schedulerFreeMillions()
                        + " million are free",
                Math.max(0, schedules - usd.schedulerFreeMillions()) * usd.schedulerMillion()));
        lines.add(standing(
                "Secrets Manager",
                "two secrets for each tenant, and two",
                (2 * demand.tenants() + 2) * usd.secretMonth()));
        lines.add(standing("KMS", "two keys", 2 * usd.kmsKeyMonth()));
        lines.add(standing(
                "CloudWatch",
                "alarms, a dashboard, " + GAUGES + " gauges for each pool",
                (ALARMS + demand.tenants()) * usd.alarmMonth()
                        + usd.dashboardMonth()
                        + GAUGES * (demand.tenants() + 1) * usd.customMetricMonth()));
        lines.add(flowing(
                "CloudWatch",
                METRICS_OF_CALLS + " more metrics for each tenant with calls",
                demand.callsPerDay() > 0 ? METRICS_OF_CALLS * demand.tenants() * usd.customMetricMonth() : 0));
        lines.add(logs(demand, usd, onDemandHours, productionHours + gatewayHours));
        return new Bill(lines, demand.gatewayCallsPerMonth() * demand.gatewayFee());
    }

    private static Line lambda(Demand demand, Prices.Usd usd) {
        double rounds = SCHEDULES * MINUTES;
        double roundSeconds = rounds * (ROUND_SECONDS + demand.tenants() * ROUND_SECONDS_PER_TENANT);
        double idle =
                rounds / MILLION * usd.lambdaMillionRequests() + roundSeconds * FUNCTION_GB * usd.lambdaArmGbSecond();
        double invocations = demand.gatewayCallsPerMonth() * INVOCATIONS_PER_OVERFLOW + demand.callsPerMonth();
        double own = invocations / MILLION * usd.lambdaMillionRequests()
                + invocations * SECONDS_PER_INVOCATION * FUNCTION_GB * usd.lambdaArmGbSecond();
        return new Line("Lambda", "four rounds every minute, and calls", idle + own, idle);
    }

    /** In a month, at most: as if no two calls were up in the same minute, where they need not be. */
    private static double minutesWithCalls(Demand demand) {
        return Math.min(MINUTES, demand.callsPerMonth() * demand.minutes());
    }

    private static Line logs(Demand demand, Prices.Usd usd, double flowingHours, double standingHours) {
        double idle = SCHEDULES * MINUTES * (LOG_KB_PER_ROUND + demand.tenants() * LOG_KB_PER_ROUND_AND_TENANT)
                + standingHours * LOG_KB_PER_CONTAINER_HOUR;
        double own = demand.callsPerMonth() * LOG_KB_PER_CALL
                + demand.gatewayCallsPerMonth() * LOG_KB_PER_OVERFLOW
                + flowingHours * LOG_KB_PER_CONTAINER_HOUR;
        return new Line(
                "CloudWatch",
                "logs, of rounds, containers and calls",
                (idle + own) / KB_PER_GB * usd.logsGb(),
                idle / KB_PER_GB * usd.logsGb());
    }

    /** What AWS and others bill besides. */
    static List<String> leftOut(Prices prices) {
        return List.of(
                "Container Insights and the API's metrics for each route, which are billed as metrics; what the alarms' sums look at",
                "traffic out to the internet, about 1 MB for each minute of a call, and between zones",
                "the table's storage, its backups and its key's requests; the image's storage; access logs in S3",
                String.format(
                        Locale.ROOT,
                        "a NAT: there is none; two would be %.2f a month, and their traffic (decision 20)",
                        2 * HOURS * prices.usd().natHour()),
                String.format(
                        Locale.ROOT,
                        "interface endpoints: there are none; six in two zones would be %.2f a month",
                        2 * 6 * HOURS * prices.usd().interfaceEndpointHour()),
                "Twilio, and whoever the agents ask");
    }

    private static Line dynamo(Demand demand, Prices.Usd usd, double flowingHours, double standingHours) {
        double rounds = SCHEDULES * MINUTES;
        double watches = MINUTES * (demand.tenants() + 1);
        double idleReads = rounds * (1 + 4 * (demand.tenants() + 1)) + watches;
        double idleWrites = standingHours * BEATS_PER_HOUR;
        double saves = demand.callsPerMonth() * demand.minutes() * SAVES_PER_MINUTE;
        double writes = flowingHours * BEATS_PER_HOUR
                + demand.callsPerMonth() * DIRECT_WRITES
                + saves
                + demand.gatewayCallsPerMonth() * OVERFLOW_WRITES;
        double reads = demand.callsPerMonth() * 4 + demand.gatewayCallsPerMonth() * OVERFLOW_READS;
        double idle = idleReads / MILLION * usd.dynamoMillionReads() + idleWrites / MILLION * usd.dynamoMillionWrites();
        double own = reads / MILLION * usd.dynamoMillionReads() + writes / MILLION * usd.dynamoMillionWrites();
        return new Line("DynamoDB", "rounds and heartbeats, and calls", idle + own, idle);
    }

    private static Line flowing(String service, String what, double monthly) {
        return new Line(service, what, monthly, 0);
    }

    private static Line standing(String service, String what, double monthly) {
        return new Line(service, what, monthly, monthly);
    }
}
