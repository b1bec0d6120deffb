package dev.spillway.core.scaling;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.memory.Crash;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.Fleet.Service;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RetirementTest {
    private final MemoryTable table = new MemoryTable();
    private final Growth growth = new Growth(
            table.pools(), table.containers(), table.fleet(), table.announcements(), table.journal(), Timing.STANDARD);
    private final Retirement retirement = new Retirement(table.fleet(), growth, table.journal(), Timing.STANDARD);

    private Instant now = NOW;

    /** Four containers; the last of twenty calls ends now. */
    @BeforeEach
    void fourContainers() {
        Pool pool = acme(ScaleOutRule.PLUS_ONE, 4);
        table.put(pool);
        table.put(gateway());
        table.fleet().put(ACME_SERVICE, new Service(4, 4, 0, false, "r1"));
        for (int n = 1; n <= 4; n++) {
            table.put(ready(ACME_POOL, "a" + n).heard(Report.empty(NOW), seconds(30), minutes(30)));
            table.fleet().run(ACME_SERVICE, container("a" + n), NOW.minus(Duration.ofHours(1)));
        }
    }

    private Container look(String name) {
        return table.look(ACME_POOL, container(name));
    }

    private Pool pool() {
        return table.look(ACME_POOL).pool();
    }

    /** What the containers do by themselves between two visits: report, confirm that they are empty, leave. */
    private void containersLive() {
        for (Container one : table.look(ACME_POOL).containers()) {
            table.containers()
                    .heartbeat(
                            ACME_POOL,
                            one.id(),
                            one.bootId(),
                            one.report(),
                            now.plusSeconds(30),
                            one.state() == ContainerState.DRAINED ? Instant.EPOCH : now.plus(Duration.ofMinutes(20)));
            if (one.state() == ContainerState.DRAINING) {
                table.containers()
                        .become(
                                ACME_POOL,
                                one.id(),
                                ContainerState.DRAINING,
                                ContainerState.DRAINED,
                                true,
                                one.stateReason(),
                                now);
            }
            if (one.state() == ContainerState.STOPPING && one.mayExit()) {
                table.containers().remove(ACME_POOL, one.id());
                table.pools().forget(ACME_POOL, one.id());
                table.fleet().forget(ACME_SERVICE, one.id());
            }
        }
    }

    private int serving() {
        return (int) table.look(ACME_POOL).in(ContainerState.READY).count();
    }

    /** Visits every minute until then, with a heartbeat of every container 10 s later, and an event for a drained one. */
    private List<String> walkUntil(long minute) {
        List<String> steps = new ArrayList<>();
        int before = serving();
        while (!now.isAfter(minutes(minute))) {
            retirement.sweep(table.shift(ACME_POOL, now), now);
            if (serving() != before) {
                steps.add(Duration.between(NOW, now).toMinutes() + " min: " + before + " -> " + serving());
                before = serving();
            }
            now = now.plusSeconds(10);
            containersLive();
            retirement.stopDrained(table.shift(ACME_POOL, now), now);
            now = now.plusSeconds(10);
            containersLive();
            now = now.plusSeconds(40);
            containersLive();
        }
        return steps;
    }

    private void consolidating(int desired) {
        Policy policy = new Policy(0, 10, LIMIT, 0, ScaleOutRule.AHEAD, ScaleInRule.CONSOLIDATE);
        table.put(acme(ScaleOutRule.AHEAD, desired).with(draft -> draft.policy = policy));
    }

    @Test
    void the_emptiest_of_too_many_drains_with_its_call_and_leaves_when_that_has_ended() {
        consolidating(4);
        table.put(withCalls(look("a1"), ACME, 1, 4));
        table.put(withCalls(look("a2"), ACME, 11, 4));
        table.put(withCalls(look("a3"), ACME, 21, 1));
        table.put(withCalls(look("a4"), ACME, 31, 3));

        retirement.sweep(table.shift(ACME_POOL, now), now);
        assertThat(look("a3").state()).isEqualTo(ContainerState.DRAINING);
        assertThat(serving()).isEqualTo(3);
        now = now.plusSeconds(20);
        containersLive();
        retirement.sweep(table.shift(ACME_POOL, now), now);
        assertThat(look("a3").state()).isEqualTo(ContainerState.DRAINING); // the call is there
        assertThat(pool().desired()).isEqualTo(4);

        table.put(look("a3").withClaims(Map.of()));
        containersLive();
        retirement.sweep(table.shift(ACME_POOL, now), now);
        assertThat(look("a3").mayExit()).isTrue();
        assertThat(pool().desired()).isEqualTo(3);
    }

    @Test
    void a_visit_makes_a_pool_grow_whose_container_is_full_and_that_has_too_few_slots_left() {
        consolidating(4);
        for (int n = 1; n <= 4; n++) {
            table.put(withCalls(look("a" + n), ACME, 100 * n, n == 4 ? 5 : LIMIT));
        }

        retirement.sweep(table.shift(ACME_POOL, now), now);

        assertThat(pool().desired()).isEqualTo(5);
    }

    @Test
    void after_the_last_call_the_pool_walks_from_four_to_zero_at_10_20_30_and_40_minutes() {
        List<String> steps = walkUntil(45);

        assertThat(steps).containsExactly("10 min: 4 -> 3", "20 min: 3 -> 2", "30 min: 2 -> 1", "40 min: 1 -> 0");
        assertThat(table.fleet().told()).containsExactly(3, 2, 1, 0);
        assertThat(table.look(ACME_POOL).containers()).isEmpty();
        assertThat(pool().desired()).isZero();
        assertThat(pool().lowered()).isEmpty();
    }

    @Test
    void a_call_in_between_delays_the_rest() {
        assertThat(walkUntil(24)).containsExactly("10 min: 4 -> 3", "20 min: 3 -> 2");

        // A call of two minutes comes at 25 min.
        Container busy =
                table.look(ACME_POOL).in(ContainerState.READY).findFirst().orElseThrow();
        Claim claim = Claim.reserved(generation(1, 1), ACME, now, now);
        table.containers().claim(ACME_POOL, busy.id(), call(1), claim, LIMIT, now);
        assertThat(walkUntil(26)).isEmpty();
        table.containers().end(ACME_POOL, busy.id(), call(1), claim.generation());
        table.put(table.look(ACME_POOL, busy.id())
                .heard(Report.empty(now), now.plusSeconds(30), now.plus(Duration.ofMinutes(20))));

        assertThat(now).isEqualTo(minutes(27));
        assertThat(walkUntil(50)).containsExactly("37 min: 2 -> 1", "47 min: 1 -> 0");
    }

    @Test
    void a_call_that_the_gateway_holds_keeps_the_pool_awake() {
        now = minutes(15);
        containersLive();
        table.put(dev.spillway.core.memory.Sample.aliveUntil(
                withCalls(ready(PoolId.GATEWAY, "gw1"), ACME, 1, 1), minutes(16)));

        retirement.sweep(table.shift(ACME_POOL, now), now);

        assertThat(serving()).isEqualTo(4);
        assertThat(pool().idleSince()).isEqualTo(now);
    }

    @Test
    void a_claim_that_comes_first_beats_the_drain_and_the_container_keeps_its_call() {
        now = minutes(10);
        containersLive();
        table.operations()
                .on(
                        Operation.CONTAINERS_BECOME,
                        1,
                        Moment.BEFORE,
                        () -> assertThat(table.containers()
                                        .claim(
                                                ACME_POOL,
                                                container("a1"),
                                                call(1),
                                                Claim.reserved(generation(1, 1), ACME, now, now),
                                                LIMIT,
                                                now))
                                .isInstanceOf(ClaimResult.Claimed.class));

        retirement.sweep(table.shift(ACME_POOL, now), now);

        assertThat(look("a1").state()).isEqualTo(ContainerState.READY);
        assertThat(look("a1").claims()).containsOnlyKeys(call(1));
        assertThat(serving()).isEqualTo(4);
    }

    @Test
    void a_second_sweeper_within_30_seconds_drains_nothing() {
        now = minutes(10);
        containersLive();
        table.pools().lockScaleIn(ACME_POOL, now.minusSeconds(1), now.plusSeconds(29));

        retirement.sweep(table.shift(ACME_POOL, now), now);

        assertThat(serving()).isEqualTo(4);
    }

    /** a1 has confirmed that it is empty. */
    private void drained() {
        now = minutes(10);
        containersLive();
        retirement.sweep(table.shift(ACME_POOL, now), now);
        now = now.plusSeconds(10);
        containersLive();
        assertThat(look("a1").state()).isEqualTo(ContainerState.DRAINED);
        table.operations().clearLog();
    }

    @Test
    void stopping_is_written_before_ecs_is_asked_and_the_container_may_exit_afterwards() {
        drained();

        retirement.stopDrained(table.shift(ACME_POOL, now), now);

        List<Operation> writes =
                table.operations().log().stream().filter(Operation::changes).toList();
        assertThat(writes)
                .startsWith(Operation.CONTAINERS_BECOME, Operation.POOLS_DESIRE)
                .endsWith(Operation.FLEET_SET_DESIRED, Operation.CONTAINERS_ALLOW_EXIT);
        assertThat(look("a1").state()).isEqualTo(ContainerState.STOPPING);
        assertThat(look("a1").mayExit()).isTrue();
        assertThat(table.fleet().told()).containsExactly(3);
        assertThat(pool().lowered()).containsOnlyKeys(container("a1"));
    }

    @ParameterizedTest
    @CsvSource({"BEFORE, 1", "AFTER, 1", "BEFORE, 2", "AFTER, 2", "BEFORE, 3", "AFTER, 3", "BEFORE, 4", "AFTER, 4"})
    void after_a_crash_at_any_write_the_next_visit_finishes_and_lowers_the_count_once(Moment moment, int write) {
        drained(); // next are STOPPING, the count, ECS, and the leave to exit
        table.operations().crashAtWrite(write, moment);
        assertThatThrownBy(() -> retirement.stopDrained(table.shift(ACME_POOL, now), now))
                .isInstanceOf(Crash.class);
        table.operations().heal();

        for (int visit = 1; visit <= 2; visit++) {
            now = now.plusSeconds(20);
            retirement.stopDrained(table.shift(ACME_POOL, now), now);
            assertThat(pool().desired()).isEqualTo(3);
            assertThat(table.fleet().desired(ACME_SERVICE)).isEqualTo(3);
            assertThat(look("a1").mayExit()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void when_ecs_does_not_answer_the_container_stays_out_and_the_next_visit_tells_ecs_again(Moment moment) {
        drained();
        table.operations().fail(Operation.FLEET_SET_DESIRED, 1, moment);

        assertThatThrownBy(() -> retirement.stopDrained(table.shift(ACME_POOL, now), now))
                .isInstanceOf(DependencyException.class);

        assertThat(look("a1").state()).isEqualTo(ContainerState.STOPPING);
        assertThat(look("a1").mayExit()).isFalse();
        assertThat(pool().desired()).isEqualTo(3);

        retirement.stopDrained(table.shift(ACME_POOL, now), now.plusSeconds(60));
        assertThat(look("a1").mayExit()).isTrue();
        assertThat(pool().desired()).isEqualTo(3);
        assertThat(table.fleet().desired(ACME_SERVICE)).isEqualTo(3);
    }

    @Test
    void a_stop_that_times_out_and_takes_effect_after_the_next_visit_stops_one_container_and_takes_no_call() {
        drained();
        // The request is on its way when the time is out: nobody knows.
        table.operations().fail(Operation.FLEET_SET_DESIRED, 1, Moment.BEFORE);
        assertThatThrownBy(() -> retirement.stopDrained(table.shift(ACME_POOL, now), now))
                .isInstanceOf(DependencyException.class);
        assertQuarantined("a1");

        // The next visit asks again, and now the first request takes effect, too.
        retirement.stopDrained(table.shift(ACME_POOL, now), now.plusSeconds(60));
        table.fleet().setDesired(ACME_SERVICE, 3);
        assertQuarantined("a1");
        assertThat(pool().desired()).isEqualTo(3);
        assertThat(table.fleet().desired(ACME_SERVICE)).isEqualTo(3);
        assertThat(pool().lowered()).containsOnlyKeys(container("a1"));
        retirement.stopDrained(table.shift(ACME_POOL, now), now.plusSeconds(120));
        assertThat(table.fleet().desired(ACME_SERVICE)).isEqualTo(3);
        assertThat(serving()).isEqualTo(3);
    }

    /** Out of the pool, whatever ECS did: no claim, and no way back. */
    private void assertQuarantined(String name) {
        assertThat(look(name).state()).isEqualTo(ContainerState.STOPPING);
        assertThat(table.containers()
                        .claim(
                                ACME_POOL,
                                container(name),
                                call(1),
                                Claim.reserved(generation(1, 1), ACME, now, now),
                                LIMIT,
                                now))
                .isInstanceOf(ClaimResult.Refused.class);
        for (ContainerState from : List.of(ContainerState.STARTING, ContainerState.DRAINING)) {
            assertThat(table.containers()
                            .become(ACME_POOL, container(name), from, ContainerState.READY, false, "demand", now))
                    .isFalse();
        }
    }

    @Test
    void when_ecs_cannot_be_asked_whether_lowering_is_safe_nothing_changes() {
        drained();
        table.operations().fail(Operation.FLEET_DESCRIBE, 1, Moment.BEFORE);

        assertThatThrownBy(() -> retirement.stopDrained(table.shift(ACME_POOL, now), now))
                .isInstanceOf(DependencyException.class);

        assertThat(look("a1").state()).isEqualTo(ContainerState.DRAINED);
        assertThat(pool().desired()).isEqualTo(4);
    }

    @Test
    void an_empty_container_waits_while_another_has_no_protection_and_says_so() {
        drained();
        table.put(look("a2").heard(look("a2").report(), now.plusSeconds(30), Instant.EPOCH));

        retirement.stopDrained(table.shift(ACME_POOL, now), now);

        assertThat(look("a1").state()).isEqualTo(ContainerState.DRAINED);
        assertThat(pool().desired()).isEqualTo(4);
        assertThat(table.fleet().told()).isEmpty();
        assertThat(table.written("stop-waits")).hasSize(1);
        assertThat(table.written("stop-waits").getFirst().fields().get("reason"))
                .contains("a2");
    }

    /** a1 says of itself, at that second after its confirmation, that something is going on. */
    private void reports(Report report, long second) {
        table.put(look("a1").heard(report, now.plusSeconds(second + 30), Instant.EPOCH));
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 0, 0, 1", "0, 2, 0, 0, 2", "0, 0, 1, 0, 0", "0, 0, 0, 1, 0"})
    void a_drained_container_that_is_not_idle_is_an_alert_at_once_and_is_not_stopped(
            int setups, int live, int relays, int cleanup, int attempts) {
        drained();
        reports(new Report(setups, live, relays, cleanup, 0, now), 1);

        retirement.stopDrained(table.shift(ACME_POOL, now), now);

        assertThat(look("a1").state()).isEqualTo(ContainerState.DRAINED);
        assertThat(pool().desired()).isEqualTo(4);
        assertThat(table.fleet().told()).isEmpty();
        assertThat(table.written("alert")).hasSize(1);
        assertThat(table.written("alert").getFirst().fields())
                .containsEntry("alert", "drained-not-idle")
                .containsEntry("container", "a1")
                .containsEntry("attempts", Integer.toString(attempts));
    }

    @Test
    void what_a_report_from_before_the_confirmation_shows_is_waited_for_and_no_alert() {
        drained();
        reports(new Report(0, 0, 0, 1, 0, now), -1);
        retirement.stopDrained(table.shift(ACME_POOL, now), now);
        assertThat(look("a1").state()).isEqualTo(ContainerState.DRAINED);
        assertThat(table.written("alert")).isEmpty();
        assertThat(table.written("stop-waits")).hasSize(1);

        reports(Report.empty(now), 9);
        retirement.stopDrained(table.shift(ACME_POOL, now), now.plusSeconds(10));
        assertThat(look("a1").state()).isEqualTo(ContainerState.STOPPING);
    }

    @Test
    void each_new_attempt_to_stop_looks_anew_whether_the_container_is_idle() {
        drained();
        table.operations().fail(Operation.FLEET_SET_DESIRED, 1, Moment.BEFORE);
        assertThatThrownBy(() -> retirement.stopDrained(table.shift(ACME_POOL, now), now))
                .isInstanceOf(DependencyException.class);
        reports(new Report(0, 1, 0, 0, 0, now), 20);

        retirement.stopDrained(table.shift(ACME_POOL, now), now.plusSeconds(60));

        assertThat(look("a1").mayExit()).isFalse();
        assertThat(table.fleet().told()).isEmpty();
        assertThat(table.written("alert")).hasSize(1);
    }

    @Test
    void a_container_that_a_deployment_replaces_is_not_stopped_with_a_call_either() {
        table.put(ready(ACME_POOL, "a1")
                .withState(ContainerState.DRAINED, ScaleIn.DEPLOYMENT, NOW)
                .heard(new Report(0, 1, 0, 0, 0, NOW), seconds(40), Instant.EPOCH));

        retirement.stopDrained(table.shift(ACME_POOL, now), now);

        assertThat(look("a1").state()).isEqualTo(ContainerState.DRAINED);
        assertThat(table.written("alert")).hasSize(1);
    }

    @Test
    void when_the_count_moved_meanwhile_the_next_visit_lowers_the_new_one() {
        drained();
        table.operations()
                .on(
                        Operation.POOLS_DESIRE,
                        1,
                        Moment.BEFORE,
                        () -> table.pools()
                                .desire(
                                        ACME_POOL,
                                        5,
                                        pool().version(),
                                        null,
                                        new Pool.Decision("scale out 4 -> 5", "1 calls wait", now)));
        retirement.stopDrained(table.shift(ACME_POOL, now), now);
        assertThat(pool().desired()).isEqualTo(5);
        assertThat(look("a1").mayExit()).isFalse();

        retirement.stopDrained(table.shift(ACME_POOL, now), now.plusSeconds(60));

        assertThat(pool().desired()).isEqualTo(4);
        assertThat(table.fleet().desired(ACME_SERVICE)).isEqualTo(4);
        assertThat(look("a1").mayExit()).isTrue();
    }

    @Test
    void a_container_that_a_deployment_replaces_is_stopped_without_lowering_the_count() {
        table.put(ready(ACME_POOL, "a1").withState(ContainerState.DRAINED, ScaleIn.DEPLOYMENT, NOW));

        retirement.stopDrained(table.shift(ACME_POOL, now), now);

        assertThat(look("a1").state()).isEqualTo(ContainerState.STOPPING);
        assertThat(pool().desired()).isEqualTo(4);
        assertThat(table.fleet().told()).isEmpty();
    }

    @Test
    void an_unknown_pool_is_left_alone() {
        retirement.sweep(table.shift(dev.spillway.core.memory.Sample.BLOOM_POOL, now), now);

        assertThat(table.operations().writes()).isZero();
    }
}
