package dev.spillway.adapters.dynamodb;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobState;
import dev.spillway.core.outbound.JobState.Dial;
import dev.spillway.core.outbound.Jobs.Submission;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Jobs and submissions as items. A job's is listed as an attempt; see {@link StoryCodec}. */
final class JobCodec {
    private static final long VERSION = 1;

    /** As calls are kept (DESIGN.md, "The table"). */
    private static final Duration KEPT = Duration.ofDays(30);

    /** Longer than anybody repeats a request; a guess. */
    private static final Duration SUBMISSION_KEPT = Duration.ofDays(2);

    private JobCodec() {}

    static Map<String, AttributeValue> encode(Job job) {
        Map<String, AttributeValue> item = new HashMap<>();
        item.put("version", Attributes.of(VERSION));
        item.put("tenant", Attributes.of(job.tenant().value()));
        StoryCodec.encode(job.attempt(), item);
        item.put("to", Attributes.of(job.to()));
        item.put("from", Attributes.of(job.from()));
        item.put("agent", Attributes.of(job.agent()));
        item.put("batch", Attributes.of(job.batch().name()));
        item.put("weight", Attributes.of(job.batch().weight()));
        item.put("notBeforeMillis", Attributes.millis(job.notBefore()));
        item.put("deadlineMillis", Attributes.millis(job.deadline()));
        item.put("maximumWaitMillis", Attributes.of(job.maximumWait().toMillis()));
        item.put("cancelRequested", Attributes.of(job.cancelRequested()));
        item.put("state", Attributes.of(encode(job.state())));
        item.put("tries", Attributes.of(job.tries()));
        job.state().callSid().ifPresent(call -> item.put("callSid", Attributes.of(call.value())));
        if (job.state() instanceof JobState.Ended ended) {
            item.put("outcome", Attributes.of(ended.outcome().text()));
        }
        item.put("jobVersion", Attributes.of(job.version()));
        item.put("expiresAt", Attributes.of(job.deadline().plus(KEPT).getEpochSecond()));
        return item;
    }

    static Job decode(Item item) {
        return new Job(
                jobId(item.text(StoryCodec.JOB)),
                item.text("to"),
                item.text("from"),
                item.text("agent"),
                new Job.Batch(item.text("batch"), item.smallNumber("weight")),
                item.instant("notBeforeMillis"),
                item.instant("deadlineMillis"),
                Duration.ofMillis(item.number("maximumWaitMillis")),
                item.instant("arrivedAtMillis"),
                item.flag("cancelRequested"),
                decodeState(item.map("state")),
                item.smallNumber("tries"),
                StoryCodec.decode(item),
                item.number("jobVersion"));
    }

    private static Map<String, AttributeValue> encode(JobState state) {
        Map<String, AttributeValue> map = new HashMap<>();
        map.put("kind", Attributes.of(state.text()));
        state.lastDial().ifPresent(dial -> {
            map.put("container", Attributes.of(dial.container().value()));
            map.put("generation", Attributes.of(dial.generation().toString()));
            map.put("dialAtMillis", Attributes.millis(dial.at()));
        });
        state.callSid().ifPresent(call -> map.put("call", Attributes.of(call.value())));
        switch (state) {
            case JobState.Waiting waiting -> map.put("nextTryAtMillis", Attributes.millis(waiting.nextTryAt()));
            case JobState.Ended ended -> {
                map.put("outcome", Attributes.of(ended.outcome().text()));
                map.put("endedAtMillis", Attributes.millis(ended.at()));
            }
            case JobState.Dialling dialling -> {}
            case JobState.DialUnknown unknown -> {}
            case JobState.Dialled dialled -> {}
        }
        return map;
    }

    private static JobState decodeState(Item map) {
        String kind = map.text("kind");
        return switch (kind) {
            case "waiting" -> new JobState.Waiting(map.instant("nextTryAtMillis"));
            case "dialling" -> new JobState.Dialling(dial(map));
            case "dial-unknown" -> new JobState.DialUnknown(dial(map));
            case "dialled" -> new JobState.Dialled(dial(map), new CallSid(map.text("call")));
            case "ended" -> {
                @Nullable Dial dial = map.optionalText("container").isPresent() ? dial(map) : null;
                @Nullable
                CallSid call = map.optionalText("call").map(CallSid::new).orElse(null);
                yield new JobState.Ended(Outcome.of(map.text("outcome")), map.instant("endedAtMillis"), dial, call);
            }
            default -> throw new IllegalArgumentException(map.name() + " has the unknown kind " + kind);
        };
    }

    private static Dial dial(Item map) {
        return new Dial(
                new ContainerId(map.text("container")),
                ClaimCodec.decodeGeneration(map.text("generation")),
                map.instant("dialAtMillis"));
    }

    static Map<String, AttributeValue> encode(Submission submission, Instant now) {
        return Map.of(
                "version", Attributes.of(VERSION),
                "tenant", Attributes.of(submission.tenant().value()),
                "key", Attributes.of(submission.key()),
                "bodyHash", Attributes.of(submission.bodyHash()),
                "jobs",
                        AttributeValue.fromL(submission.jobs().stream()
                                .map(job -> Attributes.of(job.value()))
                                .toList()),
                "expiresAt", Attributes.of(now.plus(SUBMISSION_KEPT).getEpochSecond()));
    }

    static Submission decodeSubmission(Item item) {
        return new Submission(
                new TenantId(item.text("tenant")),
                item.text("key"),
                item.text("bodyHash"),
                item.texts("jobs").stream().map(JobCodec::jobId).toList());
    }

    private static JobId jobId(String text) {
        return JobId.parse(text).orElseThrow(() -> new IllegalArgumentException("not a job's id"));
    }
}
