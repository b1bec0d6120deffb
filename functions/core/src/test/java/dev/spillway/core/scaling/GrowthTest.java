package dev.spillway.core.scaling;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.GATEWAY_SERVICE;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.contract.AtOnce;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GrowthTest {
    private final MemoryTable table = new MemoryTable();
    private final Growth growth = new Growth(
            table.pools(), table.containers(), table.fleet(), table.announcements(), table.journal(), Timing.STANDARD);

    @BeforeEach
    void oneHeldCall() {
        table.put(acme());
        table.put(gateway());
        table.put(withCalls(ready(PoolId.GATEWAY, "gw1"), ACME, 1, 1));
    }

    private Pool pool() {
        return table.look(ACME_POOL).pool();
    }

    @Test
    void the_table_is_written_before_ecs_is_told() {
        ScaleOut decision = growth.ask(ACME_POOL, false, NOW);

        assertThat(decision).isInstanceOf(ScaleOut.Grow.class);
        assertThat(pool().desired()).isEqualTo(1);
        assertThat(pool().version()).isEqualTo(2);
        assertThat(pool().launchSince()).isEqualTo(NOW);
        assertThat(pool().lastDecision().what()).isEqualTo("scale out 0 -> 1");
        assertThat(pool().lastDecision().reason()).contains("1 calls wait");
        assertThat(table.operations().log().stream().filter(Operation::changes))
                .containsExactly(Operation.POOLS_DESIRE, Operation.FLEET_SET_DESIRED);
        assertThat(table.fleet().desired(ACME_SERVICE)).isEqualTo(1);
    }

    @Test
    void the_same_event_twice_starts_one_container() {
        growth.ask(ACME_POOL, false, NOW);
        growth.ask(ACME_POOL, false, seconds(1));

        assertThat(pool().desired()).isEqualTo(1);
        assertThat(table.fleet().told()).containsExactly(1);
    }

    @Test
    void twenty_overflow_events_at_once_start_one_container() {
        AtOnce.run(20, n -> growth.ask(ACME_POOL, false, NOW));

        assertThat(pool().desired()).isEqualTo(1);
        assertThat(table.fleet().desired(ACME_SERVICE)).isEqualTo(1);
    }

    @Test
    void of_two_writers_the_later_count_stands_in_ecs_whoever_tells_it_last() {
        table.put(acme(ScaleOutRule.DEMAND, 0));
        // Another writer moves the count to 3 after this one has told ECS its 1.
        table.operations()
                .on(
                        Operation.FLEET_SET_DESIRED,
                        1,
                        Moment.AFTER,
                        () -> table.pools()
                                .desire(
                                        ACME_POOL,
                                        3,
                                        pool().version(),
                                        null,
                                        new Pool.Decision("scale out 1 -> 3", "13 calls wait", NOW)));

        growth.ask(ACME_POOL, false, NOW);

        assertThat(table.fleet().told()).containsExactly(1, 3);
    }

    @Test
    void a_lost_race_for_the_version_is_planned_anew() {
        table.put(acme(ScaleOutRule.DEMAND, 0));
        table.operations()
                .on(
                        Operation.POOLS_DESIRE,
                        1,
                        Moment.BEFORE,
                        () -> table.pools()
                                .desire(
                                        ACME_POOL,
                                        1,
                                        1,
                                        null,
                                        new Pool.Decision("scale out 0 -> 1", "1 calls wait", NOW)));

        ScaleOut decision = growth.ask(ACME_POOL, false, NOW);

        assertThat(decision).isInstanceOf(ScaleOut.Stay.class);
        assertThat(pool().desired()).isEqualTo(1);
        assertThat(pool().version()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void with_ecs_down_the_table_keeps_the_count_and_telling_again_is_enough(Moment moment) {
        table.operations().fail(Operation.FLEET_SET_DESIRED, 1, moment);

        assertThatThrownBy(() -> growth.ask(ACME_POOL, false, NOW)).isInstanceOf(DependencyException.class);
        assertThat(pool().desired()).isEqualTo(1);

        growth.tellFleet(ACME_POOL);
        assertThat(table.fleet().desired(ACME_SERVICE)).isEqualTo(1);
    }

    @Test
    void an_unreadable_count_is_never_read_as_zero() {
        table.put(acme(ScaleOutRule.PLUS_ONE, 4));
        table.operations().failAll(operation -> operation == Operation.POOLS_READ);

        assertThatThrownBy(() -> growth.ask(ACME_POOL, false, NOW)).isInstanceOf(DependencyException.class);
        assertThatThrownBy(() -> growth.tellFleet(ACME_POOL)).isInstanceOf(DependencyException.class);

        assertThat(table.fleet().told()).isEmpty();
    }

    @Test
    void a_container_that_is_being_drained_is_wanted_again_and_announced_as_ready() {
        table.put(acme(ScaleOutRule.PLUS_ONE, 1));
        table.put(ready(ACME_POOL, "a1").withState(ContainerState.DRAINING, ScaleIn.IDLE, NOW));

        growth.ask(ACME_POOL, false, NOW);

        assertThat(table.look(ACME_POOL, container("a1")).state()).isEqualTo(ContainerState.READY);
        assertThat(table.announced()).containsExactly(new Announcement.ContainerReady(ACME_POOL, container("a1"), NOW));
        assertThat(table.fleet().told()).isEmpty();
    }

    @Test
    void a_pool_that_keeps_slots_free_takes_back_all_that_it_needs_of_those_that_drain_and_then_grows() {
        // 36 calls want 5 slots beside them, so do 40.
        table.put(acme(ScaleOutRule.AHEAD, 7));
        for (int n = 1; n <= 6; n++) {
            table.put(withCalls(ready(ACME_POOL, "a" + n), ACME, 100 * n, LIMIT));
        }
        table.put(ready(ACME_POOL, "b1").withState(ContainerState.DRAINING, ScaleIn.IDLE, NOW));

        growth.ask(ACME_POOL, false, NOW);

        assertThat(table.look(ACME_POOL, container("b1")).state()).isEqualTo(ContainerState.READY);
        assertThat(table.fleet().told()).isEmpty(); // its six slots are enough

        table.put(
                withCalls(ready(ACME_POOL, "b1"), ACME, 900, 4).withState(ContainerState.DRAINING, ScaleIn.IDLE, NOW));

        growth.ask(ACME_POOL, false, NOW);

        assertThat(table.look(ACME_POOL, container("b1")).state()).isEqualTo(ContainerState.READY);
        assertThat(pool().desired()).isEqualTo(8); // its two slots were not
    }

    @Test
    void a_container_that_had_drained_in_the_same_moment_is_replaced_by_a_new_one() {
        table.put(acme(ScaleOutRule.PLUS_ONE, 1));
        table.put(ready(ACME_POOL, "a1").withState(ContainerState.DRAINING, ScaleIn.IDLE, NOW));
        table.operations()
                .on(
                        Operation.CONTAINERS_BECOME,
                        1,
                        Moment.BEFORE,
                        () -> table.put(ready(ACME_POOL, "a1").withState(ContainerState.DRAINED, ScaleIn.IDLE, NOW)));

        growth.ask(ACME_POOL, false, NOW);

        assertThat(table.look(ACME_POOL, container("a1")).state()).isEqualTo(ContainerState.DRAINED);
        assertThat(pool().desired()).isEqualTo(2); // ECS still counts the drained one
    }

    @Test
    void a_refused_caller_makes_the_pool_grow_though_no_call_is_held() {
        table.put(ready(PoolId.GATEWAY, "gw1"));

        assertThat(growth.ask(ACME_POOL, false, NOW)).isInstanceOf(ScaleOut.Stay.class);
        assertThat(growth.ask(ACME_POOL, true, NOW)).isInstanceOf(ScaleOut.Grow.class);
        assertThat(pool().desired()).isEqualTo(1);
    }

    @Test
    void the_gateway_grows_by_its_spare_slots() {
        for (int n = 1; n <= 3; n++) {
            table.put(withCalls(ready(PoolId.GATEWAY, "gw" + n), ACME, 100 * n, 5));
        }

        growth.ask(PoolId.GATEWAY, false, NOW);

        assertThat(table.fleet().desired(GATEWAY_SERVICE)).isEqualTo(4); // 15 calls and 6 spare slots
    }

    @Test
    void an_unknown_pool_does_not_grow() {
        assertThat(growth.ask(dev.spillway.core.memory.Sample.BLOOM_POOL, false, NOW))
                .isInstanceOf(ScaleOut.Stay.class);
        assertThat(table.fleet().told()).isEmpty();
    }

    @Test
    void failing_launches_are_noted_and_ecs_is_left_alone() {
        table.pools().recordLaunches(ACME_POOL, new Pool.Launches(3, "CannotPull", seconds(60)), seconds(-300));

        assertThat(growth.ask(ACME_POOL, false, NOW)).isInstanceOf(ScaleOut.BackOff.class);

        assertThat(pool().desired()).isZero();
        assertThat(pool().lastDecision().reason()).contains("CannotPull");
        assertThat(table.fleet().told()).isEmpty();
    }
}
