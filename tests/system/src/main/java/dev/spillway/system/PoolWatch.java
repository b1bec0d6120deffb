package dev.spillway.system;

import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Looks at a tenant's pool and at the gateway a few times a second, as an onlooker who only reads the table. */
final class PoolWatch implements AutoCloseable {

    /**
     * @param slots claims per READY container, in the order of their start
     * @param draining containers that take no more calls but have not gone
     * @param onGateway calls of the tenant whose claim is on the gateway
     */
    record Glance(Instant at, int desired, List<Integer> slots, int limit, int starting, int draining, int onGateway) {
        int containers() {
            return slots.size();
        }

        int activeCalls() {
            return slots.stream().mapToInt(Integer::intValue).sum();
        }
    }

    private final Pools pools;
    private final TenantId tenant;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("pool-watch").factory());

    PoolWatch(Pools pools, TenantId tenant) {
        this.pools = pools;
        this.tenant = tenant;
    }

    /** Calls the consumer four times a second, on one thread, until closed. */
    void start(Consumer<Glance> consumer) {
        timer.scheduleWithFixedDelay(() -> glance().ifPresent(consumer), 0, 250, TimeUnit.MILLISECONDS);
    }

    /** Empty while the table cannot be read. */
    Optional<Glance> glance() {
        try {
            Optional<PoolView> own = pools.read(PoolId.of(tenant));
            Optional<PoolView> gateway = pools.read(PoolId.GATEWAY);
            return own.isEmpty() || gateway.isEmpty() ? Optional.empty() : Optional.of(of(own.get(), gateway.get()));
        } catch (DependencyException e) {
            return Optional.empty();
        }
    }

    private Glance of(PoolView own, PoolView gateway) {
        Instant now = Instant.now();
        List<Container> ready = own.claimable(now)
                .sorted(java.util.Comparator.comparing(Container::startedAt))
                .toList();
        long starting = own.in(ContainerState.STARTING).count();
        long draining = own.containers().stream()
                .filter(container ->
                        container.state() == ContainerState.DRAINING || container.state() == ContainerState.DRAINED)
                .count();
        long held = gateway.containers().stream()
                .flatMap(container -> container.claims().values().stream())
                .filter(claim -> claim.tenant().equals(tenant))
                .count();
        return new Glance(
                now,
                own.pool().desired(),
                ready.stream().map(PoolWatch::connected).toList(),
                own.pool().policy().limit(),
                (int) starting,
                (int) draining,
                (int) held);
    }

    /** Slots with a conversation or one about to begin. */
    private static int connected(Container container) {
        Map<?, Claim> claims = container.claims();
        return (int) claims.values().stream()
                .filter(claim -> claim.phase() != Claim.Phase.COOLDOWN)
                .count();
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
