package dev.spillway.infra;

import java.util.List;
import software.amazon.awscdk.Duration;
import software.amazon.awscdk.services.sqs.Queue;
import software.amazon.awscdk.services.sqs.QueueEncryption;
import software.constructs.Construct;

/** What could not be delivered, or failed to the end: kept for a fortnight, and an alarm each. */
final class DeadLetters extends Construct {
    private final Queue events;
    private final Queue schedules;
    private final Queue failures;

    DeadLetters(Construct scope, String id, Names names) {
        super(scope, id);
        this.events = queue("Events", names.deployment() + "-undelivered-events");
        this.schedules = queue("Schedules", names.deployment() + "-undelivered-schedules");
        this.failures = queue("Failures", names.deployment() + "-failed-events");
    }

    private Queue queue(String id, String name) {
        return Queue.Builder.create(this, id)
                .queueName(name)
                .encryption(QueueEncryption.SQS_MANAGED)
                .enforceSsl(true)
                .retentionPeriod(Duration.days(14))
                .build();
    }

    /** Events that EventBridge could not hand to a function. */
    Queue events() {
        return events;
    }

    Queue schedules() {
        return schedules;
    }

    /** Events that a function took and failed on. */
    Queue failures() {
        return failures;
    }

    List<Queue> all() {
        return List.of(events, schedules, failures);
    }
}
