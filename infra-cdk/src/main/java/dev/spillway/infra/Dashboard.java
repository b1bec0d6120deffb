package dev.spillway.infra;

import java.util.List;
import java.util.Map;
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
                                ours("Refusals and apologies", "Refusals\" OR \"Apologies", "Sum"),
                                ours("Overflows, holds, hand-offs", "Overflows\" OR \"Holds\" OR \"HandOffs", "Sum")),
                        List.of(ours("Seconds on the gateway, p95", "HoldSeconds", "p95"), spare()),
                        List.of(
                                ours("Scale decisions", "ScaleDecisions", "Sum"),
                                ours("Zombies", "ZombiesFound", "Sum")),
                        List.of(
                                search(
                                        "Function errors",
                                        "{AWS/Lambda,FunctionName} MetricName=\"Errors\" \"" + names.deployment()
                                                + "-\"",
                                        "Sum"),
                                search(
                                        "Function durations, p99",
                                        "{AWS/Lambda,FunctionName} MetricName=\"Duration\" \"" + names.deployment()
                                                + "-\"",
                                        "p99")),
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

    private static GraphWidget ours(String title, String metrics, String statistic) {
        return search(title, "{" + Watch.NAMESPACE + ",service,tenant} MetricName=(\"" + metrics + "\")", statistic);
    }

    private static GraphWidget search(String title, String query, String statistic) {
        return GraphWidget.Builder.create()
                .title(title)
                .width(WIDTH)
                .left(List.of(MathExpression.Builder.create()
                        .expression("SEARCH('" + query + "', '" + statistic + "')")
                        .label("")
                        .period(Duration.minutes(1))
                        .usingMetrics(Map.of())
                        .build()))
                .build();
    }

    private static GraphWidget spare() {
        return GraphWidget.Builder.create()
                .title("Free slots of the gateway")
                .width(WIDTH)
                .left(List.of(Metric.Builder.create()
                        .namespace(Watch.NAMESPACE)
                        .metricName("SpareSlots")
                        .dimensionsMap(Map.of("service", "gateway-scaler"))
                        .statistic("Minimum")
                        .period(Duration.minutes(1))
                        .build()))
                .build();
    }

    private static GraphWidget balancer(String title, String fullName, String... metrics) {
        return GraphWidget.Builder.create()
                .title(title)
                .width(WIDTH)
                .left(java.util.Arrays.stream(metrics)
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
