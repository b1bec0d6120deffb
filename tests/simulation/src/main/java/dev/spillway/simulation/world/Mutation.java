package dev.spillway.simulation.world;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.routing.CallAnswering.Answered;
import dev.spillway.core.scaling.Backlog;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A fault planted on purpose: between the flows and the table, as if the flow's write had lost a part of its condition, or as
 * if a step of a flow were forgotten. It can be seen by this whether the simulation would find such a fault.
 */
enum Mutation {
    NONE("", null),
    CLAIM_IGNORES_THE_LIMIT("a claim is written however many there are", Invariant.LIMIT),
    CLAIM_IGNORES_THE_STATE("a claim is written whatever state the container is in", Invariant.STATES),
    RELEASE_IGNORES_THE_GENERATION(
            "a release removes the call's claim whichever generation it has", Invariant.OLD_NOTICES),
    RELEASE_IGNORES_THE_PHASE("a release removes a connected claim too: the slot is given back twice", Invariant.LIMIT),
    DRAINED_IGNORES_CLAIMS("a container becomes DRAINED while it has claims", Invariant.NEVER_STOPPED_AT_WORK),
    A_HEARTBEAT_WRITES_THE_STATE(
            "a heartbeat writes READY, the state that its container had before it was drained", Invariant.STATES),
    PLACEMENT_IGNORES_THE_HOP("a placement is written whatever hop the call is at", Invariant.OLD_NOTICES),
    AN_OUTCOME_IS_OVERWRITTEN("a second outcome takes the first one's place", Invariant.ONE_OUTCOME),
    AN_OLD_STREAM_IS_ADOPTED(
            "a stream is adopted though its call has moved on, or its hop was connected before", Invariant.OLD_NOTICES),
    HELD_CALLS_ARE_NOT_ASKED_FOR_AGAIN("nothing asks for growth while calls stay held", Invariant.OWNED),
    PROTECTION_IS_NOT_ASKED_FOR("a container believes itself protected and is not", Invariant.NEVER_STOPPED_AT_WORK),
    THE_COUNT_IS_LOWERED_TWICE("the count is lowered again for a container that it was lowered for", Invariant.SETTLES),
    DEAD_CONTAINERS_ARE_NOT_LOST("a container that is gone is never declared LOST", Invariant.SETTLES),
    FINISHED_CALLS_ARE_NOT_ASKED_FOR("nobody asks how a call ended whose notice was lost", Invariant.SETTLES),
    SILENT_STREAMS_ARE_NOT_TOLD(
            "nobody is told of a stream that fell silent because what relayed it is frozen", Invariant.OWNED),
    ALWAYS_APOLOGISES("whoever asks where its call goes is told to apologise", Invariant.OWNED),
    A_DIRECT_CALL_HAS_NO_RECORD(
            "nobody writes the record of a call that its tenant's own container answers", Invariant.SETTLES),
    AN_UNKNOWN_DIAL_IS_MADE_AGAIN(
            "a dial whose reply is lost is taken for one that was not made", Invariant.DIALLED_ONCE),
    BUSY_FREES_NOTHING("the slot and the line of a callee who is busy are not given back", Invariant.JOBS_END),
    THE_OUTBOUND_LIMIT_IS_NOT_KEPT("a dialer believes that it may make any number of calls", Invariant.OUTBOUND_LIMIT),
    THE_RESERVE_IS_NOT_KEPT("a dialer believes that no slot is reserved for callers", Invariant.RESERVE),
    EXPIRED_JOBS_STAY("a job whose deadline has passed is not ended", Invariant.JOBS_END),
    A_STOP_IS_NOT_HEEDED("a dialer sees no orders", Invariant.ORDERS),
    A_PAUSE_IS_NOT_HEEDED("whoever makes pools grow sees no orders", Invariant.ORDERS),
    AN_ORDER_NEVER_ENDS("whoever makes pools grow takes orders for longer than they last", Invariant.OWNED),
    IDLE_CONTAINERS_ARE_RETIRED_DURING_ORDERS("whoever retires containers sees no orders", Invariant.ORDERS),
    CONTAINERS_ARE_NOT_CLOSED("no container is told that an order closes its pool", Invariant.ORDERS),
    A_DIALER_TAKES_WHAT_ANOTHER_HOLDS("a dialer takes the lease whose time is not over", Invariant.ONE_HOLDER),
    A_FORMER_DIALER_GOES_ON("a call out is entered whoever has the lease", Invariant.ONE_HOLDER),
    THE_SHARE_IS_NOT_KEPT("whoever places calls does not see whose calls the gateway has", Invariant.APART),
    STOPS_ARE_SEEN_TOO_LATE("nobody sees that ECS stops a task before it has stopped", Invariant.OWNED),
    THE_FENCE_IS_OPEN("a shift's writes do not ask whose lease it is", Invariant.ONE_HOLDER);

    private final String words;
    private final @Nullable Invariant foundBy;

    /** @param foundBy the one that must find it; null if nothing is planted */
    Mutation(String words, @Nullable Invariant foundBy) {
        this.words = words;
        this.foundBy = foundBy;
    }

    /** Whether that violation is what the fault must lead to; without a fault, any is. */
    boolean isFoundBy(Violation violation) {
        return this == NONE || violation.invariant() == foundBy;
    }

    /** Whether the bus is told of it. */
    boolean mayTell(Announcement announcement) {
        return this != SILENT_STREAMS_ARE_NOT_TOLD || !(announcement instanceof Announcement.StreamSilent);
    }

    /** What the router's answer becomes. */
    Answered answered(Answered answered, Instant now) {
        return this == ALWAYS_APOLOGISES ? new Answered(answered.hop(), new Answer.Apology(now)) : answered;
    }

    String words() {
        return words;
    }

    Containers containers(Containers real, MemoryTable table) {
        return switch (this) {
            case THE_FENCE_IS_OPEN -> Planting.unfenced(Containers.class, real);
            case CLAIM_IGNORES_THE_LIMIT ->
                Planting.around(Containers.class, real, (method, arguments, go) -> {
                    if (method.getName().equals("claim")) {
                        arguments[4] = Integer.MAX_VALUE;
                    }
                    return go.run();
                });
            case CLAIM_IGNORES_THE_STATE ->
                Planting.around(Containers.class, real, (method, arguments, go) -> {
                    Object result = go.run();
                    return method.getName().equals("claim") && result instanceof ClaimResult.Refused
                            ? claimed(table, arguments)
                                    .<Object>map(any -> new ClaimResult.Claimed(null))
                                    .orElse(result)
                            : result;
                });
            case RELEASE_IGNORES_THE_GENERATION ->
                Planting.around(Containers.class, real, (method, arguments, go) -> {
                    if (method.getName().equals("release")) {
                        claim(table, arguments).ifPresent(claim -> arguments[3] = claim.generation());
                    }
                    return go.run();
                });
            case RELEASE_IGNORES_THE_PHASE ->
                Planting.around(Containers.class, real, (method, arguments, go) -> {
                    if (method.getName().equals("release") && arguments[2] instanceof CallSid) {
                        return Planting.method(Containers.class, "end").invoke(real, arguments);
                    }
                    return go.run();
                });
            case DRAINED_IGNORES_CLAIMS ->
                Planting.around(Containers.class, real, (method, arguments, go) -> {
                    if (method.getName().equals("become") && arguments[3] == ContainerState.DRAINED) {
                        arguments[4] = false;
                    }
                    return go.run();
                });
            case A_HEARTBEAT_WRITES_THE_STATE ->
                Planting.around(Containers.class, real, (method, arguments, go) -> {
                    if (method.getName().equals("heartbeat")) {
                        table.peek((PoolId) arguments[0], (ContainerId) arguments[1])
                                .filter(container -> container.state() == ContainerState.DRAINED)
                                .ifPresent(container -> table.put(container.withState(
                                        ContainerState.READY, container.stateReason(), container.stateSince())));
                    }
                    return go.run();
                });
            case DEAD_CONTAINERS_ARE_NOT_LOST ->
                Planting.around(
                        Containers.class,
                        real,
                        (method, arguments, go) ->
                                method.getName().equals("become") && arguments[3] == ContainerState.LOST
                                        ? (Object) false
                                        : go.run());
            default -> real; // planted elsewhere, or nowhere
        };
    }

    Calls calls(Calls real, MemoryTable table) {
        return switch (this) {
            case PLACEMENT_IGNORES_THE_HOP ->
                Planting.around(Calls.class, real, (method, arguments, go) -> {
                    Object placed = go.run();
                    Optional<Call> there = method.getName().equals("place") && Boolean.FALSE.equals(placed)
                            ? call(table, arguments)
                            : Optional.empty();
                    if (there.isEmpty()) {
                        return placed;
                    }
                    int hop = (int) arguments[2] + 1;
                    Map<Integer, Answer> answers = new HashMap<>(there.get().answers());
                    answers.put(hop, (Answer) arguments[3]);
                    table.put(changed(
                            there.get(),
                            hop,
                            answers,
                            Math.min(hop, there.get().connectedHop()), // a record cannot be connected beyond its hop
                            there.get().outcome()));
                    return true;
                });
            case AN_OUTCOME_IS_OVERWRITTEN ->
                Planting.around(Calls.class, real, (method, arguments, go) -> {
                    if (method.getName().equals("end")) {
                        call(table, arguments)
                                .ifPresent(call -> table.put(
                                        changed(call, call.hop(), call.answers(), call.connectedHop(), null)));
                    }
                    return go.run();
                });
            case AN_OLD_STREAM_IS_ADOPTED ->
                Planting.around(Calls.class, real, (method, arguments, go) -> {
                    Object adopted = go.run();
                    Optional<Call> there = method.getName().equals("adopt") && Boolean.FALSE.equals(adopted)
                            ? call(table, arguments)
                            : Optional.empty();
                    if (there.isEmpty()) {
                        return adopted;
                    }
                    Answer.Stream here = (Answer.Stream) arguments[2];
                    int hop = here.generation().hop();
                    Map<Integer, Answer> answers = new HashMap<>(there.get().answers());
                    answers.put(hop, here);
                    table.put(
                            changed(there.get(), hop, answers, hop, there.get().outcome()));
                    return true;
                });
            case A_DIRECT_CALL_HAS_NO_RECORD ->
                Planting.around(Calls.class, real, (method, arguments, go) -> {
                    boolean direct = method.getName().equals("begin")
                            && arguments[0] instanceof Call fresh
                            && fresh.current().isPresent();
                    boolean without = (method.getName().equals("connect")
                                    || method.getName().equals("adopt"))
                            && call(table, arguments).isEmpty();
                    if (direct || without) {
                        throw new DependencyException("table", "the record is never written", new TimeoutException());
                    }
                    return go.run();
                });
            default -> real; // planted elsewhere, or nowhere
        };
    }

    Attempts attempts(Attempts real) {
        return this == FINISHED_CALLS_ARE_NOT_ASKED_FOR
                ? Planting.around(
                        Attempts.class,
                        real,
                        (method, arguments, go) -> method.getName().equals("outlines") ? List.of() : go.run())
                : real;
    }

    Pools pools(Pools real, MemoryTable table) {
        if (this == THE_FENCE_IS_OPEN) {
            return Planting.unfenced(Pools.class, real);
        }
        return this == THE_COUNT_IS_LOWERED_TWICE
                ? Planting.around(Pools.class, real, (method, arguments, go) -> {
                    if (method.getName().equals("desire") && arguments[3] != null) {
                        table.pools().forget((PoolId) arguments[0], (ContainerId) arguments[3]);
                        Object lowered = go.run();
                        table.pools().forget((PoolId) arguments[0], (ContainerId) arguments[3]);
                        return lowered;
                    }
                    return go.run();
                })
                : real;
    }

    /** The rule that the hand-off asks again while calls stay held. */
    Growth growthOfHandOff(
            Growth real,
            Pools pools,
            Containers containers,
            Fleet fleet,
            Announcements announcements,
            Journal journal,
            Timing timing,
            Backlog backlog) {
        if (this != HELD_CALLS_ARE_NOT_ASKED_FOR_AGAIN) {
            return real;
        }
        Pools blind = Planting.around(
                Pools.class,
                pools,
                (method, arguments, go) -> method.getName().equals("read") ? Optional.empty() : go.run());
        return new Growth(blind, containers, fleet, announcements, journal, timing, backlog);
    }

    private static Optional<Container> claimed(MemoryTable table, Object[] arguments) {
        Optional<Container> there = table.peek((PoolId) arguments[0], (ContainerId) arguments[1])
                .filter(container -> container.claims().size() < container.limit())
                .filter(container -> !container.claims().containsKey((ClaimKey) arguments[2]));
        there.ifPresent(container -> {
            Map<ClaimKey, Claim> claims = new HashMap<>(container.claims());
            claims.put((ClaimKey) arguments[2], (Claim) arguments[3]);
            table.put(container.withClaims(claims));
        });
        return there;
    }

    private static Optional<Claim> claim(MemoryTable table, Object[] arguments) {
        return table.peek((PoolId) arguments[0], (ContainerId) arguments[1])
                .map(container -> container.claims().get((ClaimKey) arguments[2]));
    }

    private static Optional<Call> call(MemoryTable table, Object[] arguments) {
        return table.peek((TenantId) arguments[0], (CallSid) arguments[1]);
    }

    private static Call changed(
            Call call, int hop, Map<Integer, Answer> answers, int connectedHop, @Nullable Outcome outcome) {
        return new Call(
                call.tenant(),
                call.sid(),
                call.arrivedAt(),
                hop,
                answers,
                call.offer(),
                connectedHop,
                call.finished(),
                outcome,
                call.story());
    }
}
