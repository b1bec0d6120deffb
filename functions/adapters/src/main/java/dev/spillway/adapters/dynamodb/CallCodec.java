package dev.spillway.adapters.dynamodb;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A call's item. */
final class CallCodec {
    private static final long VERSION = 1;

    /** The table forgets a call this long after it arrived (DESIGN.md, "The table"). */
    private static final Duration KEPT = Duration.ofDays(30);

    private CallCodec() {}

    static Map<String, AttributeValue> encode(Call call) {
        Map<String, AttributeValue> item = new HashMap<>();
        item.put("version", Attributes.of(VERSION));
        item.put("tenant", Attributes.of(call.tenant().value()));
        item.put("callSid", Attributes.of(call.sid().value()));
        item.put("arrivedAtMillis", Attributes.millis(call.arrivedAt()));
        item.put("hop", Attributes.of(call.hop()));
        Map<String, AttributeValue> answers = new HashMap<>();
        call.answers().forEach((hop, answer) -> answers.put(hop.toString(), encode(answer)));
        item.put("answers", Attributes.of(answers));
        if (call.offer() != null) {
            item.put("offer", ClaimCodec.encode(call.offer()));
        }
        item.put("connectedHop", Attributes.of(call.connectedHop()));
        item.put("finished", Attributes.of(call.finished()));
        if (call.outcome() != null) {
            item.put("outcome", Attributes.of(call.outcome().text()));
        }
        if (call.story().job() == null) {
            StoryCodec.encode(Attempt.of(call), item);
        } else {
            StoryCodec.encode(call.story(), item); // the job that it was dialled for is the attempt
        }
        item.put("expiresAt", Attributes.of(call.arrivedAt().plus(KEPT).getEpochSecond()));
        return item;
    }

    static Call decode(Item item) {
        Map<Integer, Answer> answers = new HashMap<>();
        Item map = item.map("answers");
        for (String hop : map.names()) {
            answers.put(Integer.valueOf(hop), decodeAnswer(map.map(hop)));
        }
        return new Call(
                new TenantId(item.text("tenant")),
                new CallSid(item.text("callSid")),
                item.instant("arrivedAtMillis"),
                item.smallNumber("hop"),
                answers,
                item.optionalMap("offer").map(ClaimCodec::decodeOffer).orElse(null),
                item.smallNumber("connectedHop"),
                item.flag("finished"),
                item.optionalText("outcome").map(Outcome::of).orElse(null),
                StoryCodec.decode(item));
    }

    static AttributeValue encode(Answer answer) {
        Map<String, AttributeValue> map = new HashMap<>();
        map.put("atMillis", Attributes.millis(answer.at()));
        switch (answer) {
            case Answer.Stream stream -> {
                map.put("kind", Attributes.of("stream"));
                map.put("pool", Attributes.of(stream.pool().value()));
                if (stream.container() != null) {
                    map.put("container", Attributes.of(stream.container().value()));
                }
                map.put("generation", Attributes.of(stream.generation().toString()));
                map.put("expiryMillis", Attributes.millis(stream.expiry()));
            }
            case Answer.Busy busy -> map.put("kind", Attributes.of("busy"));
            case Answer.Apology apology -> map.put("kind", Attributes.of("apology"));
            case Answer.HangUp hangUp -> map.put("kind", Attributes.of("hangup"));
            case Answer.Transfer transfer -> {
                map.put("kind", Attributes.of("transfer"));
                map.put("number", Attributes.of(transfer.number()));
            }
        }
        return Attributes.of(map);
    }

    static Answer decodeAnswer(Item map) {
        String kind = map.text("kind");
        return switch (kind) {
            case "stream" ->
                new Answer.Stream(
                        new PoolId(map.text("pool")),
                        map.optionalText("container").map(ContainerId::new).orElse(null),
                        ClaimCodec.decodeGeneration(map.text("generation")),
                        map.instant("expiryMillis"),
                        map.instant("atMillis"));
            case "busy" -> new Answer.Busy(map.instant("atMillis"));
            case "apology" -> new Answer.Apology(map.instant("atMillis"));
            case "hangup" -> new Answer.HangUp(map.instant("atMillis"));
            case "transfer" -> new Answer.Transfer(map.text("number"), map.instant("atMillis"));
            default -> throw new IllegalArgumentException(map.name() + " is an answer of unknown kind " + kind);
        };
    }
}
