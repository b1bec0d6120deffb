package dev.spillway.localcloud;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An ECS service, as CreateService would describe it. Durations are real time: scale them before.
 *
 * @param desired tasks wanted at the start
 * @param taskFamily family of its task definition; the first revision is 1
 * @param targetGroup group of the load balancer, or null for none
 * @param gracePeriod how long after a task's start its load-balancer health is ignored
 * @param stopTimeout from SIGTERM to SIGKILL
 */
public record ServiceSpec(
        String name,
        int desired,
        String taskFamily,
        @Nullable String targetGroup,
        Duration gracePeriod,
        Duration stopTimeout) {

    /** The longest that ECS accepts: load-balancer health is never acted on. */
    public static final Duration LONGEST_GRACE_PERIOD = Duration.ofSeconds(2_147_483_647L);

    public ServiceSpec {
        if (name.isBlank() || taskFamily.isBlank()) {
            throw new IllegalArgumentException("a service needs a name and a task family");
        }
        if (desired < 0) {
            throw new IllegalArgumentException(
                    "desired count of service " + name + " is " + desired + ", must be 0 or more");
        }
        if (stopTimeout.isNegative() || gracePeriod.isNegative()) {
            throw new IllegalArgumentException("durations of service " + name + " must not be negative");
        }
    }
}
