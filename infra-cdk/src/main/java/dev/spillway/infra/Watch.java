package dev.spillway.infra;

import static dev.spillway.core.journal.Journal.Metric.ALERTS;
import static dev.spillway.core.journal.Journal.Metric.APOLOGIES;
import static dev.spillway.core.journal.Journal.Metric.REFUSALS;
import static dev.spillway.core.journal.Journal.Metric.SPARE_SLOTS;
import static dev.spillway.core.journal.Journal.Metric.ZOMBIES_FOUND;

import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.core.journal.Journal;
import dev.spillway.lambda.DeployedFunction;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awscdk.Duration;
import software.amazon.awscdk.services.cloudwatch.Alarm;
import software.amazon.awscdk.services.cloudwatch.CfnAlarm;
import software.amazon.awscdk.services.cloudwatch.ComparisonOperator;
import software.amazon.awscdk.services.cloudwatch.IAlarmAction;
import software.amazon.awscdk.services.cloudwatch.IMetric;
import software.amazon.awscdk.services.cloudwatch.Metric;
import software.amazon.awscdk.services.cloudwatch.TreatMissingData;
import software.amazon.awscdk.services.cloudwatch.actions.SnsAction;
import software.amazon.awscdk.services.iam.ServicePrincipal;
import software.amazon.awscdk.services.kms.Key;
import software.amazon.awscdk.services.sns.Topic;
import software.amazon.awscdk.services.sns.subscriptions.EmailSubscription;
import software.amazon.awscdk.services.sqs.Queue;
import software.constructs.Construct;

/** The alarms of what is shared. Each one's description ends with the address of its section in the runbook. */
final class Watch extends Construct {
    private static final int LEAST_SPARE_SLOTS = 3;

    /** Each of their errors is a caller's, whom Twilio tells that an application error has occurred. */
    private static final Set<DeployedFunction> CALLERS_WAIT_FOR = Route.ALL.stream()
            .filter(route -> !route.needsIam())
            .map(Route::function)
            .collect(Collectors.toUnmodifiableSet());

    private final Runbook runbook;
    private final Topic topic;

    Watch(
            Construct scope,
            String id,
            Names names,
            Runbook runbook,
            @Nullable String email,
            Map<DeployedFunction, SnapStartFunction> functions,
            DeadLetters letters) {
        super(scope, id);
        this.runbook = runbook;
        this.topic = topic(names, email);
        sum(names, "refusals", REFUSALS, "Callers heard the busy message");
        sum(names, "apologies", APOLOGIES, "Callers heard the apology");
        sum(names, "zombies", ZOMBIES_FOUND, "Containers were lost, or ran without their pool knowing");
        sum(names, "alerts", ALERTS, "Something has to be looked at: the log says which alert");
        alarm(
                "gateway-spare",
                "The gateway has hardly a free slot left, or nobody measures it",
                Metric.Builder.create()
                        .namespace(names.metrics())
                        .metricName(MetricNames.of(SPARE_SLOTS))
                        .dimensionsMap(Map.of(MetricNames.SERVICE, DeployedFunction.GATEWAY_SCALER.id()))
                        .statistic("Minimum")
                        .period(Duration.minutes(1))
                        .build(),
                LEAST_SPARE_SLOTS,
                ComparisonOperator.LESS_THAN_THRESHOLD,
                3,
                TreatMissingData.BREACHING);
        for (Queue queue : letters.all()) {
            alarm(
                    "dead-letters-" + queue.getNode().getId().toLowerCase(java.util.Locale.ROOT),
                    "dead-letters",
                    "Something could not be delivered, or failed to the end",
                    queue.metricApproximateNumberOfMessagesVisible(),
                    0,
                    ComparisonOperator.GREATER_THAN_THRESHOLD,
                    1,
                    TreatMissingData.NOT_BREACHING);
        }
        functions.forEach((deployed, function) -> alarm(
                "errors-" + deployed.id(),
                "function-errors",
                "Function " + deployed.id() + " fails",
                function.function()
                        .metricErrors(software.amazon.awscdk.services.cloudwatch.MetricOptions.builder()
                                .period(Duration.minutes(1))
                                .build()),
                0,
                ComparisonOperator.GREATER_THAN_THRESHOLD,
                CALLERS_WAIT_FOR.contains(deployed) ? 1 : 3,
                TreatMissingData.NOT_BREACHING));
        alarm(
                "fallback-throttled",
                "Callers found the fallback function at its limit, and nothing stands behind it",
                Objects.requireNonNull(functions.get(DeployedFunction.FALLBACK))
                        .function()
                        .metricThrottles(software.amazon.awscdk.services.cloudwatch.MetricOptions.builder()
                                .period(Duration.minutes(1))
                                .build()),
                0,
                ComparisonOperator.GREATER_THAN_THRESHOLD,
                1,
                TreatMissingData.NOT_BREACHING);
    }

    private Topic topic(Names names, @Nullable String email) {
        Key key = Key.Builder.create(this, "Key")
                .description("Encrypts the alarms' topic")
                .enableKeyRotation(true)
                .build();
        key.grantEncryptDecrypt(new ServicePrincipal("cloudwatch.amazonaws.com"));
        Topic made = Topic.Builder.create(this, "Topic")
                .topicName(names.deployment() + "-alarms")
                .masterKey(key)
                .enforceSsl(true)
                .build();
        if (email != null) {
            made.addSubscription(new EmailSubscription(email));
        }
        return made;
    }

    /** Over every function and tenant, whichever there are: a query, since no metric has the sum. */
    private void sum(Names names, String section, Journal.Metric metric, String what) {
        CfnAlarm.Builder.create(this, section)
                .alarmName(runbook.alarmName(section))
                .alarmDescription(runbook.describe(what, section))
                .metrics(List.of(CfnAlarm.MetricDataQueryProperty.builder()
                        .id("sum")
                        .expression("SELECT SUM(" + MetricNames.of(metric) + ") FROM \"" + names.metrics() + "\"")
                        .period(60)
                        .returnData(true)
                        .build()))
                .comparisonOperator("GreaterThanThreshold")
                .threshold(0)
                .evaluationPeriods(5)
                .datapointsToAlarm(1)
                .treatMissingData("notBreaching")
                .alarmActions(List.of(topic.getTopicArn()))
                .okActions(List.of(topic.getTopicArn()))
                .build();
    }

    private void alarm(
            String section,
            String what,
            IMetric metric,
            int threshold,
            ComparisonOperator comparison,
            int periods,
            TreatMissingData missing) {
        alarm(section, section, what, metric, threshold, comparison, periods, missing);
    }

    private void alarm(
            String id,
            String section,
            String what,
            IMetric metric,
            int threshold,
            ComparisonOperator comparison,
            int periods,
            TreatMissingData missing) {
        IAlarmAction tell = new SnsAction(topic);
        Alarm made = Alarm.Builder.create(this, id)
                .alarmName(runbook.alarmName(id))
                .alarmDescription(runbook.describe(what, section))
                .metric(metric)
                .threshold(threshold)
                .comparisonOperator(comparison)
                .evaluationPeriods(periods)
                .datapointsToAlarm(periods)
                .treatMissingData(missing)
                .build();
        made.addAlarmAction(tell);
        made.addOkAction(tell);
    }

    String topicArn() {
        return topic.getTopicArn();
    }
}
