package dev.spillway.core.order;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last orders to a pool, as its item shows them. They may be over: ask with the time.
 *
 * @param pool about its containers and callers
 * @param outbound about its calls out
 */
public record Orders(@Nullable Order pool, @Nullable Order outbound) {
    public static final Orders NONE = new Orders(null, null);

    public Optional<Order> last(Order.Subject subject) {
        return Optional.ofNullable(
                switch (subject) {
                    case POOL -> pool;
                    case OUTBOUND -> outbound;
                });
    }

    /** The one in force, if any. */
    public Optional<Order> inForce(Order.Subject subject, Instant now) {
        return last(subject).filter(order -> order.isInForce(now));
    }

    /** What keeps new calls out of the pool's containers; empty if nothing does. */
    public Optional<Order> closing(Instant now) {
        return inForce(Order.Subject.POOL, now).filter(order -> switch (order.what()) {
            case Order.Drain drain -> true;
            case Order.ToGateway toGateway -> true;
            case Order.Pause pause -> false;
            case Order.Pin pin -> false;
            case Order.StopOutbound stop -> false;
        });
    }

    /** What keeps anybody from being dialled: an order to stop, or one that closes the pool whose slots are needed. */
    public Optional<Order> stoppingOutbound(Instant now) {
        return inForce(Order.Subject.OUTBOUND, now).or(() -> closing(now));
    }

    public Orders with(Order order) {
        return switch (order.what().subject()) {
            case POOL -> new Orders(order, outbound);
            case OUTBOUND -> new Orders(pool, order);
        };
    }

    public Orders without(Order.Subject subject) {
        return switch (subject) {
            case POOL -> new Orders(null, outbound);
            case OUTBOUND -> new Orders(pool, null);
        };
    }
}
