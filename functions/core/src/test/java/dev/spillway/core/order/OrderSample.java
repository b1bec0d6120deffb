package dev.spillway.core.order;

import static dev.spillway.core.memory.Sample.NOW;

import dev.spillway.core.pool.Pool;
import dev.spillway.core.tenant.Principal;
import java.time.Duration;

/** Orders of the tests: given at NOW by Ann for an hour, unless something else is said. */
final class OrderSample {
    static final Principal ANN = new Principal("arn:aws:iam::123456789012:user/ann");
    static final Principal BOB = new Principal("arn:aws:iam::123456789012:role/bob");

    private OrderSample() {}

    static OrderId id(int n) {
        return new OrderId("%020d".formatted(n));
    }

    static Order order(Order.What what) {
        return order(1, what);
    }

    static Order order(int n, Order.What what) {
        return new Order(id(n), what, ANN, "a test", NOW, NOW.plus(Duration.ofHours(1)));
    }

    static Pool ordered(Pool pool, Order.What what) {
        return pool.with(next -> next.orders = next.orders.with(order(what)));
    }
}
