package dev.spillway.simulation.world;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.routing.CallAnswering.Answered;
import dev.spillway.core.tenant.TenantId;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The invariants: looked at with every write, for the item that is written, and twice a second for what no write shows. */
final class Laws {
    private final MemoryTable table;
    private final Trace trace;
    private final Map<CallSid, Conversation> talking = new HashMap<>();
    private final Set<CallSid> kept = new HashSet<>();
    private final Set<String> lowered = new HashSet<>();
    private @Nullable Scheduler scheduler;
    private long writes;
    private long longestSilence;
    private Expectation expectation = Expectation.LITTLE;

    Laws(MemoryTable table, Trace trace) {
        this.table = table;
        this.trace = trace;
    }

    void timedBy(Scheduler source) {
        scheduler = source;
    }

    void expect(Expectation callers) {
        expectation = callers;
    }

    /** Every URL failed. */
    void dropped(PhoneCall call) {
        require(
                expectation.drops(),
                Invariant.OWNED,
                () -> call + " (" + call.sid() + ") was dropped: no URL answered");
    }

    void apologised(PhoneCall call) {
        require(expectation.apologies(), Invariant.OWNED, () -> call + " (" + call.sid() + ") heard an apology");
    }

    long writes() {
        return writes;
    }

    Violation broken(Invariant invariant, String what) {
        trace.write("VIOLATION", () -> invariant + ": " + what);
        Violation violation = new Violation(invariant, what);
        return scheduler == null ? violation : scheduler.fail(violation);
    }

    private void require(boolean holds, Invariant invariant, Supplier<String> what) {
        if (!holds) {
            throw broken(invariant, what.get());
        }
    }

    /** A flow failed with something that is no dependency's failure. */
    void surprise(RuntimeException e) {
        Violation violation = broken(Invariant.NO_SURPRISE, e.toString());
        violation.initCause(e);
        throw violation;
    }

    /** Looks at each write to a container's item. */
    Gate.Witness ofContainers() {
        return (method, arguments) -> {
            if (isRead(method) || arguments.length < 2) {
                return result -> {};
            }
            PoolId pool = (PoolId) arguments[0];
            ContainerId id = (ContainerId) arguments[1];
            Optional<Container> before = table.peek(pool, id);
            return result -> {
                writes++;
                Optional<Container> after = table.peek(pool, id);
                if (before.isPresent() && after.isPresent()) {
                    changed(before.get(), after.get());
                    byRight(method.getName(), arguments, before.get(), after.get());
                }
            };
        };
    }

    /** Only the claim of the generation that was named may go or change, and no one's who is talking. */
    private void byRight(String write, Object[] arguments, Container before, Container after) {
        before.claims().forEach((key, claim) -> {
            Claim now = after.claims().get(key);
            if (claim.equals(now)) {
                return;
            }
            require(
                    List.of(arguments).contains(claim.generation()),
                    Invariant.OLD_NOTICES,
                    () -> write + " of another generation changed the claim " + claim.generation() + " of " + key
                            + " on " + after.id());
            Conversation conversation = key instanceof CallSid sid ? talking.get(sid) : null;
            require(
                    // A reserved one is what a container owes the table: it asks for a slot again, or gives the call
                    // back.
                    now != null
                            || claim.phase() == Claim.Phase.RESERVED
                            || conversation == null
                            || !conversation.isHeard()
                            || !conversation.seat().generation().equals(claim.generation()),
                    Invariant.LIMIT,
                    () -> write + " gave away the slot of " + key + " on " + after.id() + " while it talks there");
        });
        if (write.equals("claim") && after.claims().size() > before.claims().size()) {
            require(
                    before.state() == ContainerState.READY,
                    Invariant.STATES,
                    () -> after.id() + " is " + before.state() + " and was given a new claim");
        }
    }

    private void changed(Container before, Container after) {
        // A call that was let in while the table was away is written although the table gave its slot to another
        // meanwhile:
        // that one's stream finds every slot taken, and goes elsewhere.
        require(
                after.claims().size() <= Math.max(after.limit(), before.claims().size())
                        || (after.claims().size() <= 2 * after.limit()
                                && after.claims().entrySet().stream()
                                        .filter(claim -> !before.claims().containsKey(claim.getKey()))
                                        .allMatch(claim -> claim.getValue().phase() == Claim.Phase.CONNECTED)),
                Invariant.LIMIT,
                () -> after.id() + " has " + after.claims().size() + " claims, and its limit is " + after.limit());
        if (before.state() != after.state()) {
            boolean over = before.state() == ContainerState.DRAINED
                    || before.state() == ContainerState.STOPPING
                    || before.state() == ContainerState.LOST;
            require(
                    !(over && after.state() == ContainerState.READY)
                            && before.state().mayBecome(after.state()),
                    Invariant.STATES,
                    () -> after.id() + " went from " + before.state() + " to " + after.state());
            require(
                    after.state() != ContainerState.DRAINED || after.claims().isEmpty(),
                    Invariant.NEVER_STOPPED_AT_WORK,
                    () -> after.id() + " is DRAINED with the claims of "
                            + after.claims().keySet());
        }
        for (Claim claim : after.claims().values()) {
            require(
                    after.pool().tenant().map(claim.tenant()::equals).orElse(true),
                    Invariant.APART,
                    () -> after.id() + " of pool " + after.pool() + " has a claim of tenant " + claim.tenant());
        }
    }

    /** Looks at each write to a call's record. */
    Gate.Witness ofCalls() {
        return (method, arguments) -> {
            if (isRead(method) || arguments.length < 2) {
                return result -> {};
            }
            TenantId tenant = (TenantId) arguments[0];
            CallSid sid = (CallSid) arguments[1];
            Optional<Call> before = table.peek(tenant, sid);
            return result -> {
                writes++;
                Optional<Call> after = table.peek(tenant, sid);
                if (before.isPresent() && after.isPresent()) {
                    changed(before.get(), after.get());
                    require(
                            !method.getName().equals("end")
                                    || before.get().outcome() == null
                                    || Boolean.FALSE.equals(result),
                            Invariant.ONE_OUTCOME,
                            () -> sid + " ended twice: as " + before.get().outcome() + " and as "
                                    + after.get().outcome());
                }
            };
        };
    }

    private void changed(Call before, Call after) {
        String call = "call " + after.sid();
        require(
                before.outcome() == null || before.outcome() == after.outcome(),
                Invariant.ONE_OUTCOME,
                () -> call + " ended as " + before.outcome() + " and then as " + after.outcome());
        require(
                after.hop() >= before.hop() && after.connectedHop() >= before.connectedHop(),
                Invariant.OLD_NOTICES,
                () -> call + " went from hop " + before.hop() + " (connected " + before.connectedHop() + ") back to "
                        + after.hop() + " (" + after.connectedHop() + ")");
        before.answers()
                .forEach((hop, answer) -> require(
                        (hop == after.hop() && before.connectedHop() < hop)
                                || Objects.equals(after.answers().get(hop), answer),
                        Invariant.OLD_NOTICES,
                        () -> call + " had an answer for hop " + hop + ", and has another one now"));
        require(
                before.outcome() == null || after.hop() == before.hop(),
                Invariant.OLD_NOTICES,
                () -> call + " was placed after its end");
    }

    private static boolean isRead(Method method) {
        return method.getName().equals("find");
    }

    /** TwiML goes out. */
    void answered(TenantId tenant, CallSid sid, Answered answered, boolean inTime) {
        require(
                !inTime
                        || answered.answer() instanceof Answer.HangUp
                        || table.peek(tenant, sid).isPresent(),
                Invariant.ONE_OUTCOME,
                () -> sid + " was answered without a record: " + answered);
    }

    /** A caller is let in. */
    void connected(Conversation conversation) {
        CallSid sid = conversation.seat().sid();
        Conversation before = talking.put(sid, conversation);
        require(
                before == null
                        || before == conversation
                        || !before.isHeard()
                        || conversation.call().conversation() != before,
                Invariant.LIMIT,
                () -> sid + " talks to " + conversation.task() + " and to another stream at once");
        if (conversation.seat().isCallKnown()) {
            Optional<Call> record = table.peek(conversation.seat().tenant(), sid);
            require(
                    record.filter(call -> call.hop()
                                            > conversation.seat().generation().hop()
                                    || call.names(conversation.seat().generation()))
                            .isPresent(),
                    Invariant.OLD_NOTICES,
                    () -> sid + " talks to " + conversation.task() + " as "
                            + conversation.seat().generation() + ", and its record says otherwise: "
                            + record.flatMap(Call::current));
        }
        long live = conversation.task().conversations().stream()
                .filter(Conversation::isLive)
                .count();
        require(
                live <= conversation.task().admission().limit(),
                Invariant.LIMIT,
                () -> conversation.task() + " has " + live + " calls");
    }

    /** The table took what an agent knows, or refused it. */
    void kept(Conversation conversation, boolean taken) {
        if (taken) {
            kept.add(conversation.seat().sid());
        }
    }

    /** A conversation goes on elsewhere: whether what was kept of it was found. */
    void remembers(Conversation conversation, boolean found) {
        PhoneCall call = conversation.call();
        require(
                found || !kept.contains(call.sid()) || call.isOver(),
                Invariant.OWNED,
                () -> call + " (" + call.sid() + ") goes on in " + conversation.task()
                        + ", and what was kept of it is gone");
    }

    /**
     * ECS is about to stop a task that it chose because we lowered the count, or deployed. One of a former revision that it has
     * never protected, because it refuses that while a deployment does not come to its end, is its own choice: what can be
     * done for its callers is what SIGTERM leaves time for (decision 51).
     */
    void stopping(Cluster.Running task) {
        MediaTask container = task.container();
        if (container != null && !container.process().isDead() && !task.isLeftUnprotected()) {
            var report = container.admission().report(0);
            require(
                    report.isQuiet(),
                    Invariant.NEVER_STOPPED_AT_WORK,
                    () -> "ECS stops " + task.id() + " with " + report);
        }
    }

    /** A container ends by itself. */
    void exiting(MediaTask task) {
        var report = task.admission().report(0);
        require(report.isQuiet(), Invariant.NEVER_STOPPED_AT_WORK, () -> task + " exits with " + report);
    }

    /** Looks at each write of a desired count. */
    Gate.Witness ofPools() {
        return (method, arguments) -> result -> {
            if (method.getName().equals("desire") && Boolean.TRUE.equals(result)) {
                writes++;
                if (arguments[3] instanceof ContainerId lowering) {
                    require(
                            lowered.add(arguments[0] + " " + lowering),
                            Invariant.SETTLES,
                            () -> "the count of pool " + arguments[0] + " was lowered twice for " + lowering);
                }
            }
        };
    }

    /** What no write shows: whoever is on the phone hears something, or is told. */
    void look(List<PhoneCall> calls) {
        long now = scheduler == null ? 0 : scheduler.now();
        for (PhoneCall call : calls) {
            long silence = call.silence(now);
            if (call.wasHeard()) {
                longestSilence = Math.max(longestSilence, silence);
            }
            require(
                    silence <= (call.wasHeard() ? expectation.silenceOfTalkersMicros() : expectation.silenceMicros()),
                    Invariant.OWNED,
                    () -> call + " (" + call.sid() + ", hop " + call.hop() + ") has heard nobody for "
                            + silence / 1_000_000.0 + " s");
        }
    }

    /** Of anybody who was talking before. */
    long longestSilence() {
        return longestSilence;
    }
}
