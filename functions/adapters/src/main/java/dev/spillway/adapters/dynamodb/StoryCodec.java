package dev.spillway.adapters.dynamodb;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.Attempts.Cursor;
import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Outline;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.attempt.Story;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The attributes by which an item, a call's or a job's, is listed as an attempt. {@code listing} and {@code listed} are
 * the keys of the index; {@link #OUTLINE} is what the index repeats, so that only a write that changes one of these costs a
 * write of the index.
 */
final class StoryCodec {
    static final String INDEX = "attempts";
    static final String LISTING = "listing";
    static final String LISTED = "listed";
    static final String JOB = "job";

    /** Read by {@link #decodeOutline}; {@code outcome} is the item's own. */
    static final List<String> OUTLINE =
            List.of("attemptId", "kind", "arrivedAtMillis", "outcome", "cause", "caller", "turnedAway", "deferrals");

    private StoryCodec() {}

    /** Lists the item as this attempt; its {@code outcome} is written by whoever ends it. */
    static void encode(Attempt attempt, Map<String, AttributeValue> item) {
        Story story = attempt.story();
        item.put(LISTING, Attributes.of(listing(attempt.tenant())));
        item.put(LISTED, Attributes.of(Cursor.of(attempt).toString()));
        item.put("attemptId", Attributes.of(attempt.id()));
        item.put("arrivedAtMillis", Attributes.millis(attempt.arrivedAt()));
        encode(story, item);
    }

    /** The story alone: of an item that is part of an attempt and not one itself. */
    static void encode(Story story, Map<String, AttributeValue> item) {
        item.put("kind", Attributes.of(story.kind().text()));
        if (story.job() != null) {
            item.put(JOB, Attributes.of(story.job().value()));
        }
        if (story.caller() != null) {
            item.put("caller", Attributes.of(story.caller().value()));
        }
        item.put("steps", encode(story.steps()));
        if (story.dropped() > 0) {
            item.put("droppedSteps", Attributes.of(story.dropped()));
        }
        story.lastWithCause().map(Step::cause).ifPresent(cause -> item.put("cause", Attributes.of(cause.text())));
        if (story.isTurnedAway()) {
            item.put("turnedAway", Attributes.of(true));
        }
        if (story.deferrals() > 0) {
            item.put("deferrals", Attributes.of(story.deferrals()));
        }
    }

    static String listing(TenantId tenant) {
        return tenant + "#attempts";
    }

    /** An item written before stories were told has an empty one. */
    static Story decode(Item item) {
        return new Story(
                job(item).orElse(null),
                item.optionalText("caller").map(CallerHash::new).orElse(null),
                item.maps("steps").stream().map(StoryCodec::decodeStep).toList(),
                Math.toIntExact(item.optionalNumber("droppedSteps").orElse(0L)));
    }

    static Attempt decodeAttempt(Item item) {
        return new Attempt(
                new TenantId(item.text("tenant")),
                item.text("attemptId"),
                call(item),
                item.instant("arrivedAtMillis"),
                item.optionalText("outcome").map(Outcome::of).orElse(null),
                decode(item));
    }

    /** Of a call's item its own, of a job's that which was dialled for it. */
    private static @Nullable CallSid call(Item item) {
        return item.optionalText("callSid").map(CallSid::new).orElse(null);
    }

    /** The job that the item is, or that its call was dialled for; empty for an inbound call's. */
    static Optional<JobId> job(Item item) {
        return item.optionalText(JOB)
                .map(job -> JobId.parse(job).orElseThrow(() -> new IllegalArgumentException("not a job's id")));
    }

    static Outline decodeOutline(Item item) {
        return new Outline(
                item.text("attemptId"),
                Attempt.Kind.of(item.text("kind")),
                item.instant("arrivedAtMillis"),
                item.optionalText("outcome").map(Outcome::of).orElse(null),
                item.optionalText("cause").map(Cause::of).orElse(null),
                item.optionalText("caller").map(CallerHash::new).orElse(null),
                item.optionalFlag("turnedAway").orElse(false),
                Math.toIntExact(item.optionalNumber("deferrals").orElse(0L)));
    }

    static AttributeValue encode(List<Step> steps) {
        return AttributeValue.fromL(steps.stream().map(StoryCodec::encode).toList());
    }

    private static AttributeValue encode(Step step) {
        Map<String, AttributeValue> map = new HashMap<>();
        map.put("kind", Attributes.of(step.kind().text()));
        map.put("atMillis", Attributes.millis(step.at()));
        map.put("hop", Attributes.of(step.hop()));
        if (step.pool() != null) {
            map.put("pool", Attributes.of(step.pool().value()));
        }
        if (step.container() != null) {
            map.put("container", Attributes.of(step.container().value()));
        }
        if (step.cause() != null) {
            map.put("cause", Attributes.of(step.cause().text()));
        }
        if (step.slots() != null) {
            map.put("slots", encode(step.slots()));
        }
        map.put("reason", Attributes.of(step.reason()));
        if (step.times() > 1) {
            map.put("times", Attributes.of(step.times()));
        }
        return Attributes.of(map);
    }

    private static Step decodeStep(Item map) {
        return new Step(
                Step.Kind.of(map.text("kind")),
                map.instant("atMillis"),
                map.smallNumber("hop"),
                map.optionalText("pool").map(PoolId::new).orElse(null),
                map.optionalText("container").map(ContainerId::new).orElse(null),
                map.optionalText("cause").map(Cause::of).orElse(null),
                map.optionalMap("slots").map(StoryCodec::decodeSlots).orElse(null),
                map.text("reason"),
                Math.toIntExact(map.optionalNumber("times").orElse(1L)));
    }

    private static AttributeValue encode(Slots slots) {
        return Attributes.of(Map.of(
                "pool", Attributes.of(slots.pool().value()),
                "live", Attributes.of(slots.live()),
                "setup", Attributes.of(slots.setup()),
                "reserved", Attributes.of(slots.reserved()),
                "cooldown", Attributes.of(slots.cooldown()),
                "limit", Attributes.of(slots.limit())));
    }

    private static Slots decodeSlots(Item map) {
        return new Slots(
                new PoolId(map.text("pool")),
                map.smallNumber("live"),
                map.smallNumber("setup"),
                map.smallNumber("reserved"),
                map.smallNumber("cooldown"),
                map.smallNumber("limit"));
    }
}
