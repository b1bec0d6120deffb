package dev.spillway.localcloud;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * EventBridge Scheduler: fires functions at an interval, anywhere within its minute (the service's precision), both
 * divided by the speed. One schedule never runs twice at once; a firing whose time passed meanwhile is made at once,
 * and those before it are skipped. A function that throws is tried again at its next time.
 */
public final class Schedules implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PRECISION = Duration.ofMinutes(1);

    private final List<Thread> running = new CopyOnWriteArrayList<>();
    private final AtomicLong failures = new AtomicLong();
    private final double speed;
    private final long seed;
    private volatile boolean paused;

    public Schedules(double speed, long seed) {
        if (!(speed > 0)) {
            throw new IllegalArgumentException("the speed is positive, not " + speed);
        }
        this.speed = speed;
        this.seed = seed;
        System.err.println("schedules: seed " + seed);
    }

    /** Starts a schedule with the default input; the interval is unscaled. */
    public Schedules every(Duration interval, String name, Function function) {
        return every(interval, name, () -> event(name), function);
    }

    /** Starts a schedule whose target is given an input of its own, word for word; the interval is unscaled. */
    public Schedules every(Duration interval, String name, String input, Function function) {
        return every(interval, name, () -> input, function);
    }

    private Schedules every(Duration interval, String name, Supplier<String> input, Function function) {
        if (!interval.isPositive()) {
            throw new IllegalArgumentException("schedule " + name + ": the interval is positive, not " + interval);
        }
        var jitter = new Random(seed ^ name.hashCode());
        running.add(Thread.ofVirtual()
                .name("schedule " + name)
                .start(() -> run(scaled(interval), name, input, function, jitter)));
        return this;
    }

    /** How many firings ended with an exception. */
    public long failures() {
        return failures.get();
    }

    /** As if the service were down: firings are left out until {@link #resume}. One that is under way ends. */
    public void pause() {
        paused = true;
    }

    public void resume() {
        paused = false;
    }

    private long scaled(Duration duration) {
        return Math.max(1, (long) (duration.toNanos() / speed));
    }

    private void run(long interval, String name, Supplier<String> input, Function function, Random jitter) {
        long start = System.nanoTime();
        long window = Math.min(interval, scaled(PRECISION));
        try {
            for (long firing = 0; ; firing = Math.max(firing + 1, (System.nanoTime() - start) / interval)) {
                long at = start + firing * interval + (long) (jitter.nextDouble() * window);
                Thread.sleep(Duration.ofNanos(Math.max(0, at - System.nanoTime())));
                if (!paused) {
                    fire(name, input.get(), function);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void fire(String name, String input, Function function) throws InterruptedException {
        try {
            function.invoke(input.getBytes(StandardCharsets.UTF_8));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            failures.incrementAndGet();
            System.err.println("schedule " + name + ": " + e);
        }
    }

    /** The default input of the Scheduler; its detail is the text {@code {}}, not an object. */
    private static String event(String name) {
        var event = JSON.createObjectNode()
                .put("version", "0")
                .put("id", UUID.randomUUID().toString())
                .put("detail-type", "Scheduled Event")
                .put("source", "aws.scheduler")
                .put("account", "000000000000")
                .put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                .put("region", "us-east-1");
        event.putArray("resources").add("arn:aws:scheduler:us-east-1:000000000000:schedule/default/" + name);
        return event.put("detail", "{}").toString();
    }

    @Override
    public void close() {
        running.forEach(Thread::interrupt);
    }
}
