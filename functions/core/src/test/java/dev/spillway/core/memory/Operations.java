package dev.spillway.core.memory;

import dev.spillway.core.DependencyException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Every operation passes through here: it is written down, and may be made to fail, or to wait for the test, before or
 * after it takes effect. Counting starts when a failure is armed: the first matching operation after that is number 1.
 */
public final class Operations {
    /** When something happens to an operation. */
    public enum Moment {
        /** Nothing was changed. */
        BEFORE,
        /** It was applied, and the reply is lost. */
        AFTER
    }

    private static final class Trap {
        private final Predicate<Operation> which;
        private final int from;
        private final int to;
        private final Moment moment;
        private final Runnable action;
        private int seen;

        Trap(Predicate<Operation> which, int from, int to, Moment moment, Runnable action) {
            this.which = which;
            this.from = from;
            this.to = to;
            this.moment = moment;
            this.action = action;
        }
    }

    private final Object lock = new Object();
    private final List<Operation> log = new ArrayList<>();
    private final List<Trap> traps = new ArrayList<>();

    /** The n-th call of that operation from now on throws {@link DependencyException}. */
    public void fail(Operation operation, int nth, Moment moment) {
        on(operation, nth, moment, () -> {
            throw broken(operation);
        });
    }

    /** Every call of these operations throws {@link DependencyException} and changes nothing, until {@link #heal()}. */
    public void failAll(Predicate<Operation> which) {
        add(new Trap(which, 1, Integer.MAX_VALUE, Moment.BEFORE, () -> {
            throw new DependencyException("memory", "down", new IllegalStateException("as the test asked"));
        }));
    }

    /** The process dies at the n-th write, whatever it is: before it is applied, or right after. */
    public void crashAtWrite(int nth, Moment moment) {
        add(new Trap(Operation::changes, nth, nth, moment, () -> {
            throw new Crash(moment + " write " + nth);
        }));
    }

    /** Runs something at the n-th call of that operation from now on, in the calling thread and outside every lock. */
    public void on(Operation operation, int nth, Moment moment, Runnable action) {
        add(new Trap(operation::equals, nth, nth, moment, action));
    }

    /** Nothing fails or waits any more. */
    public void heal() {
        synchronized (lock) {
            traps.clear();
        }
    }

    /** What was asked so far, in order. */
    public List<Operation> log() {
        synchronized (lock) {
            return List.copyOf(log);
        }
    }

    public void clearLog() {
        synchronized (lock) {
            log.clear();
        }
    }

    public long count(Operation operation) {
        return log().stream().filter(operation::equals).count();
    }

    public long reads() {
        return log().stream()
                .filter(operation -> operation.kind() == Operation.Kind.READ)
                .count();
    }

    public long writes() {
        return log().stream()
                .filter(operation -> operation.kind() == Operation.Kind.WRITE)
                .count();
    }

    <T extends @Nullable Object> T perform(Operation operation, Supplier<T> effect) {
        List<Runnable> before = new ArrayList<>();
        List<Runnable> after = new ArrayList<>();
        synchronized (lock) {
            log.add(operation);
            for (Trap trap : traps) {
                if (trap.which.test(operation)) {
                    trap.seen++;
                    if (trap.seen >= trap.from && trap.seen <= trap.to) {
                        (trap.moment == Moment.BEFORE ? before : after).add(trap.action);
                    }
                }
            }
        }
        before.forEach(Runnable::run);
        T result;
        synchronized (lock) {
            result = effect.get();
        }
        after.forEach(Runnable::run);
        return result;
    }

    /** For looking at and seeding the table without leaving a trace. */
    <T extends @Nullable Object> T quietly(Supplier<T> effect) {
        synchronized (lock) {
            return effect.get();
        }
    }

    private void add(Trap trap) {
        synchronized (lock) {
            traps.add(trap);
        }
    }

    private static DependencyException broken(Operation operation) {
        return new DependencyException("memory", operation + " failed", new IllegalStateException("as the test asked"));
    }
}
