package dev.spillway.simulation.world;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.JobId;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderId;
import dev.spillway.core.order.Orders;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.ScaleIn;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An order holds while it is in force. Whoever began to work before it was written may not have seen it: so it binds those
 * who began, or looked at the pool, later.
 */
final class OrderLaws {
    private static final long SECOND = 1_000_000;
    /** An order is followed at once by the function that takes it; the containers hear of it with their next heartbeats. */
    private static final long FOLLOWED_WHEN_CALM = 20 * SECOND;

    private final MemoryTable table;
    private final Scheduler scheduler;
    private final Laws laws;
    private final boolean calm;
    private final Map<OrderId, Long> writtenAt = new HashMap<>();
    private final Map<String, Long> looks = new HashMap<>();

    /** @param calm whether nothing goes wrong at all */
    OrderLaws(MemoryTable table, Scheduler scheduler, Laws laws, boolean calm) {
        this.table = table;
        this.scheduler = scheduler;
        this.laws = laws;
        this.calm = calm;
    }

    private void require(boolean holds, Supplier<String> what) {
        if (!holds) {
            throw laws.broken(Invariant.ORDERS, what.get());
        }
    }

    /** The order in force that everybody must know who knows the pool as it was then. */
    private Optional<Order> binding(PoolId pool, Order.Subject subject, long knownSince) {
        return inForce(pool, subject).filter(order -> knownSince >= writtenAt.getOrDefault(order.id(), Long.MAX_VALUE));
    }

    private Optional<Order> inForce(PoolId pool, Order.Subject subject) {
        Instant later = scheduler.instant().plusSeconds(Clocks.DIFFER_SECONDS);
        return table.item(pool).orders().inForce(subject, later);
    }

    /** Since when the running function works; empty if none is running. */
    private Optional<Long> workingSince() {
        return Optional.ofNullable(scheduler.running())
                .filter(actor -> actor.process().mayDie())
                .map(Scheduler.Actor::startedAt);
    }

    private static boolean closes(Order order) {
        return order.what() instanceof Order.Drain || order.what() instanceof Order.ToGateway;
    }

    /** Looks at each write of a pool's item. */
    Gate.Witness ofPools() {
        return (method, arguments) -> {
            PoolId pool = (PoolId) arguments[0];
            if (method.getName().equals("read")) {
                return result -> Optional.ofNullable(scheduler.running())
                        .ifPresent(actor -> looks.put(actor.name() + " " + pool, scheduler.now()));
            }
            int before = table.item(pool).desired();
            Orders ordered = table.item(pool).orders();
            return result -> {
                note(ordered, table.item(pool).orders());
                int after = table.item(pool).desired();
                if (before != after) {
                    workingSince()
                            .flatMap(since -> binding(pool, Order.Subject.POOL, since))
                            .ifPresent(order -> counts(pool, order, before, after));
                }
            };
        };
    }

    private void note(Orders before, Orders after) {
        for (Order.Subject subject : Order.Subject.values()) {
            after.last(subject)
                    .filter(order -> !Objects.equals(order, before.last(subject).orElse(null)))
                    .ifPresent(order -> writtenAt.put(order.id(), scheduler.now()));
        }
    }

    private void counts(PoolId pool, Order order, int before, int after) {
        boolean allowed = switch (order.what()) {
            case Order.Pause pause -> false;
            case Order.Pin pin -> true;
            case Order.Drain drain -> after < before;
            case Order.ToGateway toGateway -> after < before; // of what was drained before
            case Order.StopOutbound stop -> true;
        };
        require(
                allowed,
                () -> "the count of pool " + pool + " went from " + before + " to " + after + " while "
                        + order.because());
    }

    /** Looks at each write of a container's item. */
    Gate.Witness ofContainers() {
        return (method, arguments) -> result -> {
            switch (method.getName()) {
                case "become" -> {
                    if (Boolean.TRUE.equals(result)) {
                        become(
                                (PoolId) arguments[0],
                                (ContainerId) arguments[1],
                                arguments[2],
                                arguments[3],
                                arguments[5]);
                    }
                }
                case "claim" -> {
                    if (result instanceof ClaimResult.Claimed) {
                        claimed((PoolId) arguments[0], (ContainerId) arguments[1], arguments[2], (Claim) arguments[3]);
                    }
                }
                default -> {}
            }
        };
    }

    private void become(PoolId pool, ContainerId id, Object from, Object to, Object reason) {
        workingSince()
                .flatMap(since -> binding(pool, Order.Subject.POOL, since))
                .ifPresent(order -> {
                    require(
                            !(to == ContainerState.DRAINING && ScaleIn.IDLE.equals(reason)),
                            () -> id + " is drained for idleness while " + order.because());
                    require(
                            !(from == ContainerState.DRAINING && to == ContainerState.READY)
                                    || order.what() instanceof Order.Pin,
                            () -> id + " is taken back while " + order.because());
                });
    }

    private void claimed(PoolId pool, ContainerId id, Object key, Claim claim) {
        if (pool.isGateway()) {
            return;
        }
        workingSince()
                .flatMap(since -> binding(pool, Order.Subject.POOL, since))
                .filter(OrderLaws::closes)
                .filter(order -> !waitsThere(claim, key, id))
                .ifPresent(order ->
                        require(false, () -> key + " is given a new slot on " + id + " while " + order.because()));
        Optional<Order> known = calm
                ? binding(pool, Order.Subject.POOL, scheduler.now() - FOLLOWED_WHEN_CALM)
                        .filter(OrderLaws::closes)
                : Optional.empty();
        known.filter(order -> hasBeenReady(pool, id))
                .ifPresent(order -> require(
                        claim.generation().hop() > 1,
                        () -> id + " takes the new call " + key + " while " + order.because()));
    }

    /** One that becomes READY while an order is in force is closed by then: its event makes the pool follow its orders. */
    private boolean hasBeenReady(PoolId pool, ContainerId id) {
        return table.look(pool, id)
                .stateSince()
                .isBefore(scheduler
                        .instant()
                        .minusNanos(FOLLOWED_WHEN_CALM * 1_000)
                        .minusSeconds(Clocks.DIFFER_SECONDS));
    }

    /** Its stream did not open, and the slot that waits for it is claimed anew. */
    private boolean waitsThere(Claim claim, Object key, ContainerId id) {
        return key instanceof CallSid sid
                && table.peek(claim.tenant(), sid)
                        .flatMap(call -> call.current())
                        .filter(answer -> answer instanceof Answer.Stream stream && id.equals(stream.container()))
                        .isPresent();
    }

    /** Twilio takes a request to dial. */
    void dials(JobId job) {
        PoolId pool = PoolId.of(job.tenant());
        String who = Optional.ofNullable(scheduler.running())
                .map(Scheduler.Actor::name)
                .orElse("");
        long looked = looks.getOrDefault(who + " " + pool, -1L);
        for (Order.Subject subject : List.of(Order.Subject.OUTBOUND, Order.Subject.POOL)) {
            binding(pool, subject, looked)
                    .filter(order -> closes(order) || order.what() instanceof Order.StopOutbound)
                    .ifPresent(order -> require(false, () -> "job " + job + " is dialled while " + order.because()));
        }
    }

    /**
     * The sweeper has made the pool follow its orders, and nobody took the pool before it was done.
     *
     * @param begunMicros when that visit began: whatever was READY before, it has seen
     */
    void followed(PoolId pool, long begunMicros) {
        Instant begun = Scheduler.START.plusNanos(begunMicros * 1_000).minusSeconds(Clocks.DIFFER_SECONDS);
        binding(pool, Order.Subject.POOL, begunMicros)
                .filter(OrderLaws::closes)
                .ifPresent(order -> table.look(pool)
                        .in(ContainerState.READY)
                        .filter(container -> container.stateSince().isBefore(begun))
                        .forEach(container -> require(
                                container.isClosed(scheduler.instant()),
                                () -> container.id() + " is not closed, and the sweeper was there while "
                                        + order.because())));
    }

    /** Twice a second, where nothing goes wrong: what is pinned is asked for. */
    void look(List<PoolId> pools) {
        if (!calm || writtenAt.isEmpty()) {
            return;
        }
        for (PoolId pool : pools) {
            binding(pool, Order.Subject.POOL, scheduler.now() - FOLLOWED_WHEN_CALM)
                    .ifPresent(order -> {
                        PoolView view = table.look(pool);
                        if (order.what() instanceof Order.Pin(int containers)) {
                            int wanted =
                                    Math.min(containers, view.pool().policy().maximum());
                            require(
                                    view.pool().desired() >= wanted,
                                    () -> "pool " + pool + " asks for "
                                            + view.pool().desired() + " containers while " + order.because());
                        }
                    });
        }
    }
}
