package dev.spillway.localcloud;

/** What a load balancer thinks of a target. */
public enum TargetHealth {
    /** Registered, no check passed yet, not enough failed. */
    INITIAL,
    HEALTHY,
    UNHEALTHY,
    /** Not registered, or being drained. */
    UNUSED
}
