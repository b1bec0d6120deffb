package dev.spillway.adapters;

import dev.spillway.core.order.OrderId;

/** Ids of new orders that nobody makes twice. */
public final class RandomOrderIds {
    private final RandomText random = new RandomText();

    public OrderId next() {
        return new OrderId(random.next(20));
    }
}
