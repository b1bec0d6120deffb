package dev.spillway.simulation.world;

import dev.spillway.core.background.Lease;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Whoever held a pool's lease and lost it writes nothing any more: the leases' generations fence what is written under them.
 * The same for the dialers' lease; and that one is taken from nobody whose time is not over.
 */
final class LeaseLaws {
    private final MemoryTable table;
    private final Scheduler scheduler;
    private final Laws laws;
    /** The latest holder that has written to an item. */
    private final Map<String, Long> fences = new HashMap<>();

    LeaseLaws(MemoryTable table, Scheduler scheduler, Laws laws) {
        this.table = table;
        this.scheduler = scheduler;
        this.laws = laws;
    }

    /** Of the pools' items. */
    Gate.Witness ofPools() {
        return unleased((pool, lease) -> (method, arguments) -> {
            if (method.getName().equals("read")) {
                return result -> {};
            }
            Pool before = table.item(pool);
            return result -> {
                Pool after = table.item(pool);
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

    /** Of the dialers' lease, and of what is entered under it. */
    Gate.Witness ofLines() {
        return (method, arguments) -> {
            PoolId pool = (PoolId) arguments[0];
            Outbound before = table.item(pool).outbound();
            return result -> {
                Outbound after = table.item(pool).outbound();
                Lease lease = after.lease();
                if (lease.generation() != before.lease().generation()) {
                    taken(pool, before.lease(), lease);
                } else if (arguments[1] instanceof Lease held
                        && !before.equals(after)
                        && held.generation() != lease.generation()) {
                    throw laws.broken(
                            Invariant.ONE_HOLDER,
                            method.getName() + " under lease " + held.generation() + " of " + held.holder()
                                    + " changed the calls out of pool " + pool + ", whose dialer has lease " + lease);
                }
            };
        };
    }

    private void taken(PoolId pool, Lease before, Lease lease) {
        if (!before.isFree(scheduler.instant().plusSeconds(Clocks.DIFFER_SECONDS))
                || lease.generation() != before.generation() + 1) {
            throw laws.broken(
                    Invariant.ONE_HOLDER,
                    "dialer " + lease.holder() + " takes lease " + lease.generation() + " of pool " + pool + " from "
                            + before);
        }
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
