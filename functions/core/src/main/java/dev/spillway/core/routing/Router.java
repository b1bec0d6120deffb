package dev.spillway.core.routing;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.Offer;
import dev.spillway.core.order.Order;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The one routing rule, for calls that overflow and for calls that continue. */
public final class Router {
    private Router() {}

    /**
     * @param call the attempt as it stands
     * @param own the tenant's pool
     * @param gateway the shared pool
     * @param refused containers whose slot was just lost to another call
     */
    public static Route route(Call call, PoolView own, PoolView gateway, Set<ContainerId> refused, Instant now) {
        if (call.isOver()) {
            return new Route.ToHangUp("the conversation is finished");
        }
        if (call.isGoingInCircles(now)) {
            return new Route.ToApology(
                    "moved " + Call.MOST_MOVES + " times within " + Call.MOVES_WINDOW.toSeconds() + " s");
        }
        Optional<Container> offered = offered(call, own, now);
        if (offered.isPresent()) {
            return new Route.ToSlot(offered.get(), "this slot was offered to the call");
        }
        Optional<Container> again =
                waiting(call, own, gateway, now).filter(container -> !refused.contains(container.id()));
        if (again.isPresent()) {
            return new Route.ToSlot(again.get(), "its stream did not open, and the slot still waits for it");
        }
        // Whoever let the call go comes last: what made it do so, a bot that is gone, say, is likely to be there still.
        Optional<ContainerId> left = left(call);
        Set<ContainerId> avoided = new HashSet<>(refused);
        left.ifPresent(avoided::add);
        Optional<Order> closing = own.pool().orders().closing(now);
        if (closing.isPresent()) {
            Route route = toGateway(call, gateway, avoided, closing.get().because(), now);
            return orBack(route, left, refused, gateway.containers().stream(), now);
        }
        // Fullest first: calls stay together, so that other containers empty and can be retired.
        Optional<Container> free = own.claimable(now)
                .filter(container -> container.free(now) > 0 && !avoided.contains(container.id()))
                .min(Comparator.comparingInt((Container container) -> container.free(now))
                        .thenComparing(Container::id));
        if (free.isPresent()) {
            return new Route.ToSlot(free.get(), "the tenant's pool has a free slot");
        }
        Route route = toGateway(call, gateway, avoided, "no free slot in the tenant's pool", now);
        return orBack(
                route, left, refused, Stream.concat(own.containers().stream(), gateway.containers().stream()), now);
    }

    /** The container in which the call was talking until it asked where to go on. */
    private static Optional<ContainerId> left(Call call) {
        return call.connectedHop() == call.hop() && call.current().orElse(null) instanceof Answer.Stream stream
                ? Optional.ofNullable(stream.container())
                : Optional.empty();
    }

    /** The container that let the call go is still better than none. */
    private static Route orBack(
            Route route,
            Optional<ContainerId> left,
            Set<ContainerId> refused,
            Stream<Container> containers,
            Instant now) {
        if (route instanceof Route.ToSlot) {
            return route;
        }
        return left.filter(id -> !refused.contains(id))
                .flatMap(id -> containers
                        .filter(container -> container.id().equals(id) && container.free(now) > 0)
                        .findFirst())
                .<Route>map(container -> new Route.ToSlot(container, "no other place than the one that let it go"))
                .orElse(route);
    }

    private static Route toGateway(Call call, PoolView gateway, Set<ContainerId> refused, String reason, Instant now) {
        if (gateway.claimable(now).findAny().isEmpty()) {
            return new Route.ToGatewayUnclaimed(
                    "no READY gateway container has been heard lately: what is known may be old");
        }
        int share = share(gateway, now);
        int used = callsOfOthers(call, gateway, now);
        if (isOverShare(call, gateway, now)) {
            return new Route.ToBusy("the tenant has " + used + " of its share of " + share + " gateway slots");
        }
        // Emptiest first: a lost gateway container then moves as few calls as possible.
        return gateway.claimable(now)
                .filter(container -> container.free(now) > 0 || isReservedFor(call, container))
                .filter(container -> !refused.contains(container.id()))
                .max(Comparator.comparingInt((Container container) -> container.free(now))
                        .thenComparing(Container::id, Comparator.reverseOrder()))
                .<Route>map(container -> new Route.ToSlot(container, reason))
                .orElseGet(() -> new Route.ToBusy(reason + ", and the gateway is full"));
    }

    /** Whether a webhook claimed a slot there for the call and did not get to say so: the next one may have it. */
    private static boolean isReservedFor(Call call, Container container) {
        Claim claim = container.claims().get(call.sid());
        return claim != null
                && claim.phase() == Claim.Phase.RESERVED
                && claim.generation().hop() == call.hop() + 1
                && !container.report().isRefusing();
    }

    /** The offered slot, if its claim is still there for this call. */
    private static Optional<Container> offered(Call call, PoolView own, Instant now) {
        Offer offer = call.offer();
        if (offer == null) {
            return Optional.empty();
        }
        return own.container(offer.container())
                .filter(container ->
                        container.isAlive(now) && !container.report().agentMissing())
                .filter(container -> {
                    Claim claim = container.claims().get(call.sid());
                    return claim != null && claim.generation().equals(offer.generation());
                });
    }

    /**
     * The container whose slot still waits for the call although its stream did not open: a load balancer whose targets are
     * all unhealthy also sends to one that is not listening yet. Tried once more, not for ever: the hop before must have
     * been elsewhere.
     */
    private static Optional<Container> waiting(Call call, PoolView own, PoolView gateway, Instant now) {
        if (!(call.current().orElse(null) instanceof Answer.Stream stream)
                || stream.container() == null
                || call.connectedHop() == call.hop()
                || isSentTo(stream.container(), call.answers().get(call.hop() - 1))) {
            return Optional.empty();
        }
        return (stream.pool().isGateway() ? gateway : own)
                .container(stream.container())
                .filter(container ->
                        container.isClaimable(now) && !container.report().agentMissing())
                .filter(container -> {
                    Claim claim = container.claims().get(call.sid());
                    return claim != null
                            && claim.phase() == Claim.Phase.RESERVED
                            && claim.generation().equals(stream.generation());
                });
    }

    private static boolean isSentTo(ContainerId container, @Nullable Answer answer) {
        return answer instanceof Answer.Stream stream && container.equals(stream.container());
    }

    /**
     * Whether the share keeps the call out: only a new one. A caller who is already talking is not cut off for it, nor one who
     * was within the share when a webhook claimed a slot and did not get to say so: others have come since.
     */
    static boolean isOverShare(Call call, PoolView gateway, Instant now) {
        return call.hop() == 0
                && gateway.claimable(now)
                        .noneMatch(container -> container.claims().containsKey(call.sid()))
                && callsOfOthers(call, gateway, now) >= share(gateway, now);
    }

    /** All but one container's slots, and at least one container's: one tenant's burst leaves room for the others. */
    public static int share(PoolView gateway, Instant now) {
        int slots = gateway.claimable(now).mapToInt(Container::limit).sum();
        int largest = gateway.claimable(now).mapToInt(Container::limit).max().orElse(0);
        return Math.max(largest, slots - largest);
    }

    /**
     * Other calls of this call's tenant on the gateway. Counted where the share is counted: a container that died gives no
     * slots, so its claims use none; a call for which two webhooks hold a slot each is one; and a call that comes back does
     * not stand in its own way.
     */
    private static int callsOfOthers(Call call, PoolView gateway, Instant now) {
        return (int) gateway.claimable(now)
                .flatMap(container -> container.claims().entrySet().stream())
                .filter(claim -> claim.getValue().tenant().equals(call.tenant()))
                .map(Map.Entry::getKey)
                .filter(key -> !key.equals(call.sid()))
                .distinct()
                .count();
    }
}
