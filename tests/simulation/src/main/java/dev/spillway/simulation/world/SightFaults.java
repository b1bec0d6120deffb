package dev.spillway.simulation.world;

import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.Orders;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Fleet.Task;
import dev.spillway.core.pool.Fleet.TaskPhase;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.TenantId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** What is planted in what somebody sees: no orders, or such as last longer than they do, nobody's calls, or tasks that run. */
final class SightFaults {
    private static final TenantId NOBODY = new TenantId("nobody");

    private final Mutation planted;

    SightFaults(Mutation planted) {
        this.planted = planted;
    }

    private Pools unless(Mutation fault, Pools real, UnaryOperator<Pool> other) {
        return planted == fault ? Planting.seeing(real, other) : real;
    }

    /** Of whoever makes pools grow. */
    Pools poolsOfGrowth(Pools real) {
        Pools heeding = unless(Mutation.A_PAUSE_IS_NOT_HEEDED, real, SightFaults::withoutOrders);
        return unless(Mutation.AN_ORDER_NEVER_ENDS, heeding, SightFaults::withoutEnd);
    }

    /** Of whoever retires containers. */
    Pools poolsOfShifts(Pools real) {
        return unless(Mutation.IDLE_CONTAINERS_ARE_RETIRED_DURING_ORDERS, real, SightFaults::withoutOrders);
    }

    /** Of whoever places calls. */
    Pools poolsOfAnswering(Pools real) {
        if (planted == Mutation.THE_SHARE_IS_NOT_KEPT) {
            return Planting.around(Pools.class, real, (method, arguments, go) -> {
                Object result = go.run();
                return result instanceof Optional<?> found
                                && found.orElse(null) instanceof PoolView view
                                && view.pool().id().isGateway()
                        ? Optional.of(nobodys(view))
                        : result;
            });
        }
        return real;
    }

    private static PoolView nobodys(PoolView gateway) {
        return new PoolView(
                gateway.pool(),
                gateway.containers().stream()
                        .map(container -> {
                            Map<ClaimKey, Claim> claims = new HashMap<>();
                            container
                                    .claims()
                                    .forEach((key, claim) -> claims.put(
                                            key,
                                            new Claim(
                                                    claim.generation(),
                                                    claim.phase(),
                                                    NOBODY,
                                                    claim.arrivedAt(),
                                                    claim.claimedAt(),
                                                    claim.offer(),
                                                    claim.job())));
                            return container.withClaims(claims);
                        })
                        .toList());
    }

    /** Of whoever makes a pool follow its orders. */
    Containers containersOfFollowing(Containers real) {
        return planted == Mutation.CONTAINERS_ARE_NOT_CLOSED
                ? Planting.around(
                        Containers.class,
                        real,
                        (method, arguments, go) -> method.getName().equals("closeUntil") ? (Object) true : go.run())
                : real;
    }

    /** Of whoever compares the table with ECS. */
    Fleet fleetOfMending(Fleet real) {
        return planted == Mutation.STOPS_ARE_SEEN_TOO_LATE
                ? Planting.around(Fleet.class, real, (method, arguments, go) -> {
                    Object result = go.run();
                    return result instanceof List<?> tasks
                            ? tasks.stream()
                                    .map(Task.class::cast)
                                    .map(SightFaults::unstopped)
                                    .toList()
                            : result;
                })
                : real;
    }

    private static Task unstopped(Task task) {
        return task.phase() == TaskPhase.STOPPING
                ? new Task(task.id(), TaskPhase.RUNNING, task.revision(), "", task.createdAt())
                : task;
    }

    private static Pool withoutOrders(Pool pool) {
        return pool.with(draft -> draft.orders = Orders.NONE);
    }

    private static Pool withoutEnd(Pool pool) {
        return pool.orders()
                .last(Order.Subject.POOL)
                .map(order -> pool.with(draft -> draft.orders = draft.orders.with(new Order(
                        order.id(),
                        order.what(),
                        order.who(),
                        order.reason(),
                        order.since(),
                        order.since().plus(Order.LONGEST)))))
                .orElse(pool);
    }
}
