package dev.spillway.adapters.dynamodb;

import dev.spillway.core.DependencyException;
import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Adoption;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The calls' items. A call moves on by
 *
 * <pre>{@code
 * SET hop = :next, answers.#next = :answer REMOVE offer  IF hop = :from AND attribute_not_exists(outcome)
 * }</pre>
 *
 * What is told of it rides on the same write; see {@link Telling}.
 */
public final class DynamoCalls implements Calls {
    /** Each lost race of an adoption means that the call moved; it moves three times a minute at most. */
    private static final int ADOPTION_TRIES = 4;

    private final Table table;

    public DynamoCalls(DynamoDbClient client, String table) {
        this.table = new Table(client, table);
    }

    @Override
    public boolean begin(Call call) {
        Mark mark = Mark.fresh();
        Map<String, AttributeValue> item = new HashMap<>(CallCodec.encode(call));
        item.put("beginMark", Attributes.of(mark.text()));
        return putNew(Key.of(call.tenant(), call.sid()), item, mark.in("beginMark"));
    }

    private boolean putNew(Key key, Map<String, AttributeValue> item, Table.Own own) {
        return table.put(key, item, Change.onlyIf("attribute_not_exists(#pk)"), own)
                .isApplied();
    }

    @Override
    public Optional<Call> find(TenantId tenant, CallSid sid) {
        return table.get(Key.of(tenant, sid)).map(item -> item.decode(CallCodec::decode));
    }

    @Override
    public boolean place(TenantId tenant, CallSid sid, int fromHop, Answer answer, List<Step> steps) {
        Mark mark = Mark.fresh();
        int next = fromHop + 1;
        Table.Own own = (found, replyLost) -> {
            Optional<Generation> stored = found.map(item -> item.decode(CallCodec::decode))
                    .map(call -> call.answers().get(next))
                    .flatMap(Answer::placed);
            return (stored.isPresent() && stored.equals(answer.placed()))
                    || mark.in("placeMark").in(found, replyLost);
        };
        return told(
                tenant,
                sid,
                steps,
                own,
                telling -> telling.change(
                                "#hop = :next, #answers.#next = :answer, #placeMark = :mark",
                                "#offer",
                                "#hop = :from AND attribute_not_exists(#outcome)")
                        .name("#next", Integer.toString(next))
                        .value(":from", fromHop)
                        .value(":next", next)
                        .value(":answer", CallCodec.encode(answer))
                        .value(":mark", mark.text()));
    }

    private boolean told(
            TenantId tenant, CallSid sid, List<Step> steps, Table.Own own, Function<Telling, Change> change) {
        return Telling.update(table, Key.of(tenant, sid), steps, own, change).isApplied();
    }

    @Override
    public boolean offer(TenantId tenant, CallSid sid, int hop, Offer offer) {
        return told(
                tenant,
                sid,
                List.of(Step.offered(tenant, hop, offer)),
                (found, replyLost) -> offered(found, offer.generation()),
                telling -> telling.change(
                                "#offer = :offer",
                                "",
                                "#hop = :hop AND attribute_not_exists(#offer) AND attribute_not_exists(#outcome)"
                                        + " AND #finished = :false")
                        .value(":hop", hop)
                        .value(":offer", ClaimCodec.encode(offer))
                        .value(":false", false));
    }

    @Override
    public boolean withdraw(TenantId tenant, CallSid sid, Generation offer) {
        Change change =
                Change.of("REMOVE #offer", "#offer.#generation = :generation").value(":generation", offer.toString());
        Table.Own own = (found, replyLost) -> replyLost && found.isPresent() && !offered(found, offer);
        return table.update(Key.of(tenant, sid), change, own).isApplied();
    }

    private static boolean offered(Optional<Item> found, Generation generation) {
        return found.flatMap(item -> item.optionalMap("offer"))
                .flatMap(offer -> offer.optionalText("generation"))
                .filter(generation.toString()::equals)
                .isPresent();
    }

    @Override
    public boolean connect(TenantId tenant, CallSid sid, Generation generation, List<Step> steps) {
        Mark mark = Mark.fresh();
        return told(
                tenant,
                sid,
                steps,
                mark.in("connectMark"),
                telling -> telling.change(
                                "#connectedHop = :hop, #connectMark = :mark",
                                "",
                                "#hop = :hop AND #answers.#answer.#generation = :generation AND #connectedHop < :hop")
                        .name("#answer", Integer.toString(generation.hop()))
                        .value(":hop", generation.hop())
                        .value(":generation", generation.toString())
                        .value(":mark", mark.text()));
    }

    /**
     * Reads the call, and writes by the condition that it is still where it was read: an unknown call is put, a known one
     * updated. A lost race is looked at again.
     */
    @Override
    public boolean adopt(TenantId tenant, CallSid sid, Answer.Stream here, Instant arrivedAt) {
        int hop = here.generation().hop();
        Mark mark = Mark.fresh();
        for (int i = 0; i < ADOPTION_TRIES; i++) {
            Optional<Call> known = find(tenant, sid);
            boolean adopted;
            if (known.isEmpty()) {
                adopted = adoptUnknown(tenant, sid, here, arrivedAt, mark);
            } else if (known.get().hop() > hop || known.get().connectedHop() >= hop) {
                return false;
            } else {
                adopted = adoptKnown(known.get(), here, mark);
            }
            if (adopted) {
                return true;
            }
        }
        throw new DependencyException(
                Table.DEPENDENCY,
                "adopting call " + sid,
                new IllegalStateException("lost " + ADOPTION_TRIES + " races in a row"));
    }

    private boolean adoptUnknown(TenantId tenant, CallSid sid, Answer.Stream here, Instant arrivedAt, Mark mark) {
        int hop = here.generation().hop();
        Call call = new Call(tenant, sid, arrivedAt, hop, Map.of(hop, here), null, hop, false, null)
                .told(Adoption.steps(tenant, null, here));
        Map<String, AttributeValue> item = new HashMap<>(CallCodec.encode(call));
        item.put("connectMark", Attributes.of(mark.text()));
        return putNew(Key.of(tenant, sid), item, mark.in("connectMark"));
    }

    private boolean adoptKnown(Call known, Answer.Stream here, Mark mark) {
        int hop = here.generation().hop();
        // An offer was made for the hop that the call is on: it outlives an adoption there, and no move.
        return told(
                known.tenant(),
                known.sid(),
                Adoption.steps(known.tenant(), known, here),
                mark.in("connectMark"),
                telling -> telling.change(
                                "#hop = :hop, #answers.#answer = :here, #connectedHop = :hop, #connectMark = :mark",
                                known.hop() == hop ? "" : "#offer",
                                "#hop = :known AND #connectedHop < :hop")
                        .name("#answer", Integer.toString(hop))
                        .value(":hop", hop)
                        .value(":known", known.hop())
                        .value(":here", CallCodec.encode(here))
                        .value(":mark", mark.text()));
    }

    @Override
    public boolean belong(TenantId tenant, CallSid sid, JobId job) {
        Change change = Change.of(
                        "SET #job = :job, #kind = :outbound REMOVE #listing, #listed, #attemptId",
                        "attribute_exists(#pk) AND attribute_not_exists(#job)")
                .value(":job", job.value())
                .value(":outbound", Attempt.Kind.OUTBOUND.text());
        Table.Own own = (found, replyLost) ->
                replyLost && found.flatMap(StoryCodec::job).filter(job::equals).isPresent();
        return table.update(Key.of(tenant, sid), change, own).isApplied();
    }

    @Override
    public boolean tell(TenantId tenant, CallSid sid, int hop, List<Step> steps) {
        Mark mark = Mark.fresh();
        return told(
                tenant,
                sid,
                steps,
                mark.in("tellMark"),
                telling -> telling.change("#tellMark = :mark", "", "#hop = :hop AND attribute_not_exists(#outcome)")
                        .value(":hop", hop)
                        .value(":mark", mark.text()));
    }

    @Override
    public void finish(TenantId tenant, CallSid sid) {
        table.update(
                Key.of(tenant, sid),
                Change.of("SET #finished = :true", "attribute_exists(#pk)").value(":true", true),
                Table.Own.NOTHING);
    }

    @Override
    public boolean end(TenantId tenant, CallSid sid, Outcome outcome, Instant now, List<Step> steps) {
        Mark mark = Mark.fresh();
        return told(
                tenant,
                sid,
                steps,
                mark.in("endMark"),
                telling -> telling.change(
                                "#outcome = :outcome, #endedAtMillis = :now, #endMark = :mark",
                                "",
                                "attribute_exists(#pk) AND attribute_not_exists(#outcome)")
                        .value(":outcome", outcome.text())
                        .value(":now", now)
                        .value(":mark", mark.text()));
    }
}
