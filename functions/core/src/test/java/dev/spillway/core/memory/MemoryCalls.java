package dev.spillway.core.memory;

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
import org.jspecify.annotations.Nullable;

final class MemoryCalls implements Calls {
    private record Key(TenantId tenant, CallSid sid) {}

    private final Operations operations;
    private final Map<Key, Call> items = new HashMap<>();

    MemoryCalls(Operations operations) {
        this.operations = operations;
    }

    void put(Call call) {
        operations.quietly(() -> items.put(new Key(call.tenant(), call.sid()), call));
    }

    Optional<Call> look(TenantId tenant, CallSid sid) {
        return operations.quietly(() -> Optional.ofNullable(items.get(new Key(tenant, sid))));
    }

    /** Every inbound call as an attempt, in the order of arrival. */
    List<Attempt> attempts(TenantId tenant) {
        return items.values().stream()
                .filter(call -> call.tenant().equals(tenant))
                .filter(call -> call.story().kind() == Attempt.Kind.INBOUND)
                .map(Attempt::of)
                .toList();
    }

    int size() {
        return operations.quietly(items::size);
    }

    @Override
    public boolean begin(Call call) {
        return operations.perform(
                Operation.CALLS_BEGIN, () -> items.putIfAbsent(new Key(call.tenant(), call.sid()), call) == null);
    }

    @Override
    public Optional<Call> find(TenantId tenant, CallSid sid) {
        return operations.perform(Operation.CALLS_FIND, () -> Optional.ofNullable(items.get(new Key(tenant, sid))));
    }

    @Override
    public boolean place(TenantId tenant, CallSid sid, int fromHop, Answer answer, List<Step> steps) {
        return change(Operation.CALLS_PLACE, tenant, sid, call -> {
            Answer there = call.answers().get(fromHop + 1);
            if (there != null && there.placed().isPresent() && there.placed().equals(answer.placed())) {
                return call; // the own write, whose reply was lost
            }
            return call.hop() == fromHop && call.outcome() == null
                    ? with(call, fromHop + 1, answer, null, call.connectedHop()).told(steps)
                    : null;
        });
    }

    @Override
    public boolean offer(TenantId tenant, CallSid sid, int hop, Offer offer) {
        return change(Operation.CALLS_OFFER, tenant, sid, call -> {
            Offer there = call.offer();
            if (there != null && there.generation().equals(offer.generation())) {
                return call;
            }
            return call.hop() == hop && !call.isOver() && there == null
                    ? withOffer(call, offer).told(List.of(Step.offered(tenant, hop, offer)))
                    : null;
        });
    }

    @Override
    public boolean withdraw(TenantId tenant, CallSid sid, Generation offer) {
        return change(
                Operation.CALLS_WITHDRAW,
                tenant,
                sid,
                call -> call.offer() != null && call.offer().generation().equals(offer) ? withOffer(call, null) : null);
    }

    @Override
    public boolean connect(TenantId tenant, CallSid sid, Generation generation, List<Step> steps) {
        return change(Operation.CALLS_CONNECT, tenant, sid, call -> {
            boolean placed = call.current()
                    .flatMap(Answer::placed)
                    .filter(generation::equals)
                    .isPresent();
            return placed && call.connectedHop() < call.hop()
                    ? new Call(
                                    tenant,
                                    sid,
                                    call.arrivedAt(),
                                    call.hop(),
                                    call.answers(),
                                    call.offer(),
                                    call.hop(),
                                    call.finished(),
                                    call.outcome(),
                                    call.story())
                            .told(steps)
                    : null;
        });
    }

    @Override
    public boolean adopt(TenantId tenant, CallSid sid, Answer.Stream here, Instant arrivedAt) {
        int hop = here.generation().hop();
        return operations.perform(Operation.CALLS_ADOPT, () -> {
            Key key = new Key(tenant, sid);
            Call known = items.get(key);
            if (known == null) {
                Call empty = Call.arrived(tenant, sid, arrivedAt);
                items.put(key, with(empty, hop, here, null, hop).told(Adoption.steps(tenant, null, here)));
                return true;
            }
            if (known.hop() > hop || known.connectedHop() >= hop) {
                return false;
            }
            // An offer for the hop after this one still stands: only a move drops it.
            Offer offer = known.hop() == hop ? known.offer() : null;
            items.put(key, with(known, hop, here, offer, hop).told(Adoption.steps(tenant, known, here)));
            return true;
        });
    }

    @Override
    public boolean belong(TenantId tenant, CallSid sid, JobId job) {
        return change(
                Operation.CALLS_BELONG,
                tenant,
                sid,
                call -> call.story().job() == null
                        ? new Call(
                                tenant,
                                sid,
                                call.arrivedAt(),
                                call.hop(),
                                call.answers(),
                                call.offer(),
                                call.connectedHop(),
                                call.finished(),
                                call.outcome(),
                                call.story().of(job))
                        : null);
    }

    @Override
    public boolean tell(TenantId tenant, CallSid sid, int hop, List<Step> steps) {
        return change(
                Operation.CALLS_TELL,
                tenant,
                sid,
                call -> call.hop() == hop && call.outcome() == null ? call.told(steps) : null);
    }

    @Override
    public void finish(TenantId tenant, CallSid sid) {
        change(
                Operation.CALLS_FINISH,
                tenant,
                sid,
                call -> new Call(
                        tenant,
                        sid,
                        call.arrivedAt(),
                        call.hop(),
                        call.answers(),
                        call.offer(),
                        call.connectedHop(),
                        true,
                        call.outcome(),
                        call.story()));
    }

    @Override
    public boolean end(TenantId tenant, CallSid sid, Outcome outcome, Instant now, List<Step> steps) {
        return change(
                Operation.CALLS_END,
                tenant,
                sid,
                call -> call.outcome() == null
                        ? new Call(
                                        tenant,
                                        sid,
                                        call.arrivedAt(),
                                        call.hop(),
                                        call.answers(),
                                        call.offer(),
                                        call.connectedHop(),
                                        call.finished(),
                                        outcome,
                                        call.story())
                                .told(steps)
                        : null);
    }

    private boolean change(Operation operation, TenantId tenant, CallSid sid, Function<Call, @Nullable Call> change) {
        return operations.perform(operation, () -> {
            Call call = items.get(new Key(tenant, sid));
            Call next = call == null ? null : change.apply(call);
            if (next == null) {
                return false;
            }
            items.put(new Key(tenant, sid), next);
            return true;
        });
    }

    private static Call with(Call call, int hop, Answer answer, @Nullable Offer offer, int connectedHop) {
        Map<Integer, Answer> answers = new HashMap<>(call.answers());
        answers.put(hop, answer);
        return new Call(
                call.tenant(),
                call.sid(),
                call.arrivedAt(),
                hop,
                answers,
                offer,
                connectedHop,
                call.finished(),
                call.outcome(),
                call.story());
    }

    private static Call withOffer(Call call, @Nullable Offer offer) {
        return new Call(
                call.tenant(),
                call.sid(),
                call.arrivedAt(),
                call.hop(),
                call.answers(),
                offer,
                call.connectedHop(),
                call.finished(),
                call.outcome(),
                call.story());
    }
}
