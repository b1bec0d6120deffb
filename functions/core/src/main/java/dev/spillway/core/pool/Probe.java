package dev.spillway.core.pool;

/** Asks a silent container through its pool's load balancer whether it lives. */
@FunctionalInterface
public interface Probe {
    /** True only if that very container answered; a time-out is false. */
    boolean answers(Pool pool, ContainerId id);
}
