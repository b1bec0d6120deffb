package dev.spillway.simulation.world;

import dev.spillway.core.pool.PoolId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The load balancers by which the containers are reached: one before each pool. */
final class Balancers {
    private final Ports ports;

    Balancers(Ports ports) {
        this.ports = ports;
    }

    /**
     * The target with the fewest open requests among the healthy ones; among all that are registered if none is. A task is
     * registered when it runs, before its process listens: then its connection is refused.
     */
    @Nullable
    MediaTask target(PoolId pool, Chance chance) {
        List<MediaTask> targets =
                ports.tasks(pool).stream().filter(MediaTask::isRegistered).toList();
        boolean stale = chance.hits(0.1); // the last check of a frozen one may have been a moment before
        List<MediaTask> healthy = targets.stream()
                .filter(task -> task.isHealthy() && (stale || !task.process().isFrozen()))
                .toList();
        List<MediaTask> chosen = healthy.isEmpty() ? targets : healthy;
        long fewest = chosen.stream().mapToLong(this::openRequests).min().orElse(0);
        List<MediaTask> least =
                chosen.stream().filter(task -> openRequests(task) == fewest).toList();
        return least.isEmpty() ? null : chance.oneOf(least);
    }

    /** Streams that go through that target, whoever serves them. */
    private long openRequests(MediaTask target) {
        return ports.tasks(target.pool()).stream()
                .flatMap(task -> task.conversations().stream())
                .filter(conversation ->
                        conversation.via() == null ? conversation.task() == target : conversation.via() == target)
                .count();
    }
}
