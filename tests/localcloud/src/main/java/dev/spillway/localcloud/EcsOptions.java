package dev.spillway.localcloud;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How the ECS stand-in behaves. Every duration is real time; {@link #atSpeed} scales the defaults.
 *
 * @param launchDelay from a task's creation until its process is expected to serve
 * @param startAllowance the share of {@code launchDelay} that the process needs itself: it is started that much earlier
 * @param firstRestartDelay delay after the second quick failure in a row; doubles with each further one
 * @param longestRestartDelay bound of that delay; 27 minutes (ECS developer guide, 2023)
 * @param quickExit a process that ends within this time of its start counts as a quick failure. ECS itself only counts
 *     tasks that never reached RUNNING: zero gives that behaviour
 * @param protectionMinute how long one minute of {@code expiresInMinutes} lasts
 * @param logDirectory one file per task: {@code service-taskId.log}
 * @param events receives each "ECS Task State Change" event as JSON, on a thread of its own, or null
 */
public record EcsOptions(
        String cluster,
        List<String> availabilityZones,
        Duration launchDelay,
        Duration startAllowance,
        Duration firstRestartDelay,
        Duration longestRestartDelay,
        Duration quickExit,
        Duration protectionMinute,
        Path logDirectory,
        TaskLauncher launcher,
        TargetRegistry targets,
        HealthView health,
        @Nullable Consumer<String> events) {

    /** Measured launches of Fargate take 30 to 60 s by most reports; the requirement counts with 60 s. */
    private static final Duration LAUNCH_DELAY = Duration.ofSeconds(60);

    private static final Duration START_ALLOWANCE = Duration.ofMillis(1_500);
    /** A guess. */
    private static final Duration FIRST_RESTART_DELAY = Duration.ofSeconds(10);

    private static final Duration LONGEST_RESTART_DELAY = Duration.ofMinutes(27);
    /** A guess. */
    private static final Duration QUICK_EXIT = Duration.ofSeconds(30);

    public EcsOptions {
        availabilityZones = List.copyOf(availabilityZones);
        if (availabilityZones.isEmpty()) {
            throw new IllegalArgumentException("cluster " + cluster + " needs an availability zone");
        }
        for (Duration duration :
                List.of(launchDelay, startAllowance, firstRestartDelay, longestRestartDelay, quickExit)) {
            if (duration.isNegative()) {
                throw new IllegalArgumentException("durations of cluster " + cluster + " must not be negative");
            }
        }
        if (!protectionMinute.isPositive()) {
            throw new IllegalArgumentException("protectionMinute is " + protectionMinute + ", must be positive");
        }
    }

    /**
     * Cluster {@code spillway} in two zones without a load balancer, its delays divided by {@code speed}. The start
     * allowance and the minute of a protection are not: processes start, and read clocks, in real time.
     */
    public static EcsOptions atSpeed(double speed, Path logDirectory, TaskLauncher launcher) {
        return new EcsOptions(
                "spillway",
                List.of("us-east-1a", "us-east-1b"),
                scaled(LAUNCH_DELAY, speed),
                START_ALLOWANCE,
                scaled(FIRST_RESTART_DELAY, speed),
                scaled(LONGEST_RESTART_DELAY, speed),
                scaled(QUICK_EXIT, speed),
                Duration.ofMinutes(1),
                logDirectory,
                launcher,
                TargetRegistry.NONE,
                HealthView.ALL_HEALTHY,
                null);
    }

    static Duration scaled(Duration duration, double speed) {
        if (!(speed > 0)) {
            throw new IllegalArgumentException("speed is " + speed + ", must be above 0");
        }
        return Duration.ofNanos(Math.round(duration.toNanos() / speed));
    }

    public EcsOptions withLaunch(Duration delay, Duration allowance) {
        return new EcsOptions(
                cluster,
                availabilityZones,
                delay,
                allowance,
                firstRestartDelay,
                longestRestartDelay,
                quickExit,
                protectionMinute,
                logDirectory,
                launcher,
                targets,
                health,
                events);
    }

    public EcsOptions withRestartDelay(Duration first, Duration longest, Duration exitWithin) {
        return new EcsOptions(
                cluster,
                availabilityZones,
                launchDelay,
                startAllowance,
                first,
                longest,
                exitWithin,
                protectionMinute,
                logDirectory,
                launcher,
                targets,
                health,
                events);
    }

    public EcsOptions withProtectionMinute(Duration minute) {
        return new EcsOptions(
                cluster,
                availabilityZones,
                launchDelay,
                startAllowance,
                firstRestartDelay,
                longestRestartDelay,
                quickExit,
                minute,
                logDirectory,
                launcher,
                targets,
                health,
                events);
    }

    public EcsOptions withLoadBalancer(TargetRegistry registry, HealthView view) {
        return new EcsOptions(
                cluster,
                availabilityZones,
                launchDelay,
                startAllowance,
                firstRestartDelay,
                longestRestartDelay,
                quickExit,
                protectionMinute,
                logDirectory,
                launcher,
                registry,
                view,
                events);
    }

    public EcsOptions withEvents(Consumer<String> consumer) {
        return new EcsOptions(
                cluster,
                availabilityZones,
                launchDelay,
                startAllowance,
                firstRestartDelay,
                longestRestartDelay,
                quickExit,
                protectionMinute,
                logDirectory,
                launcher,
                targets,
                health,
                consumer);
    }
}
