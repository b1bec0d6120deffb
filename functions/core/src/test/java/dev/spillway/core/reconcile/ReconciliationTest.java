package dev.spillway.core.reconcile;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.protectedUntil;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.revision;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.startedAt;
import static dev.spillway.core.memory.Sample.stream;
import static dev.spillway.core.memory.Sample.tenant;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.background.Shift;
import dev.spillway.core.background.Shifts;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallStatus;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.MemoryTelephony;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet.Service;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.scaling.Retirement;
import dev.spillway.core.scaling.ScaleIn;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReconciliationTest {
    private final MemoryTable table = new MemoryTable();
    private final MemoryTelephony twilio = new MemoryTelephony();
    private final Set<String> answering = new HashSet<>();

    private final Growth growth = new Growth(
            table.pools(), table.containers(), table.fleet(), table.announcements(), table.journal(), Timing.STANDARD);
    private final Inquiry inquiry = new Inquiry(
            table.tenants(),
            twilio,
            new CallEnding(
                    table.calls(), table.containers(), table.announcements(), table.conversations(), table.journal()),
            table.journal());
    private final Reconciliation reconciliation = new Reconciliation(
            new StaleClaims(table.calls(), inquiry, table.journal(), Timing.STANDARD),
            new FleetMending(
                    table.fleet(),
                    growth,
                    new SilentContainers(
                            table.calls(),
                            table.tenants(),
                            twilio,
                            (pool, id) -> answering.contains(id.value()),
                            inquiry,
                            table.journal()),
                    new Launches(table.journal(), Timing.STANDARD),
                    table.journal(),
                    Timing.STANDARD),
            new OpenCalls(table.listing(), table.calls(), inquiry, table.journal(), Timing.STANDARD),
            new Retirement(table.fleet(), growth, table.journal(), Timing.STANDARD),
            new HandOff(
                    table.pools(), table.containers(), table.calls(), growth, table.generations(), table.journal()));

    private List<Finding> visit(Instant now) {
        return visit(ACME_POOL, now);
    }

    private List<Finding> visit(PoolId pool, Instant now) {
        return reconciliation.visit(table.shift(pool, now), now);
    }

    @BeforeEach
    void twoContainers() {
        table.put(acme(ScaleOutRule.PLUS_ONE, 2));
        table.put(gateway());
        table.put(tenant(ACME));
        table.put(ready(PoolId.GATEWAY, "gw1"));
        table.fleet().put(ACME_SERVICE, new Service(2, 2, 0, false, "r1"));
        run(ready(ACME_POOL, "a1"));
        run(ready(ACME_POOL, "a2"));
    }

    private void run(Container container) {
        table.put(container);
        table.fleet().run(ACME_SERVICE, container.id(), minutes(-61));
    }

    private Container look(String name) {
        return table.look(ACME_POOL, container(name));
    }

    private Pool pool() {
        return table.look(ACME_POOL).pool();
    }

    /** a1 with two connected calls, last heard that many seconds ago. */
    private void silentWithTwoCalls(long secondsAgo) {
        table.put(aliveUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 2), seconds(30 - secondsAgo)));
        for (int n = 1; n <= 2; n++) {
            table.put(new Call(
                    ACME, call(n), NOW, 1, Map.of(1, stream(ACME_POOL, "a1", 1, n, NOW)), null, 1, false, null));
        }
    }

    @Test
    void a_healthy_pool_is_left_alone() {
        assertThat(visit(NOW)).isEmpty();
        assertThat(table.operations().writes()).isZero();
        assertThat(table.fleet().told()).isEmpty();
        assertThat(visit(dev.spillway.core.memory.Sample.BLOOM_POOL, NOW)).isEmpty();
    }

    @Test
    void a_stopped_container_is_lost_and_its_replacement_is_on_its_way() {
        table.fleet().stop(ACME_SERVICE, container("a1"), "killed", minutes(-61));

        visit(NOW);

        assertThat(look("a1").state()).isEqualTo(ContainerState.LOST);
        assertThat(look("a1").stateReason()).isEqualTo("ECS: killed");
        assertThat(look("a1").mayExit()).isTrue();
        assertThat(pool().launchSince()).isEqualTo(NOW);
        assertThat(table.look(ACME_POOL).starting(NOW, Timing.STANDARD.coldStart()))
                .isEqualTo(1);
        assertThat(table.written("lost")).hasSize(1);
    }

    @Test
    void a_container_whose_task_ecs_stops_takes_no_more_calls_and_its_replacement_is_on_its_way() {
        table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 2));
        table.fleet().stopping(ACME_SERVICE, container("a1"), "Fargate retires it", minutes(-61));

        visit(NOW);

        assertThat(look("a1").state()).isEqualTo(ContainerState.DRAINING);
        assertThat(look("a1").stateReason()).isEqualTo("ECS stops its task: Fargate retires it");
        assertThat(look("a1").mayExit()).isTrue();
        assertThat(look("a1").claims()).hasSize(2);
        assertThat(table.look(ACME_POOL).starting(NOW, Timing.STANDARD.coldStart()))
                .isEqualTo(1);
        assertThat(twilio.sent()).isEmpty();
        assertThat(table.written("being-stopped")).hasSize(1);
        // and it is told once
        table.operations().clearLog();
        visit(seconds(10));
        assertThat(table.operations().writes()).isZero();
    }

    @Test
    void a_silent_container_that_answers_the_probe_keeps_its_calls() {
        silentWithTwoCalls(40);
        answering.add("a1");

        visit(NOW);

        assertThat(twilio.sent()).isEmpty();
        assertThat(look("a1").state()).isEqualTo(ContainerState.READY);
    }

    @Test
    void a_silent_container_that_does_not_answer_has_its_calls_moved_and_is_not_lost_yet() {
        silentWithTwoCalls(40);

        visit(NOW);

        assertThat(twilio.sent()).containsExactlyInAnyOrder("acme " + call(1) + " 1", "acme " + call(2) + " 1");
        assertThat(look("a1").state()).isEqualTo(ContainerState.READY);
    }

    @Test
    void a_call_that_was_placed_on_a_container_that_fell_silent_before_it_connected_is_moved_too() {
        silentWithTwoCalls(40);
        Map<ClaimKey, Claim> claims = new HashMap<>(look("a1").claims());
        claims.put(call(1), Claim.reserved(generation(1, 1), ACME, NOW, NOW));
        claims.put(call(3), Claim.reserved(generation(2, 3), ACME, NOW, NOW));
        claims.put(call(4), Claim.reserved(generation(1, 99), ACME, NOW, NOW));
        table.put(look("a1").withClaims(claims));
        // The slot is offered to the third, which still talks to the gateway; the fourth was placed elsewhere
        // meanwhile.
        table.put(new Call(
                ACME,
                call(3),
                NOW,
                1,
                Map.of(1, stream(PoolId.GATEWAY, "gw1", 1, 9, NOW)),
                new Offer(new ContainerId("a1"), generation(2, 3), NOW),
                1,
                false,
                null));
        table.put(new Call(
                ACME, call(4), NOW, 1, Map.of(1, stream(PoolId.GATEWAY, "gw1", 1, 4, NOW)), null, 0, false, null));

        visit(NOW);

        assertThat(twilio.sent()).containsExactlyInAnyOrder("acme " + call(1) + " 1", "acme " + call(2) + " 1");
    }

    @Test
    void a_call_that_moved_on_or_ended_is_not_moved_again() {
        silentWithTwoCalls(40);
        table.calls().place(ACME, call(1), 1, stream(PoolId.GATEWAY, "gw1", 2, 9, NOW));
        table.calls().finish(ACME, call(2));

        visit(NOW);

        assertThat(twilio.sent()).isEmpty();
    }

    @Test
    void a_container_silent_for_90_seconds_is_lost_and_its_calls_are_moved() {
        silentWithTwoCalls(90);

        visit(NOW);

        assertThat(look("a1").state()).isEqualTo(ContainerState.LOST);
        assertThat(look("a1").mayExit()).isFalse();
        assertThat(twilio.sent()).containsExactlyInAnyOrder("acme " + call(1) + " 1", "acme " + call(2) + " 1");
    }

    @Test
    void calls_that_are_still_on_a_stopped_container_ten_seconds_later_are_moved_though_their_streams_never_broke() {
        // given a container with two calls that was killed, while a relay before it holds their streams open
        silentWithTwoCalls(0);
        table.fleet().stop(ACME_SERVICE, container("a1"), "killed", minutes(-61));

        visit(NOW);
        visit(seconds(9));
        assertThat(twilio.sent()).isEmpty();

        // when Twilio has had ten seconds for the redirect of the first, and not of the second
        table.calls().place(ACME, call(1), 1, stream(PoolId.GATEWAY, "gw1", 2, 9, seconds(2)));
        visit(seconds(11));

        assertThat(twilio.sent()).containsExactly("acme " + call(2) + " 1");
    }

    @Test
    void when_twilio_fails_for_one_call_the_others_and_everything_else_go_on() {
        silentWithTwoCalls(40);
        twilio.fail(call(1));
        table.fleet().put(ACME_SERVICE, new Service(5, 5, 0, false, "r1"));

        visit(NOW);

        assertThat(twilio.sent()).containsExactly("acme " + call(2) + " 1");
        assertThat(table.fleet().desired(ACME_SERVICE)).isEqualTo(2);
    }

    @Test
    void silence_of_the_whole_fleet_is_noted_and_nothing_is_declared_lost_until_60_seconds_after_it() {
        Instant outage = seconds(200);
        visit(outage);
        assertThat(pool().silentSince()).isEqualTo(outage);
        assertThat(look("a1").state()).isEqualTo(ContainerState.READY);

        table.put(aliveUntil(look("a2"), seconds(290)));
        visit(seconds(260));
        assertThat(pool().silentSince()).isEqualTo(Instant.MAX);
        assertThat(pool().heardAgainAt()).isEqualTo(seconds(260));
        assertThat(look("a1").state())
                .as("in the very visit that hears the first again")
                .isEqualTo(ContainerState.READY);

        table.put(aliveUntil(look("a2"), seconds(350)));
        visit(seconds(319));
        assertThat(look("a1").state()).isEqualTo(ContainerState.READY);
        visit(seconds(320));
        assertThat(look("a1").state()).isEqualTo(ContainerState.LOST);
    }

    @Test
    void after_an_outage_in_which_nobody_could_write_down_the_silence_nothing_is_lost_for_60_seconds_either() {
        Shifts shifts = new Shifts(table.leases(), table.pools(), table.containers(), table.journal(), Timing.STANDARD);
        Shift before = begun(shifts, "before", NOW);
        shifts.complete(before, NOW);
        // The table is down until second 400, for containers and controller alike; a2 is the first to beat again.
        table.put(aliveUntil(look("a2"), seconds(430)));

        Shift first = begun(shifts, "first", seconds(400));
        reconciliation.visit(first, seconds(400));
        shifts.complete(first, seconds(400));
        assertThat(look("a1").state()).isEqualTo(ContainerState.READY);
        assertThat(pool().heardAgainAt()).isEqualTo(seconds(400));

        table.put(aliveUntil(look("a2"), seconds(490)));
        Shift second = begun(shifts, "second", seconds(459));
        reconciliation.visit(second, seconds(459));
        shifts.complete(second, seconds(459));
        assertThat(look("a1").state()).isEqualTo(ContainerState.READY);

        Shift third = begun(shifts, "third", seconds(460));
        reconciliation.visit(third, seconds(460));
        assertThat(look("a1").state()).as("it had 60 s to beat").isEqualTo(ContainerState.LOST);
    }

    private static Shift begun(Shifts shifts, String holder, Instant now) {
        return ((Shifts.Start.Begun) shifts.begin(ACME_POOL, holder, now)).shift();
    }

    @Test
    void a_call_that_could_not_be_moved_since_it_is_over_ends_as_twilio_says() {
        silentWithTwoCalls(40);
        twilio.put(call(1), new CallStatus.Over(FinalStatus.COMPLETED));

        visit(NOW);

        assertThat(table.look(ACME, call(1)).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(table.look(ACME, call(2)).outcome()).isNull();
        assertThat(table.written("call-asked").getFirst().fields()).containsEntry("decidedBy", "twilio-status");
    }

    @Test
    void an_only_container_is_lost_after_90_seconds_of_silence_while_the_gateway_is_heard_and_not_while_it_is_silent() {
        table.put(look("a2")
                .withState(ContainerState.LOST, "killed", seconds(-60))
                .withMayExit());
        table.put(aliveUntil(ready(PoolId.GATEWAY, "gw1"), seconds(100)));
        visit(seconds(100));
        assertThat(look("a1").state()).isEqualTo(ContainerState.READY);
        assertThat(pool().silentSince()).isEqualTo(seconds(100));

        table.put(aliveUntil(ready(PoolId.GATEWAY, "gw1"), seconds(300)));
        visit(seconds(160));
        assertThat(look("a1").state())
                .as("in the very visit that hears the gateway again")
                .isEqualTo(ContainerState.READY);

        visit(seconds(220));
        assertThat(look("a1").state()).isEqualTo(ContainerState.LOST);
    }

    @Test
    void ecs_is_made_to_follow_the_table() {
        table.fleet().put(ACME_SERVICE, new Service(7, 2, 0, false, "r1"));

        visit(NOW);

        assertThat(table.fleet().told()).containsExactly(2);
    }

    @Test
    void with_ecs_down_orphans_are_released_and_held_calls_are_handed_over_all_the_same() {
        table.operations()
                .failAll(operation -> operation == Operation.FLEET_DESCRIBE || operation == Operation.FLEET_TASKS);
        table.put(new Call(
                ACME, call(8), NOW, 1, Map.of(1, stream(PoolId.GATEWAY, "gw1", 1, 8, NOW)), null, 1, false, null));
        table.put(withCalls(ready(PoolId.GATEWAY, "gw1"), ACME, 8, 1));
        orphan(9);

        assertThat(visit(NOW)).isEmpty();

        assertThat(look("a1").claims()).doesNotContainKey(call(9));
        assertThat(table.look(ACME, call(8)).offer()).isNotNull();
        assertThat(table.written("fleet-unreadable")).hasSize(1);
    }

    @Test
    void with_ecs_down_the_calls_of_a_silent_container_that_does_not_answer_are_moved_all_the_same() {
        table.operations()
                .failAll(operation -> operation == Operation.FLEET_DESCRIBE || operation == Operation.FLEET_TASKS);
        silentWithTwoCalls(40);

        visit(NOW);

        assertThat(twilio.sent()).containsExactlyInAnyOrder("acme " + call(1) + " 1", "acme " + call(2) + " 1");
        assertThat(look("a1").state()).isEqualTo(ContainerState.READY);
    }

    private void orphan(int n) {
        table.put(new Call(
                ACME, call(n), NOW, 1, Map.of(1, stream(PoolId.GATEWAY, "gw1", 1, 99, NOW)), null, 1, false, null));
        table.put(look("a1").withClaims(Map.of(call(n), Claim.reserved(generation(1, n), ACME, NOW, NOW))));
    }

    @Test
    void an_orphan_is_released_and_a_connected_claim_or_one_of_an_unknown_call_is_not() {
        orphan(9);
        table.put(look("a2")
                .withClaims(Map.of(
                        call(9),
                        Claim.connected(generation(1, 5), ACME, NOW, NOW),
                        call(7),
                        Claim.reserved(generation(1, 7), ACME, NOW, NOW))));

        visit(NOW);

        assertThat(look("a1").claims()).isEmpty();
        assertThat(look("a2").claims()).containsOnlyKeys(call(9), call(7));
        assertThat(table.written("orphan")).hasSize(1);
    }

    /** Call 5 is on the gateway, and a slot of a1 was offered to it at NOW. */
    private void offered() {
        table.put(withCalls(ready(PoolId.GATEWAY, "gw1"), ACME, 5, 1));
        table.put(new Call(
                ACME,
                call(5),
                NOW,
                1,
                Map.of(1, stream(PoolId.GATEWAY, "gw1", 1, 5, NOW)),
                new Offer(container("a1"), generation(2, 50), NOW),
                1,
                false,
                null));
        table.put(look("a1").withClaims(Map.of(call(5), Claim.reserved(generation(2, 50), ACME, NOW, NOW))));
    }

    @Test
    void an_offer_to_a_call_that_is_still_on_the_gateway_is_kept() {
        offered();

        table.put(aliveUntil(look("a1"), seconds(640)));
        table.put(aliveUntil(look("a2"), seconds(640)));
        visit(seconds(600));

        assertThat(look("a1").claims()).containsOnlyKeys(call(5));
    }

    @Test
    void an_offer_to_a_call_that_left_the_gateway_and_never_came_is_taken_back_once_it_cannot_be_under_way() {
        offered();
        // The caller hung up, and Twilio's notice of it got lost.
        table.put(aliveUntil(ready(PoolId.GATEWAY, "gw1"), seconds(91)));

        visit(seconds(20));
        assertThat(look("a1").claims()).containsOnlyKeys(call(5));

        table.put(aliveUntil(look("a1"), seconds(91)));
        table.put(aliveUntil(look("a2"), seconds(91)));
        visit(seconds(61));
        assertThat(look("a1").claims()).isEmpty();
    }

    @Test
    void what_ecs_refuses_keeps_no_held_call_waiting_and_the_visit_counts_as_failed() {
        table.operations().failAll(operation -> operation == Operation.FLEET_SET_DESIRED);
        table.fleet().put(ACME_SERVICE, new Service(7, 2, 0, false, "r1"));
        table.put(new Call(
                ACME, call(8), NOW, 1, Map.of(1, stream(PoolId.GATEWAY, "gw1", 1, 8, NOW)), null, 1, false, null));
        table.put(withCalls(ready(PoolId.GATEWAY, "gw1"), ACME, 8, 1));

        assertThatThrownBy(() -> visit(NOW)).isInstanceOf(DependencyException.class);

        assertThat(table.look(ACME, call(8)).offer()).isNotNull();
    }

    @Test
    void a_slot_offered_to_a_call_that_the_gateway_lost_without_a_word_is_free_again() {
        offered(1, seconds(-100));
        offered(2, seconds(-100));
        offered(3, seconds(-20));
        table.put(ready(PoolId.GATEWAY, "gw1")
                .withClaims(Map.of(call(2), Claim.connected(generation(1, 2), ACME, NOW, NOW))));
        table.put(look("a1")
                .withClaims(Map.of(
                        call(1), Claim.reserved(generation(2, 1), ACME, NOW, NOW),
                        call(2), Claim.reserved(generation(2, 2), ACME, NOW, NOW),
                        call(3), Claim.reserved(generation(2, 3), ACME, NOW, NOW))));

        visit(NOW);

        assertThat(look("a1").claims()).containsOnlyKeys(call(2), call(3));
        assertThat(table.look(ACME, call(1)).offer()).isNull();
        assertThat(table.look(ACME, call(2)).offer()).isNotNull();
        assertThat(table.written("orphan")).hasSize(1);
    }

    /** A call on the gateway since then, with a slot on a1 that was offered as early. */
    private void offered(int n, Instant at) {
        table.put(new Call(
                ACME,
                call(n),
                at,
                1,
                Map.of(1, new Answer.Stream(PoolId.GATEWAY, container("gw1"), generation(1, n), at, at)),
                new Offer(container("a1"), generation(2, n), at),
                1,
                false,
                null));
    }

    @Test
    void an_outdated_container_is_drained_with_its_calls() {
        table.put(withCalls(look("a1"), ACME, 1, 2));
        table.put(revision(look("a2"), "r2"));
        table.fleet().put(ACME_SERVICE, new Service(2, 2, 0, true, "r2"));

        visit(NOW);

        assertThat(look("a1").state()).isEqualTo(ContainerState.DRAINING);
        assertThat(look("a1").stateReason()).isEqualTo(ScaleIn.DEPLOYMENT);
        assertThat(look("a1").claims()).hasSize(2);
        assertThat(pool().desired()).isEqualTo(2);
    }

    @Test
    void a_blocked_deployment_is_an_alert_that_says_what_it_waits_for_and_stops_nobody() {
        table.put(withCalls(look("a1"), ACME, 1, 2));
        table.fleet().put(ACME_SERVICE, new Service(2, 2, 0, true, "r2", minutes(-9)));
        table.put(protectedUntil(look("a1"), minutes(50)));

        visit(NOW);

        assertThat(table.written("alert")).singleElement().satisfies(entry -> {
            assertThat(entry.fields())
                    .containsEntry("alert", "deployment-blocked")
                    .containsEntry("pool", ACME_POOL.value())
                    .containsEntry("attempts", "2");
            assertThat(entry.fields().get("reason")).contains("ECS has started none of the new ones");
            assertThat(entry.metrics()).containsEntry(Metric.ALERTS, 1.0);
        });
        assertThat(look("a1").state()).isEqualTo(ContainerState.READY);
        assertThat(pool().desired()).isEqualTo(2);
    }

    @Test
    void a_container_that_stopped_as_asked_is_forgotten_when_ecs_forgets_its_task() {
        table.pools()
                .desire(ACME_POOL, 1, pool().version(), container("a1"), new Pool.Decision("scale in", "idle", NOW));
        table.put(in(ContainerState.STOPPING, ACME_POOL, "a1").withMayExit());
        table.put(aliveUntil(look("a1"), NOW));
        table.fleet().stop(ACME_SERVICE, container("a1"), "Scaling activity", minutes(-61));
        visit(NOW);
        assertThat(table.has(ACME_POOL, container("a1"))).isTrue();
        table.fleet().forget(ACME_SERVICE, container("a1"));

        visit(NOW);

        assertThat(table.has(ACME_POOL, container("a1"))).isFalse();
        assertThat(pool().lowered()).isEmpty();
        assertThat(table.written("lost")).isEmpty();
    }

    @Test
    void a_lost_container_whose_task_stopped_later_leaves_its_place_to_its_replacement() {
        table.put(look("a1").withState(ContainerState.LOST, "silent for 90 s", seconds(-60)));
        table.fleet().stop(ACME_SERVICE, container("a1"), "killed", minutes(-61));

        visit(NOW);

        assertThat(look("a1").mayExit()).isTrue();
        assertThat(pool().launchSince()).isEqualTo(NOW);
    }

    @Test
    void a_container_that_somebody_else_stopped_does_not_make_its_pool_ask_for_one_too_many() {
        table.put(look("a1").withState(ContainerState.STOPPING, "the task was asked to stop", seconds(-60)));
        table.fleet().stop(ACME_SERVICE, container("a1"), "Task maintenance", minutes(-61));
        visit(NOW);
        run(ready(ACME_POOL, "a3")); // ECS replaced it
        table.put(withCalls(look("a2"), ACME, 1, 6));
        table.put(withCalls(look("a3"), ACME, 11, 6));
        table.put(withCalls(ready(PoolId.GATEWAY, "gw1"), ACME, 21, 1));

        growth.ask(ACME_POOL, false, seconds(20));

        assertThat(pool().desired()).isEqualTo(3);
    }

    @Test
    void a_launch_that_failed_is_shown_and_three_in_a_row_back_off() {
        for (int n = 1; n <= 3; n++) {
            table.fleet().stop(ACME_SERVICE, container("f" + n), "CannotPull " + n, seconds(-60 + 10L * n));
        }
        table.put(startedAt(look("a1"), minutes(-60)));

        visit(NOW);

        // three cold starts after the last one was made
        assertThat(pool().launches()).isEqualTo(new Pool.Launches(3, "CannotPull 3", seconds(-30 + 180)));
        assertThat(table.written("launch-failed")).hasSize(1);

        visit(seconds(10));
        assertThat(table.written("launch-failed")).hasSize(1);
    }

    @Test
    void one_failed_launch_does_not_back_off() {
        table.fleet().stop(ACME_SERVICE, container("f1"), "CannotPull", seconds(-50));

        visit(NOW);

        assertThat(pool().launches()).isEqualTo(new Pool.Launches(1, "CannotPull", seconds(-50)));
    }

    @Test
    void the_replacement_of_a_launch_that_failed_is_on_its_way() {
        table.put(startedAt(in(ContainerState.STARTING, ACME_POOL, "f1"), seconds(-40)));
        table.fleet().stop(ACME_SERVICE, container("f1"), "exit code 1", seconds(-50));

        visit(NOW);

        assertThat(look("f1").state()).isEqualTo(ContainerState.LOST);
        assertThat(pool().launches().failures()).isEqualTo(1);
        assertThat(pool().launchSince()).isEqualTo(NOW);
    }

    @Test
    void a_task_that_never_registered_is_reported_as_a_zombie() {
        table.fleet().run(ACME_SERVICE, container("zz"), minutes(-4));

        visit(NOW);

        assertThat(table.written("zombie")).hasSize(1);
    }

    @Test
    void a_crash_between_stopping_and_lowering_is_mended() {
        table.put(in(ContainerState.STOPPING, ACME_POOL, "a1").withState(ContainerState.STOPPING, ScaleIn.IDLE, NOW));

        visit(NOW);

        assertThat(pool().desired()).isEqualTo(1);
        assertThat(look("a1").mayExit()).isTrue();
    }
}
