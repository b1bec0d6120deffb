package dev.spillway.media.life;

import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.media.host.Protection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Makes the heart beat in its intervals, or at once when something ended; renews the protection; measures every minute. An
 * interval that became shorter while it is waited for counts from the last beat: see {@link #hurry}.
 */
final class Pulse {
    private static final Duration METRICS = Duration.ofMinutes(1);

    private final Heart heart;
    private final Protection protection;
    private final Journal journal;
    private final InstantSource clock;
    private final Consumer<String> over;
    private final Runnable measure;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean awake;
    private boolean stopped;

    /** @param over told once when the container is to exit */
    Pulse(
            Heart heart,
            Protection protection,
            Journal journal,
            InstantSource clock,
            Consumer<String> over,
            Runnable measure) {
        this.heart = heart;
        this.protection = protection;
        this.journal = journal;
        this.clock = clock;
        this.over = over;
        this.measure = measure;
    }

    void start() {
        Thread.ofVirtual().name("heartbeat").start(this::run);
        Thread.ofVirtual().name("protection").start(this::renew);
    }

    /** Beats now rather than at the end of the interval. */
    void wake() {
        lock.lock();
        try {
            awake = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Asks the heart for its interval again: it has become shorter. */
    void hurry() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void stop() {
        lock.lock();
        try {
            stopped = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        long measuredAt = System.nanoTime();
        while (await(true)) {
            if (beat() == Heart.Next.EXIT) {
                over.accept("nobody counts on this container any more");
                return;
            }
            if (System.nanoTime() - measuredAt >= METRICS.toNanos()) {
                measuredAt = System.nanoTime();
                unstopped("measuring", measure);
            }
        }
    }

    /** A fault of our own must not stop the heart: the container would be declared lost with its calls. */
    private Heart.Next beat() {
        try {
            return heart.beat();
        } catch (RuntimeException e) {
            journal.write(Entry.of("heartbeat-broken").with("reason", e.toString()));
            return Heart.Next.LIVE_ON;
        }
    }

    /** Nor may one stop the protection: ECS could then choose this task while it has calls. */
    private void unstopped(String what, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            journal.write(Entry.of(what + "-broken").with("reason", e.toString()));
        }
    }

    private void renew() {
        while (await(false)) {
            unstopped("protection", () -> protection.renewIfDue(clock.instant()));
        }
    }

    /** False once it was stopped. */
    private boolean await(boolean wakes) {
        long begun = System.nanoTime();
        lock.lock();
        try {
            while (!stopped && !(wakes && awake)) {
                long left = begun + heart.interval().toNanos() - System.nanoTime();
                if (left <= 0) {
                    break;
                }
                changed.awaitNanos(left); // what a signal meant is looked at in the next round
            }
            if (wakes) {
                awake = false;
            }
            return !stopped;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }
}
