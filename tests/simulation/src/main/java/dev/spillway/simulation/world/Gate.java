package dev.spillway.simulation.world;

import dev.spillway.core.DependencyException;
import dev.spillway.core.background.Lease;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Every question to a port passes through here: it takes time, and may fail, or be the last that its process asks. */
final class Gate {
    /** Methods that change nothing. */
    private static final Set<String> READS = Set.of(
            "find",
            "read",
            "page",
            "outlines",
            "all",
            "describe",
            "tasks",
            "status",
            "answers",
            "of",
            "atHand",
            "isAnyAtHand",
            "submission",
            "newest");

    private final Scheduler scheduler;
    private final Faults faults;
    private final Trace trace;
    private final Weather weather;
    private final MemoryTable table;

    Gate(Scheduler scheduler, Faults faults, Trace trace, Weather weather, MemoryTable table) {
        this.table = table;
        this.scheduler = scheduler;
        this.faults = faults;
        this.trace = trace;
        this.weather = weather;
    }

    /** Looks at every question: gives what is to be run once it took effect. */
    interface Witness {
        Witness NONE = (method, arguments) -> result -> {};

        /** Called right before the effect. */
        Seen before(Method method, Object[] arguments);

        /** What looks at questions that are asked under a lease. */
        default Witness under(PoolId pool, Lease lease) {
            return this;
        }

        /** Both look at it. */
        default Witness and(Witness other) {
            Witness one = this;
            return new Witness() {
                @Override
                public Seen before(Method method, Object[] arguments) {
                    Seen first = one.before(method, arguments);
                    Seen second = other.before(method, arguments);
                    return result -> {
                        first.after(result);
                        second.after(result);
                    };
                }

                @Override
                public Witness under(PoolId pool, Lease lease) {
                    return one.under(pool, lease).and(other.under(pool, lease));
                }
            };
        }

        /** Called right after it. */
        interface Seen {
            void after(@Nullable Object result);
        }
    }

    /** A port whose questions take time and fail; fenced views of it do so too. */
    <T> T port(Weather.Where where, Class<T> type, T real, Witness witness) {
        return latePort(where, type, () -> real, witness);
    }

    /** The same for one that is there only once the first question is asked. */
    <T> T latePort(Weather.Where where, Class<T> type, Supplier<T> later, Witness witness) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            T real = later.get();
            Object[] given = arguments == null ? new Object[0] : arguments;
            if (method.getDeclaringClass() == Object.class) {
                return method.invoke(real, given);
            }
            if (method.getName().equals("under")) {
                Object fenced = method.invoke(real, given);
                Witness fencing = witness.under((PoolId) given[0], (Lease) given[1]);
                return fenced instanceof Pools pools
                        ? port(where, Pools.class, pools, fencing)
                        : port(where, Containers.class, (Containers) fenced, fencing);
            }
            return ask(where, type, method, given, () -> invoke(real, method, given, witness));
        };
        return type.cast(Proxy.newProxyInstance(Gate.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private @Nullable Object ask(Weather.Where where, Class<?> type, Method method, Object[] given, Question question) {
        @Nullable Object[] answer = new Object[1];
        pass(
                where,
                type.getSimpleName() + "." + method.getName(),
                !READS.contains(method.getName()),
                () -> answer[0] = question.ask(),
                () -> Trace.words(type, method, given, answer[0]));
        return answer[0];
    }

    private static @Nullable Object invoke(Object real, Method method, Object[] given, Witness witness) {
        try {
            Witness.Seen seen = witness.before(method, given);
            Object result = method.invoke(real, given);
            seen.after(result);
            return result;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException thrown) {
                throw thrown;
            }
            if (e.getCause() instanceof Error thrown) {
                throw thrown;
            }
            throw new IllegalStateException(e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private void pass(Weather.Where where, String operation, boolean changes, Runnable effect, Supplier<String> words) {
        Scheduler.Actor who = scheduler.running();
        if (who == null) {
            effect.run();
            return;
        }
        Machine process = who.process();
        Faults.Drawn drawn = faults.draw(who, changes);
        if (drawn.kind() == Faults.Kind.STAND_STILL) {
            trace.write(who.name(), () -> "stands still for " + drawn.requestMicros() / 1_000_000 + " s");
        }
        scheduler.sleep(drawn.requestMicros());
        if (drawn.kind() == Faults.Kind.DIE_BEFORE) {
            trace.write(who.name(), () -> "dies before " + operation);
            process.die();
            throw new Death(process.name());
        }
        Weather.State state = where == Weather.Where.TABLE && process.isCutOff(scheduler.now())
                ? Weather.State.DOWN
                : weather.at(where, scheduler.now());
        if (state == Weather.State.THROTTLED
                && Chance.of(who.hash(), 2, scheduler.now()).hits(0.5)) {
            trace.write(who.name(), () -> operation + " is throttled, and changes nothing");
            throw new DependencyException(where.toString(), operation + " is throttled", new Throttled());
        }
        boolean fails = drawn.kind() == Faults.Kind.BEFORE || state == Weather.State.DOWN;
        if (state == Weather.State.SLOW) {
            scheduler.sleep(Chance.of(who.hash(), 1, scheduler.now()).between(200_000, 2_500_000));
        }
        if (fails) {
            scheduler.sleep(state == Weather.State.DOWN ? 900_000 : 1_000);
            trace.write(who.name(), () -> operation + " fails, and changes nothing");
            throw broken(where, operation);
        }
        table.time(scheduler.instant());
        effect.run();
        if (trace.isOn()) {
            String said = words.get();
            trace.write(who.name(), () -> said);
        }
        if (drawn.kind() == Faults.Kind.DIE_AFTER) {
            trace.write(who.name(), () -> "dies right after it");
            process.die();
            throw new Death(process.name());
        }
        scheduler.sleep(drawn.replyMicros());
        if (drawn.kind() == Faults.Kind.AFTER) {
            trace.write(who.name(), () -> operation + ": the reply is lost");
            throw broken(where, operation);
        }
    }

    private static DependencyException broken(Weather.Where where, String operation) {
        return new DependencyException(where.toString(), operation + " failed", new TimeoutException());
    }

    @FunctionalInterface
    private interface Question {
        @Nullable
        Object ask();
    }
}
