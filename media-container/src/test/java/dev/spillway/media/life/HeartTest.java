package dev.spillway.media.life;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.event.Announcement.ContainerDrained;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.media.life.Heart.Next;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestStream;
import dev.spillway.media.rig.Webhook;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HeartTest {
    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);
    private final Rig rig = Rig.of(table, clock, ACME_POOL, "c1").start();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void a_beat_buys_thirty_seconds_and_reports_what_is_going_on() {
        voice(1);
        clock.advance(Duration.ofSeconds(10));
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(rig.item().aliveUntil()).isEqualTo(NOW.plusSeconds(40));
        assertThat(rig.item().report().lastActivity()).isEqualTo(NOW);
        assertThat(rig.item().report().memoryBytes()).isPositive();
        assertThat(rig.item().protectedUntil()).isEqualTo(NOW.plusSeconds(3_600));
    }

    @Test
    void two_failed_beats_in_a_row_change_nothing() {
        table.operations().failAll(operation -> true);
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(rig.admission().isAccepting()).isTrue();
        assertThat(rig.heart().failed()).isEqualTo(2);
        table.operations().heal();
        assertThat(voice(1)).isEqualTo(200);
    }

    @Test
    void while_an_order_closes_it_new_calls_are_refused_and_its_own_claims_are_let_in() {
        String twiml =
                Webhook.post(rig.http("/voice"), Webhook.form(call(1).value())).body();
        table.containers().closeUntil(ACME_POOL, rig.id(), Instant.EPOCH, NOW.plusSeconds(60));
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(voice(2)).isEqualTo(503);
        assertThat(rig.item().state()).isEqualTo(ContainerState.READY);
        assertThat(table.written("closed")).hasSize(1);
        TestStream stream = TestStream.open(rig.ws(Webhook.streamPath(twiml))).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));

        clock.advance(Duration.ofSeconds(60));
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(voice(3)).isEqualTo(200);
        stream.stop();
    }

    @Test
    void a_debt_that_fails_keeps_neither_the_others_nor_the_heartbeat_and_is_paid_at_the_next_beat() {
        table.operations().failAll(operation -> operation != Operation.TENANTS_FIND);
        for (int n = 1; n <= 3; n++) {
            assertThat(voice(n)).isEqualTo(200);
        }
        table.operations().heal();
        table.operations().fail(Operation.CONTAINERS_ADMIT, 2, Moment.BEFORE);
        clock.advance(Duration.ofSeconds(10));

        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);

        assertThat(rig.item().claims()).hasSize(2);
        assertThat(rig.item().aliveUntil()).isEqualTo(NOW.plusSeconds(40));
        assertThat(rig.heart().failed()).isZero();
        assertThat(table.written("debt-failed")).hasSize(1);

        rig.heart().beat();
        assertThat(rig.item().claims()).hasSize(3);
    }

    @Test
    void a_debt_that_failed_is_begun_again_at_every_beat_however_soon_it_comes() {
        table.operations().failAll(operation -> operation != Operation.TENANTS_FIND);
        assertThat(voice(1)).isEqualTo(200);
        table.operations().heal();
        table.operations().failAll(operation -> operation == Operation.CONTAINERS_ADMIT);
        table.operations().clearLog();

        for (int beat = 1; beat <= 500; beat++) {
            rig.heart().beat();
            assertThat(table.operations().count(Operation.CONTAINERS_ADMIT)).isEqualTo(beat);
        }
    }

    @Test
    void a_call_whose_own_record_cannot_be_written_keeps_its_claim_and_its_debt() {
        table.operations().failAll(operation -> operation != Operation.TENANTS_FIND);
        assertThat(voice(1)).isEqualTo(200);
        // the webhook's own try comes after its answer
        await().until(() -> table.operations().count(Operation.CALLS_BEGIN) == 1);
        table.operations().heal();
        table.operations().on(Operation.CALLS_BEGIN, 1, Moment.BEFORE, () -> {
            throw new IllegalStateException("a bad item");
        });
        rig.heart().beat();
        assertThat(rig.item().claims()).containsOnlyKeys(call(1));
        assertThat(table.attempts()).isZero();
        rig.heart().beat();
        assertThat(table.attempts()).isEqualTo(1);
        assertThat(rig.item().claims()).hasSize(1);
    }

    @Test
    void a_debt_that_hangs_holds_up_the_heartbeat_for_a_bounded_time_and_is_not_begun_twice() throws Exception {
        try (Rig hasty = Rig.of(table, clock, ACME_POOL, "c2")
                .debts(Duration.ofMillis(100))
                .start()) {
            table.operations().failAll(operation -> operation != Operation.TENANTS_FIND);
            assertThat(Webhook.post(hasty.http("/voice"), Webhook.form(call(1).value()))
                            .statusCode())
                    .isEqualTo(200);
            table.operations().heal();
            CountDownLatch answer = new CountDownLatch(1);
            table.operations().on(Operation.CONTAINERS_ADMIT, 1, Moment.BEFORE, () -> awaitLatch(answer));
            table.operations().clearLog();

            hasty.heart().beat();
            hasty.heart().beat();

            assertThat(hasty.heart().failed()).isZero();
            assertThat(table.operations().count(Operation.CONTAINERS_HEARTBEAT)).isEqualTo(2);
            assertThat(table.operations().count(Operation.CONTAINERS_ADMIT)).isEqualTo(1);
            answer.countDown();
            await().until(() -> hasty.item().claims().containsKey(call(1)));
        }
    }

    @Test
    void a_claim_that_cannot_be_swept_does_not_keep_the_container_from_obeying() {
        table.put(rig.item().withClaims(Map.of(call(1), Claim.connected(generation(1, 1), ACME, NOW, NOW))));
        table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.READY, ContainerState.DRAINING, false, "idle", NOW);
        table.operations().fail(Operation.CONTAINERS_END, 1, Moment.BEFORE);
        rig.heart().beat();
        assertThat(rig.admission().isAccepting()).isFalse();
        assertThat(table.written("sweep-failed")).hasSize(1);
        rig.heart().beat();
        assertThat(rig.item().claims()).isEmpty();
    }

    @Test
    void an_idle_drain_ends_in_drained_with_its_reason_and_only_then_the_protection_is_dropped() {
        drain();
        assertThat(rig.host().asked()).hasSize(1);
        table.operations()
                .on(
                        Operation.CONTAINERS_BECOME,
                        1,
                        Moment.BEFORE,
                        () -> assertThat(rig.host().asked()).hasSize(1));
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINED);
        assertThat(rig.item().stateReason()).isEqualTo(ScaleIn.IDLE);
        assertThat(rig.host().asked()).hasSize(2).last().asString().contains("false");
        assertThat(table.announced()).contains(new ContainerDrained(ACME_POOL, rig.id(), NOW));
        assertThat(voice(1)).isEqualTo(503);
    }

    @Test
    void a_drain_waits_for_the_call() {
        TestStream stream = talk(1);
        table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.READY, ContainerState.DRAINING, false, ScaleIn.IDLE, NOW);
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINING);
        assertThat(voice(2)).isEqualTo(503);
        assertThat(stream.isClosed()).isFalse();
        stream.stop();
        await().until(() -> rig.admission().report(0).isQuiet());
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINED);
    }

    @Test
    void when_ecs_stops_its_task_calls_may_finish_for_a_while_and_then_leave_at_the_end_of_their_turn() {
        // given 300 s between the load balancer's last new connection and its cut
        String twiml =
                Webhook.post(rig.http("/voice"), Webhook.form(call(1).value())).body();
        TestStream stream = TestStream.open(rig.ws(Webhook.streamPath(twiml))).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.READY, ContainerState.DRAINING, false, "ECS", NOW);
        table.containers().allowExit(ACME_POOL, rig.id());

        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(voice(2)).isEqualTo(503);
        clock.advance(Duration.ofSeconds(224));
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(stream.isClosed()).isFalse();

        clock.advance(Duration.ofSeconds(1));
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(stream.awaitClosed().code()).isEqualTo(1000);
        await().until(() -> rig.item().claims().isEmpty());
        assertThat(table.look(ACME, call(1)).finished()).isFalse();

        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINED);
        assertThat(rig.heart().beat()).isEqualTo(Next.EXIT);
        assertThat(table.written("being-stopped")).hasSize(1);
    }

    @Test
    void calls_leave_a_task_that_ecs_stops_in_time_though_the_table_fell_silent_after_it_told() {
        TestStream stream = talk(1);
        beingStopped();
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        table.operations().failAll(operation -> operation == Operation.CONTAINERS_HEARTBEAT);
        clock.advance(Duration.ofSeconds(225));
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(stream.awaitClosed().code()).isEqualTo(1000);
    }

    @Test
    void calls_leave_a_task_that_ecs_stops_in_time_though_it_was_declared_lost_meanwhile() {
        TestStream stream = talk(1);
        beingStopped();
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.DRAINING, ContainerState.LOST, false, "silent", NOW);
        clock.advance(Duration.ofSeconds(225));
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(stream.awaitClosed().code()).isEqualTo(1000);
    }

    @Test
    void after_sigterm_it_does_not_promise_the_time_that_a_load_balancer_would_give() {
        TestStream stream = talk(1);
        rig.admission().closeForGood("stopping");
        beingStopped();
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(table.written("being-stopped")).isEmpty();
        stream.stop();
    }

    @Test
    void a_claim_that_the_container_has_not_heard_of_wins_over_drained() {
        drain();
        table.operations()
                .on(
                        Operation.CONTAINERS_HEARTBEAT,
                        1,
                        Moment.AFTER,
                        () -> table.put(rig.item()
                                .withClaims(Map.of(call(1), Claim.reserved(generation(1, 1), ACME, NOW, NOW)))));
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINING);
        table.put(Call.placedDirectly(ACME, call(1), answer(1)));
        TestStream stream =
                TestStream.open(rig.ws(rig.path(ACME, call(1), answer(1)))).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
    }

    @Test
    void after_an_unknown_reply_to_drained_everything_stays_shut_until_the_table_is_read_again() {
        drain();
        table.operations().fail(Operation.CONTAINERS_BECOME, 1, Moment.AFTER);
        rig.heart().beat();
        assertThat(rig.admission().open()).as("sealed").isFalse();
        assertThat(rig.host().asked()).as("protection is kept").hasSize(1);
        rig.heart().beat();
        assertThat(rig.host().asked()).hasSize(2);
        assertThat(table.announced()).hasSize(1);
        rig.heart().beat();
        assertThat(table.announced()).as("announced once").hasSize(1);
    }

    @Test
    void a_lost_request_for_drained_is_repeated() {
        drain();
        table.operations().fail(Operation.CONTAINERS_BECOME, 1, Moment.BEFORE);
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINING);
        assertThat(rig.admission().open()).as("sealed").isFalse();
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINED);
    }

    @Test
    void a_drain_that_is_taken_back_opens_the_container_again() {
        TestStream stream = talk(1);
        table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.READY, ContainerState.DRAINING, false, "idle", NOW);
        rig.heart().beat();
        assertThat(voice(2)).isEqualTo(503);
        table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.DRAINING, ContainerState.READY, false, "demand", NOW);
        rig.heart().beat();
        assertThat(voice(2)).isEqualTo(200);
        stream.close();
    }

    @Test
    void a_stopping_container_exits_by_itself_once_it_is_no_longer_counted() {
        drain();
        rig.heart().beat();
        table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.DRAINED, ContainerState.STOPPING, true, "idle", NOW);
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        table.containers().allowExit(ACME_POOL, rig.id());
        assertThat(rig.heart().beat()).isEqualTo(Next.EXIT);
    }

    @Test
    void a_stopping_container_gives_its_protection_back_if_that_failed_when_it_was_drained() {
        // given an agent that does not answer while the container is drained, and becomes STOPPING for a deployment
        rig.host().answersGivingBack("{\"error\":{\"Code\":\"ServerException\"}}");
        drain();
        rig.heart().beat();
        assertThat(rig.host().asked()).hasSize(2);
        table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.DRAINED, ContainerState.STOPPING, true, "deployment", NOW);
        // when it answers again
        rig.host().answersGivingBack("{\"protection\":{\"ProtectionEnabled\":false}}");
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        // then ECS may stop the task
        assertThat(rig.host().asked()).hasSize(3).last().asString().contains("false");
        assertThat(table.announced()).contains(new ContainerDrained(ACME_POOL, rig.id(), NOW));
    }

    @Test
    void a_container_declared_lost_admits_nothing_finishes_its_calls_and_exits() {
        TestStream stream = talk(1);
        table.containers().become(ACME_POOL, rig.id(), ContainerState.READY, ContainerState.LOST, false, "silent", NOW);
        assertThat(rig.heart().beat()).isEqualTo(Next.LIVE_ON);
        assertThat(voice(2)).isEqualTo(503);
        assertThat(stream.isClosed()).isFalse();
        stream.stop();
        await().until(() -> rig.admission().report(0).isQuiet());
        assertThat(rig.heart().beat()).isEqualTo(Next.EXIT);
    }

    @Test
    void a_container_whose_item_is_gone_admits_nothing_and_exits() {
        table.containers().become(ACME_POOL, rig.id(), ContainerState.READY, ContainerState.LOST, false, "x", NOW);
        table.containers().remove(ACME_POOL, rig.id());
        assertThat(rig.heart().beat()).isEqualTo(Next.EXIT);
        assertThat(voice(1)).isEqualTo(503);
    }

    @Test
    void a_live_call_whose_claim_is_missing_from_the_table_is_written_again() {
        TestStream stream = talk(1);
        clock.advance(Duration.ofSeconds(10));
        table.put(rig.item().withClaims(Map.of()));
        rig.heart().beat();
        rig.heart().beat();
        assertThat(rig.claim(call(1)).phase()).isEqualTo(Claim.Phase.CONNECTED);
        assertThat(stream.isClosed()).isFalse();
    }

    @Test
    void a_call_that_talks_keeps_its_slot_though_the_table_gave_all_six_to_others_meanwhile() {
        TestStream stream = talk(1);
        clock.advance(Duration.ofSeconds(10));
        Map<ClaimKey, Claim> others = new HashMap<>();
        for (int n = 11; n <= 16; n++) {
            others.put(call(n), Claim.reserved(generation(1, n), ACME, clock.instant(), clock.instant()));
        }
        table.put(rig.item().withClaims(others));

        rig.heart().beat();
        rig.heart().beat();

        assertThat(stream.isClosed()).isFalse();
        assertThat(rig.item().claims()).hasSize(7).containsKey(call(1));
        assertThat(rig.claim(call(1)).phase()).isEqualTo(Claim.Phase.CONNECTED);
    }

    @Test
    void a_cooldown_claim_of_a_call_that_is_not_here_is_removed_and_a_live_ones_is_kept() {
        TestStream stream = talk(1);
        table.containers()
                .coolDown(ACME_POOL, rig.id(), call(1), rig.claim(call(1)).generation());
        assertThat(table.containers()
                        .claim(ACME_POOL, rig.id(), call(2), Claim.reserved(generation(1, 2), ACME, NOW, NOW), 6, NOW))
                .isInstanceOf(ClaimResult.Claimed.class);
        table.containers().connect(ACME_POOL, rig.id(), call(2), generation(1, 2));
        table.containers().coolDown(ACME_POOL, rig.id(), call(2), generation(1, 2));
        rig.heart().beat();
        assertThat(rig.item().claims()).containsOnlyKeys(call(1));
        stream.stop();
        await().until(() -> rig.item().claims().isEmpty());
    }

    @Test
    void a_gateway_container_beats_every_two_seconds_while_it_holds_calls() {
        try (Rig gateway = Rig.of(table, clock, PoolId.GATEWAY, "g1").start()) {
            assertThat(gateway.heart().interval()).isEqualTo(Duration.ofSeconds(10));
            Answer.Stream any = new Answer.Stream(PoolId.GATEWAY, null, generation(1, 1), NOW.plusSeconds(60), NOW);
            TestStream stream = TestStream.open(gateway.ws(gateway.path(ACME, call(1), any)))
                    .start(call(1).value(), "acme");
            await().until(() -> !stream.marks().isEmpty());
            assertThat(gateway.heart().interval()).isEqualTo(Duration.ofSeconds(2));
        }
        talk(2);
        assertThat(rig.heart().interval()).isEqualTo(Duration.ofSeconds(10));
    }

    private void beingStopped() {
        table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.READY, ContainerState.DRAINING, false, "ECS", NOW);
        table.containers().allowExit(ACME_POOL, rig.id());
    }

    private void drain() {
        table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.READY, ContainerState.DRAINING, true, ScaleIn.IDLE, NOW);
    }

    private int voice(int n) {
        return Webhook.post(rig.http("/voice"), Webhook.form(call(n).value())).statusCode();
    }

    private TestStream talk(int n) {
        String twiml =
                Webhook.post(rig.http("/voice"), Webhook.form(call(n).value())).body();
        TestStream stream = TestStream.open(rig.ws(Webhook.streamPath(twiml))).start(call(n).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        return stream;
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Answer.Stream answer(int n) {
        return new Answer.Stream(ACME_POOL, rig.id(), generation(1, n), NOW.plusSeconds(60), NOW);
    }
}
