package dev.spillway.core.memory;

import dev.spillway.core.background.Lease;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderId;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

final class MemoryPools implements Pools {
    private final Operations operations;
    private final Map<PoolId, Pool> items;
    private final MemoryContainers containers;
    private final @Nullable Fence fence;

    MemoryPools(Operations operations, MemoryContainers containers) {
        this(operations, new HashMap<>(), containers, null);
    }

    private MemoryPools(
            Operations operations, Map<PoolId, Pool> items, MemoryContainers containers, @Nullable Fence fence) {
        this.operations = operations;
        this.items = items;
        this.containers = containers;
        this.fence = fence;
    }

    @Override
    public Pools under(PoolId id, Lease lease) {
        return new MemoryPools(operations, items, containers, new Fence(id, lease));
    }

    /** The item if it may be written; only inside an operation. */
    private @Nullable Pool open(PoolId id) {
        Pool pool = items.get(id);
        return fence == null || (fence.covers(id) && pool != null && fence.lets(pool)) ? pool : null;
    }

    /** Only inside an operation. */
    Optional<Pool> item(PoolId id) {
        return Optional.ofNullable(items.get(id));
    }

    /** Only inside an operation. */
    void replace(Pool pool) {
        items.put(pool.id(), pool);
    }

    void put(Pool pool) {
        operations.quietly(() -> items.put(pool.id(), pool));
    }

    Optional<PoolView> look(PoolId id) {
        return operations.quietly(() -> view(id));
    }

    @Override
    public Optional<PoolView> read(PoolId id) {
        return operations.perform(Operation.POOLS_READ, () -> view(id));
    }

    private Optional<PoolView> view(PoolId id) {
        List<Container> members = containers.of(id);
        return Optional.ofNullable(items.get(id)).map(pool -> new PoolView(pool, members));
    }

    @Override
    public boolean desire(
            PoolId id, int desired, long version, @Nullable ContainerId lowering, Pool.Decision decision) {
        return operations.perform(Operation.POOLS_DESIRE, () -> {
            Pool pool = open(id);
            if (pool == null
                    || pool.version() != version
                    || (lowering != null && pool.lowered().containsKey(lowering))) {
                return false;
            }
            Map<ContainerId, Instant> lowered = new HashMap<>(pool.lowered());
            if (lowering != null) {
                lowered.put(lowering, decision.at());
            }
            Instant launchSince = desired > pool.desired() ? decision.at() : pool.launchSince();
            items.put(id, pool.with(next -> {
                next.desired = desired;
                next.version++;
                next.launchSince = launchSince;
                next.lowered = lowered;
                Sample.decide(next, decision);
            }));
            return true;
        });
    }

    @Override
    public void note(PoolId id, Pool.Decision decision) {
        change(Operation.POOLS_NOTE, id, pool -> pool.with(next -> Sample.decide(next, decision)));
    }

    @Override
    public void restartIdleWindow(PoolId id, Instant now) {
        change(
                Operation.POOLS_RESTART_IDLE_WINDOW,
                id,
                pool -> pool.idleSince().isBefore(now) ? pool.with(next -> next.idleSince = now) : pool);
    }

    @Override
    public boolean lockScaleIn(PoolId id, Instant now, Instant until) {
        return operations.perform(Operation.POOLS_LOCK_SCALE_IN, () -> {
            Pool pool = open(id);
            if (pool == null || pool.scaleInLockedUntil().isAfter(now)) {
                return false;
            }
            items.put(id, pool.with(next -> next.scaleInLockedUntil = until));
            return true;
        });
    }

    @Override
    public void forget(PoolId id, ContainerId gone) {
        change(Operation.POOLS_FORGET, id, pool -> {
            Map<ContainerId, Instant> lowered = new HashMap<>(pool.lowered());
            lowered.remove(gone);
            return pool.with(next -> next.lowered = lowered);
        });
    }

    @Override
    public void recordLaunches(PoolId id, Pool.Launches launches, Instant launchSince) {
        change(
                Operation.POOLS_RECORD_LAUNCHES,
                id,
                pool -> pool.with(next -> {
                    next.launches = launches;
                    next.launchSince = launchSince;
                }));
    }

    @Override
    public boolean order(PoolId id, Order order, @Nullable OrderId seen) {
        return operations.perform(Operation.POOLS_ORDER, () -> {
            Pool pool = open(id);
            if (pool == null) {
                return false;
            }
            @Nullable
            OrderId last =
                    pool.orders().last(order.what().subject()).map(Order::id).orElse(null);
            if (!Objects.equals(last, seen)) {
                return order.id().equals(last); // a lost reply
            }
            items.put(id, pool.with(next -> next.orders = next.orders.with(order)));
            return true;
        });
    }

    @Override
    public boolean endOrder(PoolId id, Order order) {
        return operations.perform(Operation.POOLS_END_ORDER, () -> {
            Pool pool = open(id);
            Order.Subject subject = order.what().subject();
            if (pool == null
                    || pool.orders()
                            .last(subject)
                            .filter(last -> last.id().equals(order.id()))
                            .isEmpty()) {
                return false;
            }
            items.put(id, pool.with(next -> next.orders = next.orders.without(subject)));
            return true;
        });
    }

    @Override
    public void recordSilence(PoolId id, Instant silentSince, Instant heardAgainAt) {
        change(
                Operation.POOLS_RECORD_SILENCE,
                id,
                pool -> pool.with(next -> {
                    next.silentSince = silentSince;
                    next.heardAgainAt = heardAgainAt;
                }));
    }

    private void change(Operation operation, PoolId id, UnaryOperator<Pool> change) {
        operations.perform(operation, () -> {
            Pool pool = open(id);
            return pool == null ? null : items.put(id, change.apply(pool));
        });
    }
}
