package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderId;
import dev.spillway.core.order.OrderLog;
import dev.spillway.core.order.OrderLog.Entry;
import dev.spillway.core.order.OrderLog.Stage;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.TenantId;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What every {@link OrderLog} keeps. Each test has a pool of its own. */
public abstract class OrderLogContract {
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final Principal ANN = new Principal("arn:aws:iam::123456789012:user/ann");

    private final PoolId pool = PoolId.of(new TenantId("orders-" + NEXT.incrementAndGet()));

    /** The port to test. */
    protected abstract OrderLog orders();

    private static Order order(int n) {
        return new Order(
                new OrderId("%020d".formatted(n)), new Order.Pin(n), ANN, "a test", seconds(n), seconds(n + 60));
    }

    @Test
    void the_newest_come_first_and_no_more_than_asked_for() {
        OrderLog orders = orders();
        for (int n : new int[] {2, 1, 3}) {
            orders.write(pool, new Entry(order(n), Stage.GIVEN, null, seconds(n)));
        }

        assertThat(orders.newest(pool, 2))
                .containsExactly(
                        new Entry(order(3), Stage.GIVEN, null, seconds(3)),
                        new Entry(order(2), Stage.GIVEN, null, seconds(2)));
    }

    @Test
    void a_later_stage_takes_the_place_of_an_earlier_one() {
        OrderLog orders = orders();
        orders.write(pool, new Entry(order(1), Stage.ASKED, null, seconds(1)));
        orders.write(pool, new Entry(order(1), Stage.ENDED, ANN, seconds(30)));

        assertThat(orders.newest(pool, 10)).containsExactly(new Entry(order(1), Stage.ENDED, ANN, seconds(30)));
    }

    @Test
    void who_wants_to_end_an_order_is_written_down_and_never_over_who_ended_it() {
        OrderLog orders = orders();
        orders.write(pool, new Entry(order(1), Stage.GIVEN, null, seconds(1)));
        orders.write(pool, new Entry(order(1), Stage.ENDING, ANN, seconds(30)));
        assertThat(orders.newest(pool, 10)).containsExactly(new Entry(order(1), Stage.ENDING, ANN, seconds(30)));

        orders.write(pool, new Entry(order(1), Stage.ENDED, ANN, seconds(30)));
        orders.write(pool, new Entry(order(1), Stage.ENDING, ANN, seconds(31)));

        assertThat(orders.newest(pool, 10)).containsExactly(new Entry(order(1), Stage.ENDED, ANN, seconds(30)));
    }

    @Test
    void a_pool_that_was_never_given_an_order_has_none() {
        assertThat(orders().newest(pool, 10)).isEmpty();
    }
}
