package dev.spillway.infra;

import dev.spillway.lambda.DailyCall;
import dev.spillway.lambda.DeployedFunction;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import software.amazon.awscdk.Duration;
import software.amazon.awscdk.services.events.Archive;
import software.amazon.awscdk.services.events.EventBus;
import software.amazon.awscdk.services.events.EventPattern;
import software.amazon.awscdk.services.events.Rule;
import software.amazon.awscdk.services.events.targets.LambdaFunction;
import software.amazon.awscdk.services.lambda.IFunction;
import software.amazon.awscdk.services.scheduler.Schedule;
import software.amazon.awscdk.services.scheduler.ScheduleExpression;
import software.amazon.awscdk.services.scheduler.ScheduleTargetInput;
import software.amazon.awscdk.services.scheduler.targets.LambdaInvoke;
import software.amazon.awscdk.services.sqs.Queue;
import software.constructs.Construct;

/** What invokes functions besides HTTP: our own events, those of ECS, and the clock. What cannot be delivered is kept. */
final class Triggers extends Construct {
    Triggers(
            Construct scope,
            String id,
            Names names,
            EventBus bus,
            String cluster,
            Map<DeployedFunction, SnapStartFunction> functions,
            DeadLetters letters) {
        super(scope, id);
        Archive.Builder.create(this, "Archive")
                .sourceEventBus(bus)
                .archiveName(names.deployment())
                .description("Every announcement of the last month, to be replayed or read")
                .eventPattern(EventPattern.builder().source(List.of("spillway")).build())
                .retention(Duration.days(30))
                .build();
        for (DeployedFunction deployed : DeployedFunction.values()) {
            IFunction function = Objects.requireNonNull(functions.get(deployed)).alias();
            if (!deployed.announcements().isEmpty()) {
                Rule.Builder.create(this, deployed.id() + "-announced")
                        .ruleName(names.function(deployed.id()))
                        .eventBus(bus)
                        .eventPattern(EventPattern.builder()
                                .source(List.of("spillway"))
                                .detailType(deployed.announcements())
                                .build())
                        .targets(List.of(target(function, letters.events())))
                        .build();
            }
            if (deployed.everyMinute()) {
                schedule(names, deployed, "minute", Duration.minutes(1), DailyCall.SCHEDULED, function, letters);
            } else {
                schedule(names, deployed, "day", Duration.days(1), DailyCall.of(deployed), function, letters);
            }
        }
        Rule.Builder.create(this, "tasks")
                .ruleName(names.function("tasks"))
                .description("Tasks of the deployment's cluster that stop or have stopped; ECS RUNNING is not ready")
                .eventPattern(EventPattern.builder()
                        .source(List.of("aws.ecs"))
                        .detailType(List.of("ECS Task State Change"))
                        .detail(Map.of(
                                "clusterArn",
                                List.of(Arns.of(this, "ecs", "cluster/" + cluster)),
                                "lastStatus",
                                List.of("DEACTIVATING", "STOPPED")))
                        .build())
                .targets(List.of(target(
                        Objects.requireNonNull(functions.get(DeployedFunction.ZOMBIE_RECONCILER))
                                .alias(),
                        letters.events())))
                .build();
    }

    private static LambdaFunction target(IFunction function, Queue letters) {
        return LambdaFunction.Builder.create(function)
                .retryAttempts(8)
                .maxEventAge(Duration.hours(1))
                .deadLetterQueue(letters)
                .build();
    }

    private void schedule(
            Names names,
            DeployedFunction deployed,
            String every,
            Duration apart,
            Map<String, Object> input,
            IFunction function,
            DeadLetters letters) {
        Schedule.Builder.create(this, deployed.id() + "-every-" + every)
                .scheduleName(names.function(deployed.id()))
                .schedule(ScheduleExpression.rate(apart))
                .target(LambdaInvoke.Builder.create(function)
                        .input(ScheduleTargetInput.fromObject(input))
                        // The next time asks the same again: what failed twice is better told than repeated.
                        .retryAttempts(2)
                        .maxEventAge(Duration.minutes(5))
                        .deadLetterQueue(letters.schedules())
                        .build())
                .build();
    }
}
