package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.GATEWAY_SERVICE;
import static dev.spillway.core.memory.Sample.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.core.DependencyException;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderId;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.core.tenant.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventHandlersTest {
    private static final ContainerId TASK = new ContainerId("0123456789abcdef0123456789abcdef");

    private final World world = new World().withGateway();

    @BeforeEach
    void services() {
        world.table.fleet().put(ACME_SERVICE, new Fleet.Service(0, 0, 0, false, "r1"));
        world.table.fleet().put("spillway-bloom", new Fleet.Service(0, 0, 0, false, "r1"));
        world.table.fleet().put(GATEWAY_SERVICE, new Fleet.Service(3, 3, 0, false, "r1"));
    }

    @Test
    void an_overflow_makes_the_pool_grow_and_starts_its_idle_window_again() {
        world.fallback(Request.fallback());

        overflowScaler(Fixtures.bus("call-overflowed"));

        assertThat(world.table.look(ACME_POOL).pool().desired()).isEqualTo(1);
        assertThat(world.table.look(ACME_POOL).pool().idleSince()).isEqualTo(NOW);
        assertThat(world.table.fleet().desired(ACME_SERVICE)).isEqualTo(1);
    }

    @Test
    void a_repeated_overflow_has_no_further_effect() {
        world.fallback(Request.fallback());

        overflowScaler(Fixtures.bus("call-overflowed"));
        overflowScaler(Fixtures.bus("call-overflowed"));

        assertThat(world.table.look(ACME_POOL).pool().desired()).isEqualTo(1);
        assertThat(world.table.fleet().told()).containsExactly(1);
    }

    @Test
    void a_late_overflow_of_a_call_that_is_gone_does_not_grow_the_pool() {
        overflowScaler(Fixtures.bus("call-overflowed"));

        assertThat(world.table.look(ACME_POOL).pool().desired()).isZero();
    }

    @Test
    void a_busy_message_and_an_unclaimed_call_are_demand_that_no_held_call_shows() {
        overflowScaler(overflow("busy"));
        assertThat(world.table.look(ACME_POOL).pool().desired()).isEqualTo(1);

        World other = new World();
        other.table.fleet().put(ACME_SERVICE, new Fleet.Service(0, 0, 0, false, "r1"));
        new OverflowScalerHandler(other.functions()).handleRequest(overflow("unclaimed"), null);
        assertThat(other.table.look(ACME_POOL).pool().desired()).isEqualTo(1);
    }

    @Test
    void with_ecs_down_the_event_fails_and_comes_again() {
        world.fallback(Request.fallback());
        world.table.operations().failAll(Operation.FLEET_SET_DESIRED::equals);

        assertThatThrownBy(() -> overflowScaler(Fixtures.bus("call-overflowed")))
                .isInstanceOf(DependencyException.class);

        assertThat(world.table.look(ACME_POOL).pool().desired()).isEqualTo(1);
    }

    @Test
    void a_ready_container_gets_the_held_calls() {
        world.fallback(Request.fallback());
        world.table.put(Sample.ready(ACME_POOL, TASK.value()));

        new HandOffHandler(world.functions()).handleRequest(Fixtures.bus("container-ready"), null);

        assertThat(world.table.look(ACME_POOL, TASK).claims()).containsKey(World.call());
        assertThat(world.table.look(ACME, World.call()).offer()).isNotNull();
    }

    @Test
    void a_container_that_becomes_ready_while_an_order_closes_its_pool_is_closed_too() {
        Instant until = NOW.plusSeconds(3_600);
        world.table.put(world.table
                .look(ACME_POOL)
                .pool()
                .with(next -> next.orders = next.orders.with(new Order(
                        new OrderId("%020d".formatted(1)),
                        new Order.ToGateway(),
                        new Principal("arn:aws:iam::123456789012:role/ann"),
                        "a test",
                        NOW.minusSeconds(30),
                        until))));
        world.table.put(Sample.ready(ACME_POOL, TASK.value()));

        new HandOffHandler(world.functions()).handleRequest(Fixtures.bus("container-ready"), null);

        assertThat(world.table.look(ACME_POOL, TASK).closedUntil()).isEqualTo(until);
    }

    @Test
    void a_held_call_is_handed_over_to_a_container_that_becomes_ready_before_its_pool_follows_orders() {
        world.fallback(Request.fallback());
        world.table.put(Sample.ready(ACME_POOL, TASK.value()));
        world.table.operations().failAll(Operation.FLEET_SET_DESIRED::equals);
        world.table.put(world.table
                .look(ACME_POOL)
                .pool()
                .with(next -> next.orders = next.orders.with(new Order(
                        new OrderId("%020d".formatted(1)),
                        new Order.Pin(9),
                        new Principal("arn:aws:iam::123456789012:role/ann"),
                        "a test",
                        NOW.minusSeconds(30),
                        NOW.plusSeconds(3_600)))));

        assertThatThrownBy(() ->
                        new HandOffHandler(world.functions()).handleRequest(Fixtures.bus("container-ready"), null))
                .isInstanceOf(DependencyException.class);

        assertThat(world.table.look(ACME, World.call()).offer()).isNotNull();
    }

    @Test
    void a_freed_slot_gets_a_held_call_and_a_second_notice_changes_nothing() {
        world.fallback(Request.fallback());
        world.table.put(Sample.ready(ACME_POOL, TASK.value()));

        new HandOffHandler(world.functions()).handleRequest(Fixtures.bus("slot-freed"), null);
        var offer = world.table.look(ACME, World.call()).offer();
        new HandOffHandler(world.functions()).handleRequest(Fixtures.bus("slot-freed"), null);

        assertThat(world.table.look(ACME, World.call()).offer()).isEqualTo(offer);
        assertThat(world.table.written("hand-off-offered")).hasSize(1);
    }

    @Test
    void a_ready_gateway_container_makes_the_gateway_check_its_spare_slots() {
        world.table.put(Sample.withCalls(Sample.ready(PoolId.GATEWAY, "g1"), ACME, 1, 6));
        world.table.put(Sample.withCalls(Sample.ready(PoolId.GATEWAY, "g2"), ACME, 11, 6));
        world.table.put(Sample.withCalls(Sample.ready(PoolId.GATEWAY, "g3"), ACME, 21, 6));

        new HandOffHandler(world.functions())
                .handleRequest(
                        Fixtures.ours(
                                "ContainerReady",
                                Map.of(
                                        "version", 1,
                                        "pool", "gateway",
                                        "container", "g1",
                                        "at", "2026-11-29T09:00:00Z")),
                        null);

        assertThat(world.table.look(PoolId.GATEWAY).pool().desired()).isEqualTo(4);
    }

    @Test
    void the_gateway_scaler_keeps_spare_slots_on_its_schedule_and_on_overflow() {
        world.table.put(Sample.withCalls(Sample.ready(PoolId.GATEWAY, "g1"), ACME, 1, 6));
        world.table.put(Sample.withCalls(Sample.ready(PoolId.GATEWAY, "g2"), ACME, 11, 6));
        world.table.put(Sample.withCalls(Sample.ready(PoolId.GATEWAY, "g3"), ACME, 21, 1));

        new GatewayScalerHandler(world.functions()).handleRequest(Fixtures.bus("schedule"), null);
        new GatewayScalerHandler(world.functions()).handleRequest(Fixtures.bus("call-overflowed"), null);

        assertThat(world.table.look(PoolId.GATEWAY).pool().desired()).isEqualTo(4);
        assertThat(world.table.fleet().told()).containsExactly(4);
    }

    @Test
    void calls_that_stay_held_are_measured_each_minute_though_nobody_hands_them_off() {
        world.table.put(Sample.withCalls(Sample.ready(PoolId.GATEWAY, "g1"), ACME, 1, 2));

        new GatewayScalerHandler(world.functions()).handleRequest(Fixtures.bus("schedule"), null);

        assertThat(world.table.written())
                .filteredOn(line -> line.event().equals("still-held"))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.fields()).containsEntry("tenant", "acme");
                    assertThat(line.metrics()).containsOnlyKeys(Metric.HOLD_SECONDS);
                });
    }

    @Test
    void the_sweeper_drains_one_idle_container_of_every_pool() {
        world.table.put(Sample.acme(Sample.acme().policy().scaleOut(), 1));
        world.table.put(Sample.ready(ACME_POOL, "a1"));

        new IdleSweeperHandler(world.functions()).handleRequest(Fixtures.bus("schedule"), null);

        assertThat(world.table.look(ACME_POOL, new ContainerId("a1")).state()).isEqualTo(ContainerState.DRAINING);
        assertThat(world.table.look(PoolId.GATEWAY).in(ContainerState.DRAINING)).isEmpty();
    }

    @Test
    void a_drained_container_lowers_the_count() {
        world.table.put(Sample.acme(Sample.acme().policy().scaleOut(), 1));
        world.table.fleet().put(ACME_SERVICE, new Fleet.Service(1, 1, 0, false, "r1"));
        world.table.put(Sample.in(ContainerState.DRAINED, ACME_POOL, TASK.value())
                .withState(ContainerState.DRAINED, ScaleIn.IDLE, NOW));

        new IdleSweeperHandler(world.functions()).handleRequest(Fixtures.bus("container-drained"), null);

        assertThat(world.table.look(ACME_POOL).pool().desired()).isZero();
        assertThat(world.table.fleet().desired(ACME_SERVICE)).isZero();
    }

    @Test
    void the_reconciler_visits_every_pool_though_one_fails_and_fails_at_the_end() {
        world.table.operations().fail(Operation.LEASES_TAKE, 1, Moment.BEFORE);

        assertThatThrownBy(() -> new ZombieReconcilerHandler(world.functions())
                        .handleRequest(Fixtures.bus("rule-schedule"), null))
                .isInstanceOf(Rounds.UnfinishedException.class)
                .hasMessageContaining("zombie-reconciler failed for 1 of 3 pools");

        assertThat(world.table.written("visit-failed")).hasSize(1);
        assertThat(world.table.operations().count(Operation.FLEET_DESCRIBE)).isEqualTo(2);
    }

    @Test
    void while_a_call_is_up_the_reconciler_watches_until_the_next_minute() {
        world.table.put(Sample.withCalls(Sample.ready(ACME_POOL, TASK.value()), ACME, 1, 1));

        new ZombieReconcilerHandler(world.functions()).handleRequest(Fixtures.bus("rule-schedule"), null);

        // the world's clock stands still, so that each wait is counted from the round's beginning
        assertThat(world.slept).containsExactly(Duration.ofSeconds(20), Duration.ofSeconds(40));
    }

    @Test
    void a_stopped_task_makes_the_reconciler_visit_its_pool_alone() {
        world.table.put(Sample.ready(ACME_POOL, TASK.value()));
        world.table
                .fleet()
                .stop(ACME_SERVICE, TASK, "Essential container in task exited", NOW.minus(Duration.ofHours(1)));

        new ZombieReconcilerHandler(world.functions()).handleRequest(Fixtures.bus("ecs-task-stopped"), null);

        assertThat(world.table.look(ACME_POOL, TASK).state()).isEqualTo(ContainerState.LOST);
        assertThat(world.table.operations().count(Operation.FLEET_DESCRIBE)).isEqualTo(1);
    }

    @Test
    void a_task_that_is_being_stopped_makes_its_container_drain_while_the_load_balancer_lets_its_calls_be() {
        world.table.put(Sample.ready(ACME_POOL, TASK.value()));
        world.table.fleet().stopping(ACME_SERVICE, TASK, "Fargate retires it", NOW.minus(Duration.ofHours(1)));
        ScheduledEvent deactivating = Fixtures.bus("ecs-task-stopped");
        deactivating.getDetail().put("lastStatus", "DEACTIVATING");

        new ZombieReconcilerHandler(world.functions()).handleRequest(deactivating, null);

        assertThat(world.table.look(ACME_POOL, TASK).state()).isEqualTo(ContainerState.DRAINING);
        assertThat(world.table.look(ACME_POOL, TASK).mayExit()).isTrue();
    }

    @Test
    void a_call_whose_stream_fell_silent_is_sent_on_after_a_second_and_a_half() {
        world.fallback(Request.fallback());
        Answer.Stream answer =
                (Answer.Stream) world.table.look(ACME, World.call()).current().orElseThrow();
        world.table.calls().connect(ACME, World.call(), answer.generation());

        new ZombieReconcilerHandler(world.functions()).handleRequest(Fixtures.bus("stream-silent"), null);

        assertThat(world.slept.stream().mapToLong(wait -> wait.toMillis()).sum())
                .isEqualTo(1500);
        assertThat(world.telephony.sent()).containsExactly("acme " + World.call() + " 1");
    }

    @Test
    void a_call_that_goes_on_by_itself_after_its_stream_fell_silent_is_left_alone() {
        world.fallback(Request.fallback());
        world.whileSleeping = () -> world.table.calls().end(ACME, World.call(), Outcome.COMPLETED, NOW);

        new ZombieReconcilerHandler(world.functions()).handleRequest(Fixtures.bus("stream-silent"), null);

        assertThat(world.slept).hasSize(1);
        assertThat(world.telephony.sent()).isEmpty();
    }

    @Test
    void a_silent_stream_of_a_tenant_or_a_call_that_nobody_knows_is_nothing() {
        new ZombieReconcilerHandler(world.functions()).handleRequest(Fixtures.bus("stream-silent"), null);
        ScheduledEvent stranger = Fixtures.bus("stream-silent");
        stranger.getDetail().put("tenant", "stranger");
        new ZombieReconcilerHandler(world.functions()).handleRequest(stranger, null);

        assertThat(world.slept).isEmpty();
        assertThat(world.telephony.sent()).isEmpty();
    }

    @Test
    void a_container_that_has_taken_its_last_slot_makes_a_pool_grow_that_keeps_slots_free() {
        world.table.put(Sample.acme(ScaleOutRule.AHEAD, 1));
        world.table.put(Sample.withCalls(Sample.ready(ACME_POOL, "a1"), ACME, 1, Sample.LIMIT));

        overflowScaler(Fixtures.bus("slots-taken"));

        assertThat(world.table.look(ACME_POOL).pool().desired()).isEqualTo(2);
    }

    @Test
    void a_container_that_has_taken_its_last_slot_is_nothing_to_a_pool_with_the_texts_rule() {
        world.table.put(Sample.acme(ScaleOutRule.PLUS_ONE, 1));
        world.table.put(Sample.withCalls(Sample.ready(ACME_POOL, "a1"), ACME, 1, Sample.LIMIT));

        overflowScaler(Fixtures.bus("slots-taken"));

        assertThat(world.table.look(ACME_POOL).pool().desired()).isEqualTo(1);
    }

    @Test
    void a_running_task_and_an_unknown_service_change_nothing() {
        new ZombieReconcilerHandler(world.functions()).handleRequest(Fixtures.bus("ecs-task-running"), null);
        ScheduledEvent unknown = Fixtures.bus("ecs-task-stopped");
        unknown.getDetail().put("group", "service:another");
        new ZombieReconcilerHandler(world.functions()).handleRequest(unknown, null);

        assertThat(world.writes()).isZero();
        assertThat(world.table.written()).isEmpty();
    }

    @Test
    void what_a_function_does_not_know_is_noted_and_dropped() {
        overflowScaler(Fixtures.ours("CallOverflowed", Map.of("version", 2)));
        overflowScaler(Fixtures.ours("CallOverflowed", Map.of("version", 1, "tenant", "Not A Tenant")));
        overflowScaler(Fixtures.ours("SomethingNew", Map.of("version", 1, "at", "2026-11-29T09:00:00Z")));
        overflowScaler(Fixtures.bus("container-ready"));
        overflowScaler(new ScheduledEvent());

        assertThat(world.table.written("event-ignored")).hasSize(5);
        assertThat(world.writes()).isZero();
    }

    private void overflowScaler(ScheduledEvent event) {
        new OverflowScalerHandler(world.functions()).handleRequest(event, null);
    }

    private static ScheduledEvent overflow(String placed) {
        return Fixtures.ours(
                "CallOverflowed",
                Map.of(
                        "version",
                        1,
                        "tenant",
                        "acme",
                        "call",
                        World.call().value(),
                        "hop",
                        1,
                        "placed",
                        placed,
                        "at",
                        "2026-11-29T09:00:00Z"));
    }
}
