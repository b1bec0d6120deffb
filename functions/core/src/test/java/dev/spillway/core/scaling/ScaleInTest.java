package dev.spillway.core.scaling;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.policy;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.revision;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.startedAt;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet.Service;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Report;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScaleInTest {
    private static final Timing TIMING = Timing.STANDARD;
    private static final Policy ON_DEMAND = policy(0, 10, ScaleOutRule.PLUS_ONE);

    private static Pool pool(
            Policy policy, int desired, Instant idleSince, Instant lockedUntil, Map<ContainerId, Instant> lowered) {
        return Sample.pool(
                ACME_POOL,
                policy,
                "spillway-acme",
                "wss://acme.streams.example.com",
                desired,
                1,
                minutes(-60),
                idleSince,
                lockedUntil,
                lowered,
                Pool.Launches.FINE,
                Pool.Decision.NONE,
                Instant.MAX,
                Instant.EPOCH);
    }

    private static Pool idleSince(Instant idleSince, int desired) {
        return pool(ON_DEMAND, desired, idleSince, Instant.EPOCH, Map.of());
    }

    private static ScaleIn plan(Pool pool, int held, Container... containers) {
        return ScaleIn.plan(new PoolView(pool, List.of(containers)), held, TIMING, NOW);
    }

    private static void assertDrains(ScaleIn decision, String name) {
        assertThat(decision).isInstanceOf(ScaleIn.Drain.class);
        assertThat(((ScaleIn.Drain) decision).containers())
                .extracting(Container::id)
                .containsExactly(container(name));
        assertThat(decision.reason()).isNotBlank();
    }

    @Test
    void after_ten_minutes_without_a_call_one_container_is_drained_and_not_all_four() {
        ScaleIn decision = plan(
                idleSince(minutes(-10), 4),
                0,
                ready(ACME_POOL, "a1"),
                ready(ACME_POOL, "a2"),
                ready(ACME_POOL, "a3"),
                ready(ACME_POOL, "a4"));

        assertDrains(decision, "a1");
        assertThat(decision.reason()).contains("4 -> 3");
    }

    @Test
    void a_second_before_the_ten_minutes_nothing_is_drained() {
        ScaleIn decision = plan(idleSince(seconds(-599), 1), 0, ready(ACME_POOL, "a1"));

        assertThat(decision).isInstanceOf(ScaleIn.Keep.class);
        assertThat(decision.reason()).contains("599").contains("600");
    }

    @Test
    void the_last_call_anywhere_in_the_pool_starts_the_window() {
        Container calledLately =
                ready(ACME_POOL, "a2").heard(new Report(0, 0, 0, 0, 0, minutes(-9)), seconds(30), minutes(30));

        assertThat(plan(idleSince(minutes(-30), 2), 0, ready(ACME_POOL, "a1"), calledLately))
                .isInstanceOf(ScaleIn.Keep.class);
    }

    @Test
    void the_last_container_of_an_on_demand_tenant_is_drained_too() {
        assertDrains(plan(idleSince(minutes(-10), 1), 0, ready(ACME_POOL, "a1")), "a1");
    }

    @Test
    void a_production_tenant_keeps_its_two() {
        Pool production = pool(policy(2, 10, ScaleOutRule.PLUS_ONE), 2, minutes(-60), Instant.EPOCH, Map.of());

        assertThat(plan(production, 0, ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2")))
                .isInstanceOf(ScaleIn.Keep.class);
    }

    @Test
    void containers_that_cannot_be_claimed_do_not_count_towards_the_minimum() {
        Pool production = pool(policy(2, 10, ScaleOutRule.PLUS_ONE), 3, minutes(-60), Instant.EPOCH, Map.of());

        assertThat(plan(
                        production,
                        0,
                        ready(ACME_POOL, "a1"),
                        ready(ACME_POOL, "a2"),
                        aliveUntil(ready(ACME_POOL, "a3"), NOW)))
                .isInstanceOf(ScaleIn.Keep.class);
    }

    @Test
    void the_oldest_container_goes_first() {
        assertDrains(
                plan(
                        idleSince(minutes(-10), 2),
                        0,
                        startedAt(ready(ACME_POOL, "a1"), minutes(-30)),
                        startedAt(ready(ACME_POOL, "a2"), minutes(-40))),
                "a2");
    }

    @Test
    void a_call_anywhere_or_a_report_of_work_starts_the_window_again() {
        Container busy = withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1);
        Container relaying =
                ready(ACME_POOL, "a1").heard(new Report(0, 0, 1, 0, 0, minutes(-60)), seconds(30), minutes(30));

        assertThat(plan(idleSince(minutes(-60), 2), 0, busy, ready(ACME_POOL, "a2")))
                .isInstanceOf(ScaleIn.Restart.class);
        assertThat(plan(idleSince(minutes(-60), 2), 0, relaying, ready(ACME_POOL, "a2")))
                .isInstanceOf(ScaleIn.Restart.class);
    }

    @Test
    void a_call_that_the_gateway_holds_starts_the_window_again() {
        ScaleIn decision = plan(idleSince(minutes(-60), 1), 1, ready(ACME_POOL, "a1"));

        assertThat(decision).isInstanceOf(ScaleIn.Restart.class);
        assertThat(decision.reason()).contains("held");
    }

    @Test
    void calls_of_a_lost_container_do_not_keep_the_pool_awake() {
        Container lost = withCalls(in(ContainerState.LOST, ACME_POOL, "a0"), ACME, 1, 3);

        assertDrains(plan(idleSince(minutes(-10), 2), 0, lost, ready(ACME_POOL, "a1")), "a1");
    }

    @Test
    void what_a_container_reported_before_it_stopped_does_not_keep_the_pool_awake() {
        Container stopping = in(ContainerState.STOPPING, ACME_POOL, "a0")
                .heard(new Report(0, 2, 0, 0, 0, minutes(-20)), minutes(-20), Instant.EPOCH);

        assertDrains(plan(idleSince(minutes(-10), 2), 0, stopping, ready(ACME_POOL, "a1")), "a1");
    }

    @Test
    void nothing_is_drained_while_another_retirement_is_under_way() {
        Pool pool = idleSince(minutes(-60), 2);

        assertThat(plan(pool, 0, ready(ACME_POOL, "a1"), in(ContainerState.DRAINING, ACME_POOL, "a2")))
                .isInstanceOf(ScaleIn.Keep.class);
        assertThat(plan(pool, 0, ready(ACME_POOL, "a1"), in(ContainerState.DRAINED, ACME_POOL, "a2")))
                .isInstanceOf(ScaleIn.Keep.class);
        assertDrains(plan(pool, 0, ready(ACME_POOL, "a1"), in(ContainerState.STOPPING, ACME_POOL, "a2")), "a1");
    }

    @Test
    void nothing_is_drained_while_a_container_is_starting() {
        assertThat(plan(
                        idleSince(minutes(-60), 2),
                        0,
                        ready(ACME_POOL, "a1"),
                        startedAt(in(ContainerState.STARTING, ACME_POOL, "a2"), seconds(-30))))
                .isInstanceOf(ScaleIn.Keep.class);
    }

    @Test
    void the_lock_keeps_a_second_retirement_out_for_30_seconds() {
        Pool locked = pool(ON_DEMAND, 2, minutes(-60), seconds(1), Map.of());
        Pool free = pool(ON_DEMAND, 2, minutes(-60), NOW, Map.of());

        ScaleIn decision = plan(locked, 0, ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2"));
        assertThat(decision).isInstanceOf(ScaleIn.Keep.class);
        assertThat(decision.reason()).contains("30 s");
        assertDrains(plan(free, 0, ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2")), "a1");
    }

    @Test
    void the_gateway_shrinks_under_load_while_a_whole_container_is_more_than_the_spare() {
        Policy policy = new Policy(3, 10, LIMIT, 6, ScaleOutRule.DEMAND, ScaleInRule.IDLE);
        Pool gateway = Pool.fresh(PoolId.GATEWAY, policy, "spillway-gateway", "wss://g.example.com", minutes(-60));
        List<Container> four = List.of(
                withCalls(ready(PoolId.GATEWAY, "gw1"), ACME, 1, 6),
                withCalls(ready(PoolId.GATEWAY, "gw2"), ACME, 11, 6),
                ready(PoolId.GATEWAY, "gw3"),
                ready(PoolId.GATEWAY, "gw4"));

        assertDrains(ScaleIn.plan(new PoolView(gateway, four), 0, TIMING, NOW), "gw3");

        List<Container> oneCallMore =
                List.of(four.get(0), four.get(1), withCalls(ready(PoolId.GATEWAY, "gw3"), ACME, 21, 1), four.get(3));
        assertThat(ScaleIn.plan(new PoolView(gateway, oneCallMore), 0, TIMING, NOW))
                .isInstanceOf(ScaleIn.Restart.class);
    }

    @Test
    void the_gateway_does_not_count_the_slots_of_one_that_is_short_of_memory_as_spare() {
        Policy policy = new Policy(3, 10, LIMIT, 6, ScaleOutRule.DEMAND, ScaleInRule.IDLE);
        Pool gateway = Pool.fresh(PoolId.GATEWAY, policy, "spillway-gateway", "wss://g.example.com", minutes(-60));
        List<Container> four = List.of(
                withCalls(ready(PoolId.GATEWAY, "gw1"), ACME, 1, 6),
                withCalls(ready(PoolId.GATEWAY, "gw2"), ACME, 11, 6),
                ready(PoolId.GATEWAY, "gw3"),
                ready(PoolId.GATEWAY, "gw4")
                        .heard(new Report(0, 0, 0, 0, 1, minutes(-60), true), seconds(30), minutes(60)));

        assertThat(ScaleIn.plan(new PoolView(gateway, four), 0, TIMING, NOW)).isInstanceOf(ScaleIn.Restart.class);
    }

    // consolidate

    private static final Policy CONSOLIDATING =
            new Policy(0, 10, LIMIT, 0, ScaleOutRule.AHEAD, ScaleInRule.CONSOLIDATE);

    private static Pool tooMany(Instant since, int desired) {
        return pool(CONSOLIDATING, desired, since, Instant.EPOCH, Map.of());
    }

    private static Container calls(String name, int firstCall, int count) {
        return withCalls(ready(ACME_POOL, name), ACME, firstCall, count);
    }

    @Test
    void twelve_calls_on_four_containers_want_three_and_the_emptiest_drains_with_its_calls() {
        List<Container> four = List.of(calls("a1", 1, 4), calls("a2", 11, 4), calls("a3", 21, 1), calls("a4", 31, 3));

        // 12 calls and 3 free slots, 0.5 * sqrt(12) + 0.05 * 12 + 1, fit into three.
        ScaleIn decision = ScaleIn.plan(new PoolView(tooMany(seconds(-45), 4), four), 0, TIMING, NOW);

        assertDrains(decision, "a3");
        assertThat(decision.reason()).contains("12 calls").contains("4 -> 3");
    }

    @Test
    void a_second_before_the_45_seconds_nothing_drains() {
        ScaleIn decision = plan(tooMany(seconds(-44), 2), 0, calls("a1", 1, 1), calls("a2", 11, 1));

        assertThat(decision).isInstanceOf(ScaleIn.Keep.class);
        assertThat(decision.reason()).contains("44 s of 45 s");
    }

    @Test
    void while_no_container_is_too_much_the_time_starts_again() {
        // 3 calls and 2 free slots fit into a container, 4 calls and 2 too, and 5 calls want 2 beside them.
        assertDrains(plan(tooMany(minutes(-5), 2), 0, calls("a1", 1, 2), calls("a2", 11, 2)), "a1");
        assertThat(plan(tooMany(minutes(-5), 2), 0, calls("a1", 1, 3), calls("a2", 11, 2)))
                .isInstanceOf(ScaleIn.Restart.class);
    }

    @Test
    void another_may_drain_while_one_drains_but_not_while_one_starts_or_within_the_lock() {
        Container draining = in(ContainerState.DRAINING, ACME_POOL, "a3");
        Container starting = startedAt(in(ContainerState.STARTING, ACME_POOL, "a3"), seconds(-30));
        Container one = calls("a1", 1, 1);
        Container other = calls("a2", 11, 2);

        assertDrains(plan(tooMany(minutes(-5), 3), 0, one, other, draining), "a1");
        assertThat(plan(tooMany(minutes(-5), 3), 0, one, other, starting)).isInstanceOf(ScaleIn.Keep.class);
        Pool locked = pool(CONSOLIDATING, 3, minutes(-5), seconds(1), Map.of());
        assertThat(plan(locked, 0, one, other, draining)).isInstanceOf(ScaleIn.Keep.class);
    }

    @Test
    void of_five_idle_containers_four_drain_at_once_and_the_last_after_the_idle_window() {
        ScaleIn decision = plan(
                tooMany(minutes(-1), 5),
                0,
                ready(ACME_POOL, "a1"),
                ready(ACME_POOL, "a2"),
                ready(ACME_POOL, "a3"),
                ready(ACME_POOL, "a4"),
                ready(ACME_POOL, "a5"));

        assertThat(decision).isInstanceOf(ScaleIn.Drain.class);
        assertThat(((ScaleIn.Drain) decision).containers()).hasSize(4);
        assertThat(plan(tooMany(seconds(-599), 1), 0, ready(ACME_POOL, "a1"))).isInstanceOf(ScaleIn.Keep.class);
        assertDrains(plan(tooMany(seconds(-600), 1), 0, ready(ACME_POOL, "a1")), "a1");
    }

    @Test
    void of_eight_with_a_call_each_half_of_those_that_are_too_many_drain_at_once() {
        Container[] eight = new Container[8];
        for (int n = 0; n < 8; n++) {
            eight[n] = calls("a" + n, 10 * n, 1);
        }

        // 8 calls and 3 free slots want two containers: six are too many.
        ScaleIn decision = plan(tooMany(minutes(-1), 8), 0, eight);

        assertThat(decision).isInstanceOf(ScaleIn.Drain.class);
        assertThat(((ScaleIn.Drain) decision).containers()).hasSize(3);
        assertThat(decision.reason()).contains("8 -> 5");
    }

    @Test
    void consolidation_leaves_the_minimum_and_what_the_gateway_holds() {
        Policy production = new Policy(2, 10, LIMIT, 0, ScaleOutRule.AHEAD, ScaleInRule.CONSOLIDATE);
        Pool pool = pool(production, 2, minutes(-60), Instant.EPOCH, Map.of());

        assertThat(plan(pool, 0, ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2")))
                .isNotInstanceOf(ScaleIn.Drain.class);
        assertThat(plan(tooMany(minutes(-60), 2), 1, ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2")))
                .isInstanceOf(ScaleIn.Restart.class);
    }

    @Test
    void consolidation_does_not_count_on_one_that_is_short_of_memory() {
        Container small = calls("a1", 1, 1).heard(new Report(0, 1, 0, 0, 1, NOW, true), seconds(30), minutes(60));

        assertThat(plan(tooMany(minutes(-60), 2), 0, small, calls("a2", 11, 1))).isInstanceOf(ScaleIn.Restart.class);
    }

    @Test
    void while_containers_of_two_revisions_are_ready_none_of_the_new_ones_is_drained_in_place_of_the_former() {
        Pool pool = tooMany(minutes(-60), 2);

        ScaleIn decision = plan(
                pool,
                0,
                calls("a1", 1, 1),
                calls("a2", 11, 1),
                startedAt(revision(ready(ACME_POOL, "a3"), "r2"), seconds(-30)),
                startedAt(revision(ready(ACME_POOL, "a4"), "r2"), seconds(-30)));

        assertThat(decision)
                .isInstanceOfSatisfying(
                        ScaleIn.Drain.class,
                        drain -> assertThat(drain.containers())
                                .extracting(container -> container.id().value())
                                .isNotEmpty()
                                .isSubsetOf("a1", "a2"));
    }

    @Test
    void a_deployment_leaves_room_on_the_new_containers_for_the_calls_that_the_former_ones_still_have() {
        Pool pool = tooMany(minutes(-60), 2);
        Container former = calls("a1", 1, 5).withState(ContainerState.DRAINING, ScaleIn.DEPLOYMENT, NOW);
        Container another = calls("a2", 11, 4).withState(ContainerState.DRAINING, ScaleIn.DEPLOYMENT, NOW);

        assertThat(plan(
                        pool,
                        0,
                        former,
                        another,
                        revision(ready(ACME_POOL, "a3"), "r2"),
                        revision(ready(ACME_POOL, "a4"), "r2")))
                .isInstanceOf(ScaleIn.Restart.class);
    }

    // lowering the desired count

    private static final Service QUIET = new Service(2, 2, 0, false, "r1");
    private static final Container DRAINED = in(ContainerState.DRAINED, ACME_POOL, "a1");

    private static ScaleIn.Lowering lowering(Pool pool, Service service, Container... others) {
        List<Container> all = new java.util.ArrayList<>(List.of(others));
        all.add(DRAINED);
        return ScaleIn.planLowering(new PoolView(pool, all), service, DRAINED, TIMING, NOW);
    }

    private static void assertWaits(ScaleIn.Lowering lowering, String why) {
        assertThat(lowering).isInstanceOf(ScaleIn.Lowering.Wait.class);
        assertThat(((ScaleIn.Lowering.Wait) lowering).reason()).contains(why);
    }

    @Test
    void the_count_is_lowered_by_one_when_all_others_are_protected() {
        assertThat(lowering(idleSince(NOW, 2), QUIET, ready(ACME_POOL, "a2"))).isEqualTo(new ScaleIn.Lowering.Lower(1));
        assertThat(lowering(idleSince(NOW, 1), QUIET)).isEqualTo(new ScaleIn.Lowering.Lower(0));
    }

    @Test
    void lowering_waits_when_it_was_done_for_this_container_already() {
        Pool once = pool(ON_DEMAND, 1, NOW, Instant.EPOCH, Map.of(container("a1"), NOW));

        assertWaits(lowering(once, QUIET), "already");
    }

    @Test
    void lowering_waits_while_a_deployment_runs() {
        assertWaits(lowering(idleSince(NOW, 2), new Service(2, 2, 0, true, "r2")), "deployment");
    }

    @Test
    void lowering_waits_while_a_container_is_starting() {
        assertWaits(lowering(idleSince(NOW, 2), new Service(2, 1, 1, false, "r1")), "starting");
        assertWaits(lowering(idleSince(NOW, 2), QUIET, in(ContainerState.STARTING, ACME_POOL, "a2")), "starting");
    }

    @Test
    void lowering_waits_while_another_serving_container_is_not_protected_for_ten_more_minutes() {
        Container almost = ready(ACME_POOL, "a2").heard(Report.empty(NOW), seconds(30), seconds(599));
        Container enough = ready(ACME_POOL, "a2").heard(Report.empty(NOW), seconds(30), seconds(600));
        Container drainingUnprotected =
                in(ContainerState.DRAINING, ACME_POOL, "a3").heard(Report.empty(NOW), seconds(30), Instant.EPOCH);

        assertWaits(lowering(idleSince(NOW, 2), QUIET, almost), "a2");
        assertWaits(lowering(idleSince(NOW, 2), QUIET, drainingUnprotected), "a3");
        assertThat(lowering(idleSince(NOW, 2), QUIET, enough)).isEqualTo(new ScaleIn.Lowering.Lower(1));
    }

    @Test
    void lowering_does_not_mind_containers_that_serve_nobody() {
        Container drained = in(ContainerState.DRAINED, ACME_POOL, "a2").heard(Report.empty(NOW), NOW, Instant.EPOCH);
        Container lost = in(ContainerState.LOST, ACME_POOL, "a3").heard(Report.empty(NOW), NOW, Instant.EPOCH);

        assertThat(lowering(idleSince(NOW, 3), QUIET, drained, lost)).isEqualTo(new ScaleIn.Lowering.Lower(2));
    }

    @Test
    void lowering_waits_when_the_count_is_zero_already() {
        assertWaits(lowering(idleSince(NOW, 0), QUIET), "0");
    }
}
