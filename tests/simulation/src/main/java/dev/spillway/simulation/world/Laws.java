package dev.spillway.simulation.world;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The invariants of containers and of their counts, looked at with every write, for the item that is written. Whatever is broken
 * anywhere is told here; calls, callers and the rest have laws of their own.
 */
final class Laws {
    private final MemoryTable table;
    private final Trace trace;
    private final Scheduler scheduler;
    private final CallerLaws callers;
    private final Set<String> lowered = new HashSet<>();
    private long writes;

    Laws(MemoryTable table, Trace trace, Scheduler scheduler, Expectation expectation) {
        this.table = table;
        this.trace = trace;
        this.scheduler = scheduler;
        this.callers = new CallerLaws(table, scheduler, this, expectation);
    }

    CallerLaws callers() {
        return callers;
    }

    /** How many writes were looked at. */
    long writes() {
        return writes;
    }

    void wrote() {
        writes++;
    }

    /** Ends the run, whatever the flow that is running does with the exception. */
    Violation broken(Invariant invariant, String what) {
        trace.write("VIOLATION", () -> invariant + ": " + what);
        Violation violation = new Violation(invariant, what);
        return scheduler.fail(violation);
    }

    void require(boolean holds, Invariant invariant, Supplier<String> what) {
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
            Conversation conversation = key instanceof CallSid sid ? callers.talking(sid) : null;
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

    static boolean isRead(Method method) {
        return method.getName().equals("find");
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
}
