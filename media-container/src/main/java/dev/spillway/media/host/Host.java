package dev.spillway.media.host;

import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.ContainerId;
import java.time.Instant;

/**
 * What ECS tells and grants a task from inside. Every method may block, and throws {@link DependencyException} when there is
 * no usable answer.
 */
public interface Host {
    /**
     * @param address the task's private IPv4 address
     * @param revision its task definition, {@code family:revision}
     */
    record Identity(ContainerId id, String address, String revision) {}

    Identity identity();

    /** What ECS said of scale-in protection. */
    sealed interface Granted {
        record Until(Instant expires) implements Granted {}

        /** Refused for now, with ECS's own word: DEPLOYMENT_BLOCKED while a deployment runs. */
        record Refused(String reason) implements Granted {}
    }

    Granted protect(int minutes);

    /** Gives the protection back: ECS may stop this task from now on. */
    void unprotect();
}
