package dev.spillway.simulation.world;

import dev.spillway.core.memory.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and the one baton. Blocking code runs unchanged, each piece on a thread of its own, but only whoever has the
 * baton runs: it is given on at every wait and at every question to a port. Who is next follows from the times alone, so
 * that a seed is always the same run.
 */
final class Scheduler {
    static final Instant START = Sample.NOW;

    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private final Map<String, Integer> names = new HashMap<>();
    private final Set<Actor> actors = new LinkedHashSet<>();
    private long now;
    private long made;
    private long steps;
    private long endMicros;
    private boolean closed;
    private @Nullable Actor running;
    private @Nullable Thread driver;
    private volatile boolean driverHasBaton;
    private @Nullable Throwable failure;

    /** Something that is to happen. */
    static final class Event implements Comparable<Event> {
        private long at;
        private final long number;
        private final @Nullable Machine process;
        private final @Nullable Runnable action;
        private final @Nullable Actor actor;
        private final long wait;

        private Event(
                long at,
                long number,
                @Nullable Machine process,
                @Nullable Runnable action,
                @Nullable Actor actor,
                long wait) {
            this.at = at;
            this.number = number;
            this.process = process;
            this.action = action;
            this.actor = actor;
            this.wait = wait;
        }

        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
        }
    }

    /** Blocking work on a thread of its own. */
    static final class Actor {
        private final String name;
        private final long hash;
        private final Machine process;
        private final Runnable body;
        private @Nullable Thread thread;
        private long waits;
        private long questions;
        private long startedAt;
        private volatile boolean hasBaton;

        private Actor(String name, Machine process, Runnable body) {
            this.name = name;
            this.hash = Chance.hashed(name);
            this.process = process;
            this.body = body;
        }

        String name() {
            return name;
        }

        long hash() {
            return hash;
        }

        Machine process() {
            return process;
        }

        /** When its first step was made, in microseconds: whatever it has read, it has read since then. */
        long startedAt() {
            return startedAt;
        }

        /** Counts what it asked of ports. */
        long question() {
            return ++questions;
        }
    }

    long now() {
        return now;
    }

    Instant instant() {
        return START.plusNanos(now * 1_000);
    }

    /** The time as whoever is running believes it to be. */
    Instant believed() {
        Actor actor = running;
        return instant().plusNanos(actor == null ? 0 : actor.process.clockErrorMicros() * 1_000);
    }

    long steps() {
        return steps;
    }

    /** Whoever has the baton; null between two steps. */
    @Nullable
    Actor running() {
        return running;
    }

    /** Runs something that does not block, then. */
    void at(long micros, @Nullable Machine process, Runnable action) {
        queue.add(new Event(Math.max(micros, now), made++, process, action, null, 0));
    }

    void after(Duration delay, Runnable action) {
        at(now + micros(delay), null, action);
    }

    /** Begins blocking work; a name that was used before gets a number. */
    void spawn(String name, Machine process, long delayMicros, Runnable body) {
        int before = names.merge(name, 1, Integer::sum);
        Actor actor = new Actor(before == 1 ? name : name + "." + before, process, body);
        queue.add(new Event(now + delayMicros, made++, process, null, actor, 0));
    }

    void spawn(String name, Machine process, Runnable body) {
        spawn(name, process, 0, body);
    }

    /** The running actor waits. */
    void sleep(long micros) {
        Actor actor = current();
        if (actor.process.isDead()) {
            throw new Death(actor.process.name());
        }
        if (micros <= 0) {
            return;
        }
        long wait = ++actor.waits;
        Event wake = new Event(now + micros, made++, actor.process, null, actor, wait);
        Event first = queue.peek();
        if ((first == null || wake.compareTo(first) < 0) && wake.at <= endMicros && !actor.process.isFrozen()) {
            step(); // nothing comes before it: no one else needs the baton
            now = wake.at;
            return;
        }
        queue.add(wake);
        giveBaton(actor);
    }

    /** The running actor waits for that, at most so long; whether it came. */
    boolean await(CompletableFuture<?> future, long micros) {
        Actor actor = current();
        if (actor.process.isDead()) {
            throw new Death(actor.process.name());
        }
        if (future.isDone()) {
            return true;
        }
        long wait = ++actor.waits;
        queue.add(new Event(now + Math.max(0, micros), made++, actor.process, null, actor, wait));
        future.whenComplete((value, thrown) -> {
            if (actor.waits == wait && !closed) {
                queue.add(new Event(now, made++, actor.process, null, actor, wait));
            }
        });
        giveBaton(actor);
        return future.isDone();
    }

    void thaw(Machine process) {
        for (Event event : process.thaw()) {
            event.at = Math.max(event.at, now);
            queue.add(event);
        }
    }

    /** Runs until then, or until something fails. */
    void run(long untilMicros) {
        driver = Thread.currentThread();
        endMicros = untilMicros;
        while (failure == null) {
            Event event = queue.peek();
            if (event == null || event.at > untilMicros) {
                now = Math.max(now, untilMicros);
                return;
            }
            queue.poll();
            now = Math.max(now, event.at);
            perform(event);
            step();
        }
        throw failed(failure);
    }

    private void step() {
        steps++;
    }

    /** Ends the run, whatever the flow that is running does with the exception. */
    Violation fail(Violation violation) {
        if (failure == null) {
            failure = violation;
        }
        return violation;
    }

    private void perform(Event event) {
        Machine process = event.process;
        if (process != null && process.isFrozen() && !process.isDead()) {
            process.stall(event);
            return;
        }
        if (event.action != null) {
            if (process == null || !process.isDead()) {
                event.action.run();
            }
            return;
        }
        Actor actor = event.actor;
        if (actor != null && actor.waits == event.wait) {
            resume(actor);
        }
    }

    private void resume(Actor actor) {
        running = actor;
        actor.hasBaton = true;
        if (actor.thread == null) {
            if (actor.process.isDead()) {
                running = null;
                return;
            }
            actors.add(actor);
            actor.startedAt = now;
            actor.thread = Thread.ofVirtual().unstarted(() -> live(actor));
            actor.thread.start();
        } else {
            LockSupport.unpark(actor.thread);
        }
        while (!driverHasBaton) {
            LockSupport.park(this);
        }
        driverHasBaton = false;
        running = null;
    }

    private void live(Actor actor) {
        try {
            actor.body.run();
        } catch (Death death) {
            // as the world wanted
        } catch (Throwable e) {
            if (failure == null) {
                failure = e;
            }
        }
        actors.remove(actor);
        actor.waits++;
        driverHasBaton = true;
        LockSupport.unpark(driver);
    }

    private void giveBaton(Actor actor) {
        actor.hasBaton = false;
        driverHasBaton = true;
        LockSupport.unpark(driver);
        while (!actor.hasBaton) {
            LockSupport.park(this);
        }
        if (actor.process.isDead() || closed) {
            throw new Death(actor.process.name());
        }
    }

    private Actor current() {
        Actor actor = running;
        if (actor == null) {
            throw new IllegalStateException("only an actor can wait");
        }
        return actor;
    }

    /** Ends every thread that still waits. */
    void close() {
        closed = true;
        driver = Thread.currentThread();
        for (int round = 0; round < 1_000 && !actors.isEmpty(); round++) {
            for (Actor actor : List.copyOf(actors)) {
                actor.process.die();
                resume(actor);
            }
        }
        queue.clear();
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    private static RuntimeException failed(Throwable failure) {
        if (failure instanceof RuntimeException e) {
            return e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        return new IllegalStateException(failure);
    }
}
