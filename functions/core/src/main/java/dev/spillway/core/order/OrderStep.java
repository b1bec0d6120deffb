package dev.spillway.core.order;

import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What has to be done to a pool's containers so that they follow its orders, and so that they are free of past ones. */
public sealed interface OrderStep {
    Container container();

    /** Takes no new calls before then; {@link Instant#EPOCH} opens it again. */
    record Close(Container container, Instant until) implements OrderStep {}

    /** READY → DRAINING, whatever calls it has: they go on. */
    record Drain(Container container, String reason) implements OrderStep {}

    /** Pure. Nothing if everything is as ordered. */
    static List<OrderStep> plan(PoolView view, Instant now) {
        Optional<Order> closing = view.pool().orders().closing(now);
        Instant until = closing.map(Order::until).orElse(Instant.EPOCH);
        List<OrderStep> steps = new ArrayList<>();
        for (Container container : view.containers()) {
            boolean serves = switch (container.state()) {
                case STARTING, READY, DRAINING -> true;
                case DRAINED, STOPPING, LOST -> false;
            };
            boolean marked = container.closedUntil().equals(until)
                    || (closing.isEmpty() && !container.closedUntil().isAfter(now));
            if (serves && !marked) {
                steps.add(new Close(container, until));
            }
            if (container.state() == ContainerState.READY
                    && closing.isPresent()
                    && closing.get().what() instanceof Order.Drain) {
                steps.add(new Drain(container, closing.get().because()));
            }
        }
        return steps;
    }
}
