package dev.spillway.core.memory;

import dev.spillway.core.background.Background;
import dev.spillway.core.background.Lease;
import dev.spillway.core.background.Leases;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

final class MemoryLeases implements Leases {
    private final Operations operations;
    private final MemoryPools pools;

    MemoryLeases(Operations operations, MemoryPools pools) {
        this.operations = operations;
        this.pools = pools;
    }

    @Override
    public Taking take(PoolId id, String holder, Instant now, Instant until) {
        return operations.perform(Operation.LEASES_TAKE, () -> {
            Optional<Pool> pool = pools.item(id);
            if (pool.isEmpty()) {
                return new Taking.NoPool();
            }
            Lease there = pool.get().background().lease();
            if (there.holder().equals(holder)) {
                return new Taking.Taken(pool.get()); // the own write, whose reply was lost
            }
            if (!there.isFree(now)) {
                return new Taking.Held(there);
            }
            Lease lease = new Lease(holder, there.generation() + 1, until);
            Pool taken = pool.get().with(next -> next.background = new Background(lease, next.background.aliveUntil()));
            pools.replace(taken);
            return new Taking.Taken(taken);
        });
    }

    @Override
    public boolean giveBack(PoolId id, Lease lease, Instant now) {
        return operations.perform(Operation.LEASES_GIVE_BACK, () -> end(id, lease, now, null));
    }

    @Override
    public boolean complete(PoolId id, Lease lease, Instant now, Instant aliveUntil) {
        return operations.perform(Operation.LEASES_COMPLETE, () -> end(id, lease, now, aliveUntil));
    }

    private boolean end(PoolId id, Lease lease, Instant now, @Nullable Instant aliveUntil) {
        Optional<Pool> pool =
                pools.item(id).filter(item -> item.background().lease().generation() == lease.generation());
        pool.ifPresent(item -> pools.replace(item.with(next -> next.background = new Background(
                next.background.lease().until(now), aliveUntil == null ? next.background.aliveUntil() : aliveUntil))));
        return pool.isPresent();
    }
}
