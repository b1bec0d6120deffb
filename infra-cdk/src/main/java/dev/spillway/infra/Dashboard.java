package dev.spillway.infra;

import static dev.spillway.core.journal.Journal.Metric.ALERTS;
import static dev.spillway.core.journal.Journal.Metric.APOLOGIES;
import static dev.spillway.core.journal.Journal.Metric.COOLDOWN_SLOTS;
import static dev.spillway.core.journal.Journal.Metric.HAND_OFFS;
import static dev.spillway.core.journal.Journal.Metric.HOLDS;
import static dev.spillway.core.journal.Journal.Metric.HOLD_SECONDS;
import static dev.spillway.core.journal.Journal.Metric.LIVE_SLOTS;
import static dev.spillway.core.journal.Journal.Metric.OUTBOUND_WAIT_SECONDS;
import static dev.spillway.core.journal.Journal.Metric.OVERFLOWS;
import static dev.spillway.core.journal.Journal.Metric.READY_SLOTS;
import static dev.spillway.core.journal.Journal.Metric.REFUSALS;
import static dev.spillway.core.journal.Journal.Metric.RESERVED_SLOTS;
import static dev.spillway.core.journal.Journal.Metric.SCALE_DECISIONS;
import static dev.spillway.core.journal.Journal.Metric.SLOT_CEILING;
import static dev.spillway.core.journal.Journal.Metric.SLOT_REUSE_SECONDS;
import static dev.spillway.core.journal.Journal.Metric.SPARE_SLOTS;
import static dev.spillway.core.journal.Journal.Metric.USABLE_SLOTS;
import static dev.spillway.core.journal.Journal.Metric.ZOMBIES_FOUND;

import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.core.journal.Journal;
import dev.spillway.lambda.DeployedFunction;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awscdk.Duration;
import software.amazon.awscdk.services.cloudwatch.GraphWidget;
import software.amazon.awscdk.services.cloudwatch.IWidget;
import software.amazon.awscdk.services.cloudwatch.MathExpression;
import software.amazon.awscdk.services.cloudwatch.Metric;
import software.amazon.awscdk.services.cloudwatch.TextWidget;
import software.constructs.Construct;

/** One page: callers first, then the gateway, then the machinery. Tenants appear in it by themselves. */
final class Dashboard extends Construct {
    private static final int WIDTH = 12;

    Dashboard(Construct scope, String id, Names names, Runbook runbook, String loadBalancer, String apiId) {
        super(scope, id);
        software.amazon.awscdk.services.cloudwatch.Dashboard.Builder.create(this, "Page")
                .dashboardName(names.deployment())
                .defaultInterval(Duration.hours(3))
                .widgets(List.of(
                        List.<IWidget>of(TextWidget.Builder.create()
                                .markdown("**Callers** come first. What to do about an alarm: [runbook]("
                                        + runbook.url() + ")")
                                .width(2 * WIDTH)
                                .height(1)
                                .build()),
                        List.of(
                                ours(names, "Refusals, apologies, alerts", "Sum", REFUSALS, APOLOGIES, ALERTS),
                                ours(names, "Overflows, holds, hand-offs", "Sum", OVERFLOWS, HOLDS, HAND_OFFS)),
                        List.of(ours(names, "Seconds on the gateway, p95", "p95", HOLD_SECONDS), spare(names)),
                        List.of(
                                ours(
                                        names,
                                        "Slots of each pool",
                                        "Maximum",
                                        LIVE_SLOTS,
                                        RESERVED_SLOTS,
                                        COOLDOWN_SLOTS,
                                        READY_SLOTS,
                                        USABLE_SLOTS,
                                        SLOT_CEILING),
                                ours(
                                        names,
                                        "Seconds that jobs waited, and that slots were free between two calls, p95",
                                        "p95",
                                        OUTBOUND_WAIT_SECONDS,
                                        SLOT_REUSE_SECONDS)),
                        List.of(
                                ours(names, "Scale decisions", "Sum", SCALE_DECISIONS),
                                ours(names, "Zombies", "Sum", ZOMBIES_FOUND)),
                        List.of(
                                search(
                                        "Function errors",
                                        "Sum",
                                        "{AWS/Lambda,FunctionName} MetricName=\"Errors\" \"" + names.deployment()
                                                + "-\""),
                                search(
                                        "Function durations, p99",
                                        "p99",
                                        "{AWS/Lambda,FunctionName} MetricName=\"Duration\" \"" + names.deployment()
                                                + "-\"")),
                        List.of(
                                balancer(
                                        "Load balancer: 5xx",
                                        loadBalancer,
                                        "HTTPCode_ELB_5XX_Count",
                                        "HTTPCode_Target_5XX_Count"),
                                GraphWidget.Builder.create()
                                        .title("HTTP API: requests and errors")
                                        .width(WIDTH)
                                        .left(List.of(api(apiId, "Count"), api(apiId, "4xx"), api(apiId, "5xx")))
                                        .build())))
                .build();
    }

    /** What is about one tenant, and what is not. */
    private static GraphWidget ours(Names names, String title, String statistic, Journal.Metric... metrics) {
        String searched = Arrays.stream(metrics)
                .map(metric -> "\"" + MetricNames.of(metric) + "\"")
                .collect(Collectors.joining(" OR "));
        return search(
                title,
                statistic,
                Stream.of("," + MetricNames.TENANT, "")
                        .map(tenant -> "{\"" + names.metrics() + "\"," + MetricNames.SERVICE + tenant + "} MetricName=("
                                + searched + ")")
                        .toArray(String[]::new));
    }

    private static GraphWidget search(String title, String statistic, String... queries) {
        return GraphWidget.Builder.create()
                .title(title)
                .width(WIDTH)
                .left(Arrays.stream(queries)
                        .map(query -> MathExpression.Builder.create()
                                .expression("SEARCH('" + query + "', '" + statistic + "')")
                                .label("")
                                .period(Duration.minutes(1))
                                .usingMetrics(Map.of())
                                .build())
                        .toList())
                .build();
    }

    private static GraphWidget spare(Names names) {
        return GraphWidget.Builder.create()
                .title("Free slots of the gateway")
                .width(WIDTH)
                .left(List.of(Metric.Builder.create()
                        .namespace(names.metrics())
                        .metricName(MetricNames.of(SPARE_SLOTS))
                        .dimensionsMap(Map.of(MetricNames.SERVICE, DeployedFunction.GATEWAY_SCALER.id()))
                        .statistic("Minimum")
                        .period(Duration.minutes(1))
                        .build()))
                .build();
    }

    private static GraphWidget balancer(String title, String fullName, String... metrics) {
        return GraphWidget.Builder.create()
                .title(title)
                .width(WIDTH)
                .left(Arrays.stream(metrics)
                        .map(metric -> Metric.Builder.create()
                                .namespace("AWS/ApplicationELB")
                                .metricName(metric)
                                .dimensionsMap(Map.of("LoadBalancer", fullName))
                                .statistic("Sum")
                                .period(Duration.minutes(1))
                                .build())
                        .toList())
                .build();
    }

    private static Metric api(String id, String metric) {
        return Metric.Builder.create()
                .namespace("AWS/ApiGateway")
                .metricName(metric)
                .dimensionsMap(Map.of("ApiId", id))
                .statistic("Sum")
                .period(Duration.minutes(1))
                .build();
    }
}
