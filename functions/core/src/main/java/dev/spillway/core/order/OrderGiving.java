package dev.spillway.core.order;

import dev.spillway.core.journal.Journal;
import dev.spillway.core.order.OrderLog.Stage;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.Principal;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gives and ends orders: the log first, then the pool's item by condition, then the log again. Of two operators at the same
 * time exactly one gives the order that stands, and the other is told. A crash in between leaves an entry that says "asked".
 */
public final class OrderGiving {
    private final Pools pools;
    private final OrderLog log;
    private final Journal journal;

    public OrderGiving(Pools pools, OrderLog log, Journal journal) {
        this.pools = pools;
        this.log = log;
        this.journal = journal;
    }

    /** What came of it. */
    public sealed interface Result {
        /** The order as it was given or ended. */
        record Done(Order order) implements Result {}

        /** Somebody else was faster: look again. */
        record Overtaken() implements Result {}

        /** No such pool, or no order in force. */
        record Nothing() implements Result {}
    }

    /** Gives the order in place of the one that is there. */
    public Result give(PoolId pool, Order order, Instant now) {
        Optional<Orders> before = pools.read(pool).map(view -> view.pool().orders());
        if (before.isEmpty()) {
            return new Result.Nothing();
        }
        log.write(pool, new OrderLog.Entry(order, Stage.ASKED, null, now));
        @Nullable
        OrderId seen = before.get().last(order.what().subject()).map(Order::id).orElse(null);
        boolean given = pools.order(pool, order, seen);
        log.write(pool, new OrderLog.Entry(order, given ? Stage.GIVEN : Stage.OVERTAKEN, null, now));
        write(given ? "order-given" : "order-overtaken", pool, order, order.who());
        return given ? new Result.Done(order) : new Result.Overtaken();
    }

    /** Ends the order in force before its time. */
    public Result end(PoolId pool, Order.Subject subject, Principal who, Instant now) {
        Optional<Order> order =
                pools.read(pool).flatMap(view -> view.pool().orders().inForce(subject, now));
        if (order.isEmpty()) {
            return new Result.Nothing();
        }
        if (!pools.endOrder(pool, order.get())) {
            return new Result.Overtaken();
        }
        log.write(pool, new OrderLog.Entry(order.get(), Stage.ENDED, who, now));
        write("order-ended", pool, order.get(), who);
        return new Result.Done(order.get());
    }

    private void write(String event, PoolId pool, Order order, Principal who) {
        journal.write(Journal.Entry.of(event)
                .with("pool", pool)
                .with("order", order.what().text())
                .with("orderId", order.id())
                .with("who", who.arn())
                .with("until", order.until())
                .with("reason", order.reason()));
    }
}
