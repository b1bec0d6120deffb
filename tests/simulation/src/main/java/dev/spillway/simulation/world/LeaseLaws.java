package dev.spillway.simulation.world;

import dev.spillway.core.background.Lease;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Whoever held a pool's lease and lost it writes nothing any more: the leases' generations fence what is written under them. */
final class LeaseLaws {
    private final MemoryTable table;
    private final Laws laws;
    /** The latest holder that has written to an item. */
    private final Map<String, Long> fences = new HashMap<>();

    LeaseLaws(MemoryTable table, Laws laws) {
        this.table = table;
        this.laws = laws;
    }

    /** Of the pools' items. */
    Gate.Witness ofPools() {
        return unleased((pool, lease) -> (method, arguments) -> {
            if (method.getName().equals("read")) {
                return result -> {};
            }
            Pool before = table.look(pool).pool();
            return result -> {
                Pool after = table.look(pool).pool();
                if (!before.equals(after) && after.background().lease().generation() != lease.generation()) {
                    throw laws.broken(
                            Invariant.ONE_HOLDER,
                            method.getName() + " under lease " + lease.generation() + " of " + lease.holder()
                                    + " changed pool " + pool + ", whose lease is "
                                    + after.background().lease());
                }
            };
        });
    }

    /** Of their containers' items. */
    Gate.Witness ofContainers() {
        return unleased((pool, lease) -> (method, arguments) -> {
            if (method.getName().equals("find") || !(arguments[1] instanceof ContainerId id)) {
                return result -> {};
            }
            Optional<?> before = table.peek(pool, id);
            return result -> {
                if (!before.equals(table.peek(pool, id))) {
                    wrote(method, pool, id, lease);
                }
            };
        });
    }

    private void wrote(Method method, PoolId pool, ContainerId id, Lease lease) {
        long latest = fences.merge(pool + " " + id, lease.generation(), Math::max);
        if (latest > lease.generation()) {
            throw laws.broken(
                    Invariant.ONE_HOLDER,
                    method.getName() + " under lease " + lease.generation() + " of " + lease.holder() + " changed " + id
                            + ", to which the holder of lease " + latest + " has written");
        }
    }

    private interface Leased {
        Gate.Witness under(PoolId pool, Lease lease);
    }

    private static Gate.Witness unleased(Leased leased) {
        return new Gate.Witness() {
            @Override
            public Seen before(Method method, Object[] arguments) {
                return result -> {};
            }

            @Override
            public Gate.Witness under(PoolId pool, Lease lease) {
                return leased.under(pool, lease);
            }
        };
    }
}
