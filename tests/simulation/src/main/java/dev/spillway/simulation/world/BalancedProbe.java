package dev.spillway.simulation.world;

import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Probe;
import java.util.HashMap;
import java.util.Map;

/**
 * {@code GET /live/…} through a pool's load balancer: whichever container gets it answers for itself, or looks the other's
 * address up in the table and asks it. Whatever stands still on the way lets the question time out.
 */
final class BalancedProbe implements Probe {
    private final Ports ports;
    private final Balancers balancers;
    private final MemoryTable table;
    private final long seed;
    private final Map<ContainerId, Chance> balancing = new HashMap<>();

    BalancedProbe(Ports ports, Balancers balancers, MemoryTable table, long seed) {
        this.ports = ports;
        this.balancers = balancers;
        this.table = table;
        this.seed = seed;
    }

    @Override
    public boolean answers(Pool pool, ContainerId id) {
        Chance chance =
                balancing.computeIfAbsent(id, asked -> Chance.of(seed, "load balancers for probes of " + asked));
        MediaTask target = balancers.target(pool.id(), chance);
        if (target == null || !isAwake(target)) {
            return false;
        }
        return target.self().id().equals(id) || (isInTable(target, pool.id(), id) && isServing(pool.id(), id));
    }

    /** Whether that container finds the other there. */
    private boolean isInTable(MediaTask asked, PoolId pool, ContainerId id) {
        return !asked.process().isCutOff(ports.scheduler().now())
                && table.peek(pool, id).isPresent();
    }

    private boolean isServing(PoolId pool, ContainerId id) {
        return ports.tasks(pool).stream().anyMatch(task -> task.self().id().equals(id) && isAwake(task));
    }

    private static boolean isAwake(MediaTask task) {
        return task.isListening() && !task.process().isFrozen();
    }
}
