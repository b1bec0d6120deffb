package dev.spillway.core.memory;

import dev.spillway.core.background.Background;
import dev.spillway.core.background.Lease;
import dev.spillway.core.background.Leases;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

final class MemoryLeases implements Leases {
    private final Operations operations;
    private final MemoryPools pools;
    private final Map<Work, Integer> unfinished = new HashMap<>();
    private final Map<PoolId, Instant> alerted = new HashMap<>();

    private record Work(PoolId pool, String name) {}

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
                return taken(pool.get(), there); // the own write, whose reply was lost
            }
            if (!there.isFree(now)) {
                return new Taking.Held(there);
            }
            Lease lease = new Lease(holder, there.generation() + 1, until);
            Pool taken = pool.get().with(next -> {
                Instant since = next.background.since();
                next.background =
                        new Background(lease, next.background.aliveUntil(), since.equals(Instant.MAX) ? now : since);
            });
            pools.replace(taken);
            unfinished.merge(new Work(id, lease.work()), 1, Integer::sum);
            return taken(taken, lease);
        });
    }

    private Taking taken(Pool pool, Lease lease) {
        return new Taking.Taken(pool, unfinished.getOrDefault(new Work(pool.id(), lease.work()), 1) - 1);
    }

    @Override
    public boolean giveBack(PoolId id, Lease lease, Instant now) {
        return operations.perform(Operation.LEASES_GIVE_BACK, () -> end(id, lease, now, null));
    }

    @Override
    public boolean complete(PoolId id, Lease lease, Instant now, Instant aliveUntil) {
        return operations.perform(Operation.LEASES_COMPLETE, () -> {
            boolean ended = end(id, lease, now, aliveUntil);
            if (ended) {
                unfinished.remove(new Work(id, lease.work()));
            }
            return ended;
        });
    }

    @Override
    public boolean mayAlert(PoolId id, Instant now, Duration apart) {
        return operations.perform(Operation.LEASES_MAY_ALERT, () -> {
            Instant last = alerted.get(id);
            if (pools.item(id).isEmpty() || (last != null && last.plus(apart).isAfter(now))) {
                return false;
            }
            alerted.put(id, now);
            return true;
        });
    }

    private boolean end(PoolId id, Lease lease, Instant now, @Nullable Instant aliveUntil) {
        Optional<Pool> pool =
                pools.item(id).filter(item -> item.background().lease().generation() == lease.generation());
        pool.ifPresent(item -> pools.replace(item.with(next -> next.background = new Background(
                next.background.lease().until(now),
                aliveUntil == null ? next.background.aliveUntil() : aliveUntil,
                next.background.since()))));
        return pool.isPresent();
    }
}
