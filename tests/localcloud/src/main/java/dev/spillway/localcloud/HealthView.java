package dev.spillway.localcloud;

/** What the service loop of ECS sees of a load balancer's health checks. */
@FunctionalInterface
public interface HealthView {

    /** Every target is fine, always. */
    HealthView ALL_HEALTHY = (targetGroup, port) -> TargetHealth.HEALTHY;

    TargetHealth health(String targetGroup, int port);
}
