package dev.spillway.localcloud;

import java.time.Duration;

/**
 * How the load balancer behaves. Every duration is real time; {@link #atSpeed} scales what is scaled.
 *
 * @param healthPath asked of every target; 200 passes
 * @param unhealthyThreshold failed checks in a row that make a target unhealthy
 * @param healthyThreshold passed checks in a row that make an unhealthy target healthy; a new one needs one
 * @param deregistrationDelay how long the connections of a deregistered target live on
 * @param connectTimeout after which a target that does not accept is answered for with 504
 * @param idleTimeout without a byte either way a connection is closed; a request without an answer gets 504
 */
public record LoadBalancerOptions(
        String healthPath,
        Duration healthInterval,
        Duration healthTimeout,
        int unhealthyThreshold,
        int healthyThreshold,
        Duration deregistrationDelay,
        Duration connectTimeout,
        Duration idleTimeout) {

    private static final Duration SHORTEST = Duration.ofSeconds(30);

    public LoadBalancerOptions {
        if (!healthInterval.isPositive() || !healthTimeout.isPositive() || !connectTimeout.isPositive()) {
            throw new IllegalArgumentException("health interval, health and connect time-outs must be positive");
        }
        if (unhealthyThreshold < 1 || healthyThreshold < 1) {
            throw new IllegalArgumentException("thresholds must be 1 or more");
        }
    }

    /**
     * Checks every 10 s (two failures, two passes) and a deregistration delay of 300 s, divided by {@code speed}, but 30 s at
     * least of the latter, since the ends of turns that calls leave at come no faster; health time-out 5 s, connect time-out 10 s and idle time-out 60 s in real time, as a real load balancer's defaults: how fast a
     * machine answers does not follow the speed.
     */
    public static LoadBalancerOptions atSpeed(double speed) {
        Duration deregistration = EcsOptions.scaled(Duration.ofMinutes(5), speed);
        return new LoadBalancerOptions(
                "/target",
                EcsOptions.scaled(Duration.ofSeconds(10), speed),
                Duration.ofSeconds(5),
                2,
                2,
                deregistration.compareTo(SHORTEST) < 0 ? SHORTEST : deregistration,
                Duration.ofSeconds(10),
                Duration.ofSeconds(60));
    }

    public LoadBalancerOptions withHealth(Duration interval, Duration timeout) {
        return new LoadBalancerOptions(
                healthPath,
                interval,
                timeout,
                unhealthyThreshold,
                healthyThreshold,
                deregistrationDelay,
                connectTimeout,
                idleTimeout);
    }

    public LoadBalancerOptions withDeregistrationDelay(Duration delay) {
        return new LoadBalancerOptions(
                healthPath,
                healthInterval,
                healthTimeout,
                unhealthyThreshold,
                healthyThreshold,
                delay,
                connectTimeout,
                idleTimeout);
    }

    public LoadBalancerOptions withIdleTimeout(Duration timeout) {
        return new LoadBalancerOptions(
                healthPath,
                healthInterval,
                healthTimeout,
                unhealthyThreshold,
                healthyThreshold,
                deregistrationDelay,
                connectTimeout,
                timeout);
    }
}
