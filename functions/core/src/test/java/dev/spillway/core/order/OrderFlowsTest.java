package dev.spillway.core.order;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.withCalls;
import static dev.spillway.core.order.OrderSample.ANN;
import static dev.spillway.core.order.OrderSample.BOB;
import static dev.spillway.core.order.OrderSample.order;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.event.Announcement.JobsWaiting;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.order.OrderGiving.Result;
import dev.spillway.core.order.OrderLog.Stage;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.scaling.ScaleIn;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OrderFlowsTest {
    private final MemoryTable table = new MemoryTable();
    private final OrderGiving giving = new OrderGiving(table.pools(), table.orders(), table.journal());
    private final Growth growth = new Growth(
            table.pools(), table.containers(), table.fleet(), table.announcements(), table.journal(), Timing.STANDARD);
    private final OrderFollowing following = new OrderFollowing(
            table.pools(),
            table.containers(),
            growth,
            new HandOff(table.pools(), table.containers(), table.calls(), growth, table.generations(), table.journal()),
            table.announcements(),
            table.journal());

    @BeforeEach
    void twoContainers() {
        table.put(acme(ScaleOutRule.PLUS_ONE, 2));
        table.put(gateway());
        table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 2));
        table.put(ready(ACME_POOL, "a2"));
    }

    private Orders orders() {
        return table.look(ACME_POOL).pool().orders();
    }

    private void give(int n, Order.What what) {
        assertThat(giving.give(ACME_POOL, order(n, what), NOW)).isEqualTo(new Result.Done(order(n, what)));
        following.turn(ACME_POOL, NOW);
    }

    private ClaimResult claim(String name, Instant now) {
        return table.containers()
                .claim(ACME_POOL, container(name), call(50), Claim.reserved(generation(1, 50), ACME, now, now), 6, now);
    }

    @Test
    void an_order_stands_on_the_pool_in_the_log_and_in_the_journal() {
        give(1, new Order.Pause());

        assertThat(orders().inForce(Order.Subject.POOL, NOW)).contains(order(1, new Order.Pause()));
        assertThat(table.orders().newest(ACME_POOL, 10))
                .containsExactly(new OrderLog.Entry(order(1, new Order.Pause()), Stage.GIVEN, null, NOW));
        assertThat(table.written("order-given"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.fields())
                        .containsEntry("who", ANN.arn())
                        .containsEntry("reason", "a test"));
    }

    @Test
    void an_order_takes_the_place_of_another_and_the_log_keeps_both() {
        give(1, new Order.Pause());
        give(2, new Order.Pin(3));

        assertThat(orders().inForce(Order.Subject.POOL, NOW)).contains(order(2, new Order.Pin(3)));
        assertThat(table.orders().newest(ACME_POOL, 10)).hasSize(2);
    }

    @Test
    void orders_about_the_pool_and_about_calls_out_stand_beside_each_other() {
        give(1, new Order.Pause());
        give(2, new Order.StopOutbound());
        assertThat(giving.end(ACME_POOL, Order.Subject.POOL, BOB, NOW)).isInstanceOf(Result.Done.class);

        assertThat(orders().inForce(Order.Subject.POOL, NOW)).isEmpty();
        assertThat(orders().stoppingOutbound(NOW)).contains(order(2, new Order.StopOutbound()));
    }

    @Test
    void of_two_orders_at_the_same_time_exactly_one_stands_and_the_other_is_told() {
        table.operations()
                .on(
                        Operation.POOLS_ORDER,
                        1,
                        Moment.BEFORE,
                        () -> table.pools().order(ACME_POOL, order(2, new Order.Drain()), null));

        assertThat(giving.give(ACME_POOL, order(1, new Order.Pause()), NOW)).isEqualTo(new Result.Overtaken());

        assertThat(orders().inForce(Order.Subject.POOL, NOW)).contains(order(2, new Order.Drain()));
        assertThat(table.orders().newest(ACME_POOL, 10))
                .containsExactly(new OrderLog.Entry(order(1, new Order.Pause()), Stage.OVERTAKEN, null, NOW));
    }

    @Test
    void whatever_breaks_while_an_order_is_given_leaves_an_entry_that_says_it_was_asked() {
        table.operations().fail(Operation.POOLS_ORDER, 1, Moment.BEFORE);

        assertThatThrownBy(() -> giving.give(ACME_POOL, order(1, new Order.Pause()), NOW))
                .isInstanceOf(DependencyException.class);

        assertThat(table.orders().newest(ACME_POOL, 10))
                .extracting(OrderLog.Entry::stage)
                .containsExactly(Stage.ASKED);
        assertThat(orders()).isEqualTo(Orders.NONE);
    }

    @Test
    void an_order_is_ended_once_by_name_and_not_at_all_when_it_is_over() {
        give(1, new Order.Pause());

        assertThat(giving.end(ACME_POOL, Order.Subject.POOL, BOB, minutes(5)))
                .isEqualTo(new Result.Done(order(1, new Order.Pause())));
        assertThat(giving.end(ACME_POOL, Order.Subject.POOL, BOB, minutes(5))).isEqualTo(new Result.Nothing());
        assertThat(table.orders().newest(ACME_POOL, 10))
                .containsExactly(new OrderLog.Entry(order(1, new Order.Pause()), Stage.ENDED, BOB, minutes(5)));
        give(2, new Order.Pause());
        assertThat(giving.end(ACME_POOL, Order.Subject.POOL, BOB, minutes(60))).isEqualTo(new Result.Nothing());
    }

    @Test
    void to_gateway_closes_containers_to_claims_until_it_ends_by_itself() {
        give(1, new Order.ToGateway());

        assertThat(claim("a2", NOW)).isInstanceOf(ClaimResult.Refused.class);
        assertThat(table.look(ACME_POOL, container("a1")).state()).isEqualTo(ContainerState.READY);
        table.containers()
                .heartbeat(
                        ACME_POOL,
                        container("a2"),
                        "boot-a2",
                        table.look(ACME_POOL, container("a2")).report(),
                        minutes(61),
                        minutes(120));
        assertThat(claim("a2", minutes(60))).isInstanceOf(ClaimResult.Claimed.class);
    }

    @Test
    void an_order_that_is_ended_early_opens_containers_and_wakes_the_dialer() {
        give(1, new Order.ToGateway());
        giving.end(ACME_POOL, Order.Subject.POOL, BOB, minutes(5));

        following.turn(ACME_POOL, NOW.plusSeconds(1));

        assertThat(claim("a2", NOW.plusSeconds(1))).isInstanceOf(ClaimResult.Claimed.class);
        assertThat(table.announced()).contains(new JobsWaiting(ACME, NOW.plusSeconds(1)));
    }

    @Test
    void drain_lets_calls_finish_and_starts_nothing() {
        give(1, new Order.Drain());

        assertThat(table.look(ACME_POOL, container("a1")).state()).isEqualTo(ContainerState.DRAINING);
        assertThat(table.look(ACME_POOL, container("a1")).stateReason()).isEqualTo(ScaleIn.ORDER);
        assertThat(table.look(ACME_POOL, container("a1")).claims()).hasSize(2);
        assertThat(table.look(ACME_POOL, container("a2")).state()).isEqualTo(ContainerState.DRAINING);
        growth.ask(ACME_POOL, true, NOW);
        assertThat(table.fleet().desired(ACME_SERVICE)).isZero();
        assertThat(table.look(ACME_POOL).pool().desired()).isEqualTo(2);
    }

    @Test
    void a_pin_asks_ecs_at_once_and_again_at_the_next_visit_if_that_failed() {
        table.operations().failAll(operation -> operation == Operation.POOLS_DESIRE);
        assertThat(giving.give(ACME_POOL, order(1, new Order.Pin(5)), NOW)).isInstanceOf(Result.Done.class);
        assertThatThrownBy(() -> following.turn(ACME_POOL, NOW)).isInstanceOf(DependencyException.class);
        table.operations().heal();

        following.visit(ACME_POOL, NOW);

        assertThat(table.fleet().desired(ACME_SERVICE)).isEqualTo(5);
    }

    @Test
    void a_container_that_comes_later_is_closed_at_the_next_visit() {
        give(1, new Order.ToGateway());
        table.put(ready(ACME_POOL, "a3"));

        following.visit(ACME_POOL, NOW);

        assertThat(claim("a3", NOW)).isInstanceOf(ClaimResult.Refused.class);
    }

    @Test
    void a_pool_without_orders_is_visited_without_a_write() {
        table.operations().clearLog();

        following.visit(ACME_POOL, NOW);

        assertThat(table.operations().writes()).isZero();
    }
}
