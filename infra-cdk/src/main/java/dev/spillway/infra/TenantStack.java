package dev.spillway.infra;

import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.core.journal.Journal.Metric;
import java.util.List;
import software.amazon.awscdk.CfnOutput;
import software.amazon.awscdk.Stack;
import software.amazon.awscdk.StackProps;
import software.amazon.awscdk.services.cloudwatch.CfnAlarm;
import software.constructs.Construct;

/** One tenant: its pool, its secret and its alarm. It is deployed and removed by itself. */
final class TenantStack extends Stack {
    /** The first text calls 60-90 s usual for a cold start; twice that is not. */
    private static final int LONGEST_HOLD_SECONDS = 180;

    TenantStack(Construct scope, Deployment deployment, TenantPlan plan, Artifacts artifacts, StackProps props) {
        super(scope, deployment.names().stack(plan.pool()), props);
        Names names = deployment.names();
        boolean publicAddresses =
                deployment.using().vpc() == null || deployment.using().vpc().hasPublicAddresses();
        Secrets.twilio(this, names, plan);
        new PoolService(
                this,
                "Pool",
                names,
                SharedStack.imported(names, publicAddresses),
                new PoolService.Plan(
                        plan.pool(),
                        plan.containerCpu(),
                        plan.containerMemory(),
                        plan.rulePriority(),
                        plan.description(names),
                        plan.botContainer()),
                artifacts.image(deployment.image()));
        holdTime(names, new Runbook(names.deployment(), deployment.runbookUrl()), plan);
        CfnOutput.Builder.create(this, "VoiceUrl")
                .value(names.voiceUrl(plan.pool()))
                .description("The primary URL of the tenant's numbers")
                .build();
        CfnOutput.Builder.create(this, "FallbackUrl")
                .value(names.publicUrl() + "/twilio/fallback/" + plan.id())
                .description("The fallback URL of the tenant's numbers")
                .build();
    }

    private void holdTime(Names names, Runbook runbook, TenantPlan plan) {
        CfnAlarm.Builder.create(this, "HoldTime")
                .alarmName(runbook.alarmName("hold-time-" + plan.id()))
                .alarmDescription(
                        runbook.describe("Callers of " + plan.id() + " stay on the gateway for too long", "hold-time"))
                .namespace(names.metrics())
                .metricName(MetricNames.of(Metric.HOLD_SECONDS))
                .dimensions(List.of(
                        dimension(MetricNames.SERVICE, MetricNames.HELD_CALLS),
                        dimension(MetricNames.TENANT, plan.id())))
                .extendedStatistic("p95")
                .period(300)
                .evaluationPeriods(1)
                .threshold(LONGEST_HOLD_SECONDS)
                .comparisonOperator("GreaterThanThreshold")
                .treatMissingData("notBreaching")
                .alarmActions(List.of(SharedStack.imported(names, "Alarms")))
                .build();
    }

    private static CfnAlarm.DimensionProperty dimension(String name, String value) {
        return CfnAlarm.DimensionProperty.builder().name(name).value(value).build();
    }
}
