package dev.spillway.core.background;

import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import java.util.Objects;

/**
 * One holder's time with one pool. Background work reaches the table through these two views alone: they read everything,
 * and write only while no later holder has come.
 *
 * @param pools fenced by the lease; writes to that pool alone
 * @param containers fenced by the lease; writes to that pool's containers alone
 */
public record Shift(PoolId pool, Lease lease, Pools pools, Containers containers) {
    public Shift {
        Objects.requireNonNull(pool);
        Objects.requireNonNull(lease);
        Objects.requireNonNull(pools);
        Objects.requireNonNull(containers);
    }
}
