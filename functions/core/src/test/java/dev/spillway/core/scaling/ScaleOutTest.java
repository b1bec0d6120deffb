package dev.spillway.core.scaling;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.policy;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.startedAt;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.background.Lease;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Report;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScaleOutTest {
    private static final Timing TIMING = Timing.STANDARD;

    private static Pool pool(Policy policy, int desired, Instant launchSince, Pool.Launches launches) {
        return Sample.pool(
                ACME_POOL,
                policy,
                "spillway-acme",
                "wss://acme.streams.example.com",
                desired,
                1,
                launchSince,
                NOW,
                Instant.EPOCH,
                Map.of(),
                launches,
                Pool.Decision.NONE,
                Instant.MAX,
                Instant.EPOCH);
    }

    private static ScaleOut plan(Pool pool, int waiting, Container... containers) {
        return ScaleOut.plan(new PoolView(pool, List.of(containers)), waiting, false, TIMING, NOW);
    }

    private static Container full(int n) {
        return withCalls(ready(ACME_POOL, "a" + n), ACME, 100 * n, LIMIT);
    }

    private static void assertGrowsTo(ScaleOut decision, int desired) {
        assertThat(decision).isInstanceOf(ScaleOut.Grow.class);
        assertThat(((ScaleOut.Grow) decision).desired()).isEqualTo(desired);
        assertThat(decision.reason()).isNotBlank();
    }

    private static void assertStays(ScaleOut decision) {
        assertThat(decision).isInstanceOf(ScaleOut.Stay.class);
        assertThat(decision.reason()).isNotBlank();
    }

    // plus-one: the first text's rule

    @Test
    void plus_one_goes_from_0_to_1_for_the_first_held_call() {
        assertGrowsTo(plan(acme(), 1), 1);
    }

    @Test
    void plus_one_is_a_no_op_while_the_container_asked_for_has_not_registered() {
        Pool asked = pool(policy(0, 10, ScaleOutRule.PLUS_ONE), 1, seconds(-20), Pool.Launches.FINE);

        assertStays(plan(asked, 3));
    }

    @Test
    void plus_one_is_a_no_op_while_a_registered_container_is_starting() {
        Pool asked = pool(policy(0, 10, ScaleOutRule.PLUS_ONE), 1, seconds(-40), Pool.Launches.FINE);
        Container starting = startedAt(in(ContainerState.STARTING, ACME_POOL, "a1"), seconds(-5));

        assertStays(plan(asked, 3, starting));
    }

    @Test
    void plus_one_asked_again_with_calls_still_held_goes_from_1_to_2() {
        assertGrowsTo(plan(acme(ScaleOutRule.PLUS_ONE, 1), 1, full(1)), 2);
    }

    @Test
    void plus_one_goes_from_3_to_4_for_calls_19_and_20() {
        assertGrowsTo(plan(acme(ScaleOutRule.PLUS_ONE, 3), 2, full(1), full(2), full(3)), 4);
    }

    @Test
    void plus_one_adds_one_even_for_twelve_waiting_calls() {
        assertGrowsTo(plan(acme(), 12), 1);
    }

    // demand

    @Test
    void demand_wants_two_containers_for_7_calls() {
        assertGrowsTo(plan(acme(ScaleOutRule.DEMAND, 0), 7), 2);
    }

    @Test
    void demand_wants_one_container_for_6_calls_and_four_for_20() {
        assertGrowsTo(plan(acme(ScaleOutRule.DEMAND, 0), 6), 1);
        assertGrowsTo(plan(acme(ScaleOutRule.DEMAND, 0), 20), 4);
    }

    @Test
    void demand_counts_calls_in_containers_and_held_ones_together() {
        assertGrowsTo(plan(acme(ScaleOutRule.DEMAND, 1), 7, full(1)), 3);
    }

    @Test
    void demand_asked_twice_asks_for_nothing_more() {
        Pool asked = pool(policy(0, 10, ScaleOutRule.DEMAND), 2, seconds(-1), Pool.Launches.FINE);

        assertStays(plan(asked, 7));
    }

    @Test
    void demand_grows_further_while_containers_are_starting() {
        Pool asked = pool(policy(0, 10, ScaleOutRule.DEMAND), 2, seconds(-1), Pool.Launches.FINE);

        assertGrowsTo(plan(asked, 13), 3);
    }

    // ahead

    @Test
    void ahead_keeps_slots_free_once_a_container_is_full() {
        // 16 calls want 3 free slots, 0.5 * sqrt(16) + 0.05 * 16: 19 slots, and three containers have 18.
        Container five = withCalls(ready(ACME_POOL, "a2"), ACME, 200, 5);
        Container alsoFive = withCalls(ready(ACME_POOL, "a3"), ACME, 300, 5);

        assertGrowsTo(plan(acme(ScaleOutRule.AHEAD, 3), 0, full(1), five, alsoFive), 4);
        assertStays(plan(acme(ScaleOutRule.DEMAND, 3), 0, full(1), five, alsoFive));
    }

    @Test
    void ahead_does_nothing_while_every_container_has_room() {
        Container five = withCalls(ready(ACME_POOL, "a1"), ACME, 200, 5);

        assertStays(plan(acme(ScaleOutRule.AHEAD, 1), 0, five));
    }

    @Test
    void ahead_asks_for_a_burst_of_thirty_what_demand_asks_for() {
        assertGrowsTo(plan(acme(ScaleOutRule.AHEAD, 0), 30), 5);
        assertGrowsTo(plan(acme(ScaleOutRule.DEMAND, 0), 30), 5);
    }

    @Test
    void ahead_keeps_no_slots_free_for_calls_that_the_pool_makes_itself() {
        Map<JobId, Generation> calls = new HashMap<>();
        for (int n = 1; n <= LIMIT; n++) {
            calls.put(Sample.job(n), Sample.generation(1, n));
        }
        Outbound dialled = new Outbound(OutboundPolicy.NONE, Lease.NONE, calls, Outbound.Pace.FRESH);

        assertStays(plan(acme(ScaleOutRule.AHEAD, 1).withOutbound(dialled), 0, full(1)));
        assertGrowsTo(plan(acme(ScaleOutRule.AHEAD, 1), 0, full(1)), 2);
    }

    @Test
    void ahead_takes_back_one_that_drains_before_it_asks_for_another() {
        Container draining = ready(ACME_POOL, "a2").withState(ContainerState.DRAINING, ScaleIn.IDLE, seconds(-3));

        assertThat(plan(acme(ScaleOutRule.AHEAD, 2), 0, full(1), draining)).isInstanceOf(ScaleOut.Undrain.class);
    }

    // a container whose memory is short

    private static Container shortOfMemory(Container container) {
        Report report = new Report(0, container.claims().size(), 0, 0, 1, NOW, true);
        return container.heard(report, seconds(30), seconds(3600));
    }

    @Test
    void a_pool_whose_only_container_is_short_of_memory_grows_for_the_next_caller_under_both_rules() {
        Container one = shortOfMemory(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1));

        assertGrowsTo(plan(acme(ScaleOutRule.DEMAND, 1), 1, one), 2);
        assertGrowsTo(plan(acme(ScaleOutRule.PLUS_ONE, 1), 1, one), 2);
    }

    @Test
    void a_container_whose_bot_is_gone_is_no_room_either() {
        Container one = withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1);
        Report report = new Report(0, 1, 0, 0, 1, NOW, false, true);
        Container alone = one.heard(report, seconds(30), seconds(3600));

        assertThat(alone.free(NOW)).isZero();
        assertGrowsTo(plan(acme(ScaleOutRule.DEMAND, 1), 1, alone), 2);
    }

    @Test
    void demand_wants_for_the_waiting_what_the_short_one_cannot_give() {
        Container one = shortOfMemory(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1));

        assertGrowsTo(plan(acme(ScaleOutRule.DEMAND, 1), 7, one), 3);
    }

    @Test
    void the_gateway_keeps_its_spare_slots_beside_one_that_is_short_of_memory() {
        PoolView three = gateway(3, 2, 4, 4);
        PoolView oneShort = new PoolView(
                three.pool(),
                List.of(
                        shortOfMemory(three.containers().get(0)),
                        three.containers().get(1),
                        three.containers().get(2)));

        assertStays(ScaleOut.planSpare(three, TIMING, NOW));
        assertGrowsTo(ScaleOut.planSpare(oneShort, TIMING, NOW), 4);
    }

    // both

    @Test
    void nothing_grows_when_no_call_waits_or_the_free_slots_suffice() {
        assertStays(plan(acme(), 0));
        assertStays(plan(acme(ScaleOutRule.PLUS_ONE, 1), 6, ready(ACME_POOL, "a1")));
        assertStays(plan(acme(ScaleOutRule.DEMAND, 1), 6, ready(ACME_POOL, "a1")));
    }

    @Test
    void a_caller_who_was_told_busy_is_demand_that_no_held_call_shows() {
        PoolView view = new PoolView(acme(), List.of());

        assertGrowsTo(ScaleOut.plan(view, 0, true, TIMING, NOW), 1);
        assertStays(ScaleOut.plan(view, 0, false, TIMING, NOW));
    }

    @Test
    void a_tenants_maximum_is_never_exceeded() {
        Pool atMost2 = pool(policy(0, 2, ScaleOutRule.DEMAND), 0, seconds(-3600), Pool.Launches.FINE);
        assertGrowsTo(plan(atMost2, 100), 2);

        Pool two = pool(policy(0, 2, ScaleOutRule.PLUS_ONE), 2, seconds(-3600), Pool.Launches.FINE);
        assertStays(plan(two, 5, full(1), full(2)));
    }

    @Test
    void a_container_that_has_been_starting_for_longer_than_three_cold_starts_no_longer_counts() {
        Pool asked = pool(policy(0, 10, ScaleOutRule.PLUS_ONE), 1, seconds(-181), Pool.Launches.FINE);
        Container stuck = startedAt(in(ContainerState.STARTING, ACME_POOL, "a1"), seconds(-180));

        // ECS still counts the stuck one, so a second task is what gives one that can be claimed.
        assertGrowsTo(plan(asked, 1, stuck), 2);
        assertStays(plan(asked, 1, startedAt(stuck, seconds(-179))));
    }

    @Test
    void draining_and_silent_containers_that_ecs_still_counts_are_asked_for_beside_the_wanted_ones() {
        Container draining = in(ContainerState.DRAINING, ACME_POOL, "a1")
                .withState(ContainerState.DRAINING, ScaleIn.DEPLOYMENT, seconds(-9));
        Container drained = in(ContainerState.DRAINED, ACME_POOL, "a2");
        Container silent = aliveUntil(ready(ACME_POOL, "a3"), NOW);

        // One wanted, beside the drained and the silent one; a deployment replaces the draining one by itself.
        assertGrowsTo(plan(acme(ScaleOutRule.PLUS_ONE, 2), 1, draining, drained, silent), 3);
    }

    @Test
    void growing_never_lowers_what_was_asked_for_before() {
        Pool asked = pool(policy(0, 10, ScaleOutRule.DEMAND), 5, seconds(-5), Pool.Launches.FINE);

        assertStays(plan(asked, 7, full(1), full(2), full(3)));
    }

    @Test
    void a_launch_that_never_arrives_is_asked_for_again_beside_the_one_that_hangs() {
        // given one container asked for three cold starts ago, of which nothing was ever heard
        Pool hung = pool(policy(0, 10, ScaleOutRule.PLUS_ONE), 1, seconds(-180), Pool.Launches.FINE);

        assertGrowsTo(plan(hung, 1), 2);
        assertStays(plan(pool(policy(0, 10, ScaleOutRule.PLUS_ONE), 1, seconds(-179), Pool.Launches.FINE), 1));
    }

    @Test
    void launches_that_hang_count_against_the_maximum() {
        // given a maximum of 3, all of which hang
        Pool hung = pool(policy(0, 3, ScaleOutRule.PLUS_ONE), 3, seconds(-180), Pool.Launches.FINE);

        assertStays(plan(hung, 1));
    }

    @Test
    void a_container_that_is_being_drained_for_idleness_is_wanted_again_before_a_new_one() {
        Container draining = ready(ACME_POOL, "a1").withState(ContainerState.DRAINING, ScaleIn.IDLE, seconds(-3));

        ScaleOut decision = plan(acme(ScaleOutRule.PLUS_ONE, 1), 1, draining);

        assertThat(decision).isEqualTo(new ScaleOut.Undrain(draining, decision.reason()));
    }

    @Test
    void one_that_is_drained_and_refuses_calls_is_not_wanted_again_and_a_new_one_is() {
        // given one that leaves and whose memory is short: READY again, it would have no free slot
        Container draining =
                shortOfMemory(ready(ACME_POOL, "a1").withState(ContainerState.DRAINING, ScaleIn.IDLE, seconds(-3)));

        assertGrowsTo(plan(acme(ScaleOutRule.PLUS_ONE, 1), 1, draining), 2);
    }

    @Test
    void a_silent_or_deployment_drained_container_is_not_wanted_again() {
        Container silent =
                aliveUntil(ready(ACME_POOL, "a1").withState(ContainerState.DRAINING, ScaleIn.IDLE, seconds(-3)), NOW);
        Container old = ready(ACME_POOL, "a2").withState(ContainerState.DRAINING, ScaleIn.DEPLOYMENT, seconds(-3));

        assertGrowsTo(plan(acme(ScaleOutRule.PLUS_ONE, 1), 1, silent, old), 2);
    }

    @Test
    void a_container_whose_task_ecs_stops_is_not_wanted_again_and_no_longer_counted() {
        Container stopped = ready(ACME_POOL, "a1")
                .withState(ContainerState.DRAINING, ScaleIn.IDLE, seconds(-3))
                .withMayExit();

        assertGrowsTo(plan(acme(ScaleOutRule.PLUS_ONE, 0), 1, stopped), 1);
    }

    @Test
    void launches_that_fail_are_not_repeated_before_their_back_off_is_over() {
        Pool.Launches failed = new Pool.Launches(3, "CannotPullContainerError", seconds(30));
        Pool failing = pool(policy(0, 10, ScaleOutRule.PLUS_ONE), 0, seconds(-300), failed);

        ScaleOut decision = plan(failing, 4);

        assertThat(decision).isInstanceOf(ScaleOut.BackOff.class);
        assertThat(((ScaleOut.BackOff) decision).until()).isEqualTo(seconds(30));
        assertThat(decision.reason()).contains("3 launches").contains("CannotPullContainerError");

        Pool over =
                pool(policy(0, 10, ScaleOutRule.PLUS_ONE), 0, seconds(-300), new Pool.Launches(3, "CannotPull", NOW));
        assertGrowsTo(plan(over, 4), 1);
    }

    // the gateway

    private static PoolView gateway(int desired, int... callsOf) {
        Policy policy = new Policy(3, 5, LIMIT, 6, ScaleOutRule.DEMAND, ScaleInRule.IDLE);
        Pool pool = Sample.pool(
                PoolId.GATEWAY,
                policy,
                "spillway-gateway",
                "wss://gateway.streams.example.com",
                desired,
                1,
                seconds(-3600),
                NOW,
                Instant.EPOCH,
                Map.of(),
                Pool.Launches.FINE,
                Pool.Decision.NONE,
                Instant.MAX,
                Instant.EPOCH);
        return new PoolView(
                pool,
                IntStream.range(0, callsOf.length)
                        .mapToObj(n -> withCalls(ready(PoolId.GATEWAY, "gw" + n), ACME, 100 * n, callsOf[n]))
                        .toList());
    }

    @Test
    void the_gateway_keeps_six_spare_slots() {
        assertStays(ScaleOut.planSpare(gateway(3, 4, 4, 4), TIMING, NOW));
        assertGrowsTo(ScaleOut.planSpare(gateway(3, 5, 4, 4), TIMING, NOW), 4);
    }

    @Test
    void the_gateway_never_has_fewer_than_its_three_or_more_than_its_maximum() {
        assertGrowsTo(ScaleOut.planSpare(gateway(2, 0, 0), TIMING, NOW), 3);
        assertGrowsTo(ScaleOut.planSpare(gateway(4, 6, 6, 6, 6), TIMING, NOW), 5);
        assertStays(ScaleOut.planSpare(gateway(5, 6, 6, 6, 6, 6), TIMING, NOW));
    }

    @Test
    void a_silent_gateway_container_is_replaced_by_one_more() {
        PoolView three = gateway(3, 0, 0, 0);
        PoolView oneSilent = new PoolView(
                three.pool(),
                List.of(
                        three.containers().get(0),
                        three.containers().get(1),
                        aliveUntil(three.containers().get(2), NOW)));

        assertGrowsTo(ScaleOut.planSpare(oneSilent, TIMING, NOW), 4);
    }
}
