package dev.spillway.simulation.world;

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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The invariants: looked at with every write, for the item that is written, and after every step for what no write shows. */
final class Laws {
    private final MemoryTable table;
    private final Trace trace;
    private final Map<CallSid, Conversation> talking = new HashMap<>();
    private @Nullable Scheduler scheduler;
    private long writes;

    Laws(MemoryTable table, Trace trace) {
        this.table = table;
        this.trace = trace;
    }

    void timedBy(Scheduler source) {
        scheduler = source;
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
                }
            };
        };
    }

    private void changed(Container before, Container after) {
        require(
                after.claims().size() <= Math.max(after.limit(), before.claims().size()),
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
        before.answers().forEach((hop, answer) -> require(
                (hop == after.hop() && before.connectedHop() < hop) || Objects.equals(after.answers().get(hop), answer),
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
                !inTime || table.peek(tenant, sid).isPresent(),
                Invariant.ONE_OUTCOME,
                () -> sid + " was answered without a record: " + answered);
    }

    /** A caller is let in. */
    void connected(Conversation conversation) {
        CallSid sid = conversation.seat().sid();
        Conversation before = talking.put(sid, conversation);
        require(
                before == null || before == conversation || !before.isHeard()
                        || conversation.call().conversation() != before,
                Invariant.LIMIT,
                () -> sid + " talks to " + conversation.task() + " and to another stream at once");
        long live = conversation.task().conversations().stream()
                .filter(Conversation::isLive)
                .count();
        require(
                live <= conversation.task().admission().limit(),
                Invariant.LIMIT,
                () -> conversation.task() + " has " + live + " calls");
    }

    /** ECS is about to stop a task that it chose because we lowered the count, or deployed. */
    void stopping(Cluster.Running task) {
        MediaTask container = task.container();
        if (container != null && !container.process().isDead()) {
            var report = container.admission().report(0);
            require(report.isQuiet(), Invariant.NEVER_STOPPED_AT_WORK, () -> "ECS stops " + task.id() + " with " + report);
        }
    }

    /** A container ends by itself. */
    void exiting(MediaTask task) {
        var report = task.admission().report(0);
        require(report.isQuiet(), Invariant.NEVER_STOPPED_AT_WORK, () -> task + " exits with " + report);
    }

    /** What no write shows: whoever is on the phone hears something, or is told. */
    void look(List<PhoneCall> calls, long now, long longestSilence) {
        for (PhoneCall call : calls) {
            long silence = call.silence(now);
            require(
                    silence <= longestSilence,
                    Invariant.OWNED,
                    () -> call + " (" + call.sid() + ", hop " + call.hop() + ") has heard nobody for " + silence / 1_000_000
                            + " s");
        }
    }
}
