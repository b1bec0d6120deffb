package dev.spillway.system;

import static dev.spillway.system.Stage.ACME;
import static dev.spillway.system.Stage.GLOBEX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolId;
import dev.spillway.localcloud.EventBridgeStandIn;
import dev.spillway.localcloud.FaultyProxy;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.EndReason;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import dev.spillway.localcloud.twilio.TwilioSwitches.CallbackFaults;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Parts of the control plane fail or fall silent while callers call: each is served, and the books are put right. */
class DegradedIT {
    private static final Duration BEARABLE = Duration.ofSeconds(3);

    private static CallScript lasting(int seconds) {
        return CallScript.lasting(Duration.ofSeconds(seconds));
    }

    @Test
    void with_the_controller_silent_callers_get_a_known_free_container_else_the_gateway() throws Exception {
        try (Stage stage = new Stage(20, TwilioSwitches.likely(7))) {
            LocalSystem system = stage.system();
            // given a controller whose own heartbeat has expired
            system.schedules().pause();
            system.bus().fault(EventBridgeStandIn.Fault.DOWN);
            Duration expiry = system.timing().controllerExpiry();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> List.of(ACME, GLOBEX).stream()
                            .allMatch(pool -> stage.view(pool)
                                    .pool()
                                    .background()
                                    .silentSince(expiry, Instant.now())
                                    .isPresent()));
            // when callers come to a pool with free containers, and to one without any
            List<Call> direct = stage.calls(LocalTenant.GLOBEX, 3, lasting(8));
            List<Call> held = stage.calls(LocalTenant.ACME, 2, lasting(180));
            // then the first are served by the pool's own, the others by the gateway
            Stage.talking(direct);
            assertThat(stage.claims(GLOBEX)).isEqualTo(3);
            Stage.talking(held);
            assertThat(stage.claims(PoolId.GATEWAY)).isEqualTo(2);
            Stage.wentWell(direct, LocalTenant.GLOBEX, BEARABLE);
            // and when it comes back it says how long it was away, and does what was left undone
            system.bus().fault(EventBridgeStandIn.Fault.NONE);
            system.schedules().resume();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> stage.decisions("alert").stream()
                            .anyMatch(alert ->
                                    "controller-silent".equals(alert.fields().get("alert"))));
            handedOver(stage, held);
        }
    }

    @Test
    void callers_of_a_container_that_dies_while_the_table_is_slow_are_on_the_gateway_within_three_seconds()
            throws Exception {
        try (Stage stage = new Stage(20, TwilioSwitches.likely(13))) {
            LocalSystem system = stage.system();
            // given both of a pool's containers with calls, and no others soon
            system.ecs().launchDelay(Duration.ofMinutes(2));
            List<Call> calls = stage.calls(LocalTenant.GLOBEX, 4, lasting(30));
            Stage.talking(calls);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> stage.connected(GLOBEX).size() == 4);
            // when both die, and the table is slow: each part of a request reaches it 20 ms late, and no request is but
            // one part
            system.table().become(new FaultyProxy.Slow(Duration.ofMillis(20)));
            for (Container container : stage.ready(GLOBEX)) {
                system.ecs().killHard(container.id().value());
            }
            // then nobody of the pool is left, and the gateway takes them up
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> stage.connected(PoolId.GATEWAY).size() == 4);
            system.table().become(FaultyProxy.PASS);
            Stage.wentWell(calls, LocalTenant.GLOBEX, BEARABLE);
        }
    }

    @Test
    void callers_who_hang_up_as_their_container_dies_and_whose_final_status_is_lost_are_settled_by_asking_twilio()
            throws Exception {
        CallbackFaults lost = new CallbackFaults(1, 0, 0, Duration.ZERO);
        try (Stage stage =
                new Stage(20, TwilioSwitches.likely(8).withCallCallbacks(lost).withStreamCallbacks(lost))) {
            LocalSystem system = stage.system();
            // given three calls
            List<Call> calls = stage.calls(LocalTenant.GLOBEX, 3, lasting(300));
            Stage.talking(calls);
            String victim = stage.busiest(GLOBEX).id().value();
            // when a container dies, all hang up in the same moment, and nobody tells
            system.ecs().killHard(victim);
            for (Call call : calls) {
                call.hangUp();
            }
            // then each attempt is closed all the same, no claim is left, and the journal says whose word decided
            try (SignedApi api = system.signedApi()) {
                await().atMost(Duration.ofSeconds(150)).untilAsserted(() -> {
                    JsonNode summary = Cli.JSON
                            .readTree(api.get("/attempts?tenant=globex").body())
                            .at("/summary");
                    assertThat(summary.at("/offered").asInt()).isEqualTo(3);
                    assertThat(summary.at("/open").asInt()).isZero();
                });
            }
            stage.allIsGone();
            assertThat(stage.decisions("orphan"))
                    .isNotEmpty()
                    .allSatisfy(entry -> assertThat(entry.fields().get("decidedBy"))
                            .isIn("call-record", "container-report", "twilio-status"));
        }
    }

    @Test
    void containers_short_of_memory_refuse_new_calls_and_the_gateway_takes_them() throws Exception {
        try (Stage stage = new Stage(20, TwilioSwitches.likely(9), Map.of("SPILLWAY_MEMORY_FLOOR_MB", "65536"))) {
            List<Call> calls = stage.calls(LocalTenant.GLOBEX, 2, lasting(180));
            Stage.talking(calls);
            assertThat(stage.claims(GLOBEX)).isZero();
            Stage.hangUp(calls);
            Stage.wentWell(calls, LocalTenant.GLOBEX, BEARABLE);
            assertThat(stage.logged("\"TurnedAway\":1.0"))
                    .as("what a container counts is for CloudWatch, too")
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line)
                            .contains("\"service\":\"media-container\"", "\"_aws\":{", "\"Namespace\":\"Spillway\""));
            try (SignedApi api = stage.system().signedApi()) {
                await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                    JsonNode attempts =
                            Cli.JSON.readTree(api.get("/attempts?tenant=globex").body());
                    assertThat(attempts.at("/summary/outcomes/completed").asInt())
                            .isEqualTo(2);
                    assertThat(attempts.at("/summary/inbound/turnedAway").asInt())
                            .isEqualTo(2);
                });
            }
        }
    }

    @Test
    void with_ecs_failing_nothing_starts_or_stops_and_the_containers_own_reports_settle_their_claims()
            throws Exception {
        try (Stage stage = new Stage(20, TwilioSwitches.likely(10))) {
            Instant begun = Instant.now();
            LocalSystem system = stage.system();
            // given ECS that refuses everything
            for (String operation : List.of(
                    "UpdateService", "DescribeServices", "DescribeTasks", "ListTasks", "UpdateTaskProtection")) {
                system.ecs().faults().failNext(operation, 100_000, "ServerException", "made to fail");
            }
            // when callers come to a pool with free containers, and to one without any
            List<Call> direct = stage.calls(LocalTenant.GLOBEX, 3, lasting(8));
            List<Call> held = stage.calls(LocalTenant.ACME, 2, lasting(180));
            // then all are served, and the slots of those who hang up are free again
            Stage.wentWell(direct, LocalTenant.GLOBEX, BEARABLE);
            await().atMost(Duration.ofSeconds(20)).until(() -> stage.claims(GLOBEX) == 0);
            Stage.talking(held);
            assertThat(stage.claims(PoolId.GATEWAY)).isEqualTo(2);
            assertThat(system.liveTasks(LocalTenant.ACME)).isZero();
            assertThat(system.liveTasks(LocalTenant.GLOBEX)).isEqualTo(2);
            // and while it can be read again but takes no count, visit after visit fails: one alert a minute says so
            system.ecs().faults().clear();
            system.ecs().faults().failNext("UpdateService", 100_000, "ServerException", "made to fail");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> failing(stage, "visit-failed").size() >= 5
                            && !failing(stage, "alert").isEmpty());
            assertThat(failing(stage, "alert"))
                    // a busy machine may make other visits fail besides, before and after
                    .hasSizeLessThanOrEqualTo(
                            2 + (int) Duration.between(begun, Instant.now()).toMinutes())
                    .allSatisfy(
                            alert -> assertThat(alert.fields().get("attempts")).matches("\\d+"));
            // and when ECS is back, the container that was wanted comes
            system.ecs().faults().clear();
            handedOver(stage, held);
        }
    }

    @Test
    void with_a_table_that_never_answers_everybody_is_answered_and_the_books_are_right_afterwards() throws Exception {
        try (Stage stage = new Stage(20, TwilioSwitches.likely(11))) {
            LocalSystem system = stage.system();
            List<Call> before = stage.calls(LocalTenant.GLOBEX, 2, lasting(180));
            Stage.talking(before);
            // when the table stalls while callers come, and comes back after a while
            system.table().become(FaultyProxy.STALL);
            List<Call> held = stage.calls(LocalTenant.ACME, 3, lasting(180));
            List<Call> direct = stage.calls(LocalTenant.GLOBEX, 3, lasting(180));
            Stage.heard(held, Duration.ofSeconds(12));
            Stage.heard(direct, Duration.ofSeconds(12));
            await("they talk on while the table stalls")
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> direct.stream()
                            .allMatch(call -> call.history().turns().size() >= 2));
            system.table().become(FaultyProxy.PASS);
            // then nobody was lost, and every one of them is in the books
            await("each has a claim, also those for whom nobody could write one")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> stage.connected(ACME, GLOBEX, PoolId.GATEWAY).size() == 8);
            Stage.hangUp(before);
            Stage.hangUp(held);
            Stage.hangUp(direct);
            Stage.wentWell(before, LocalTenant.GLOBEX, BEARABLE);
            Stage.wentWell(held, LocalTenant.ACME, BEARABLE);
            Stage.wentWell(direct, LocalTenant.GLOBEX, BEARABLE);
            try (SignedApi api = system.signedApi()) {
                await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                    assertThat(summary(api, "globex").at("/outcomes/completed").asInt())
                            .isEqualTo(5);
                    assertThat(summary(api, "globex").at("/open").asInt()).isZero();
                    assertThat(summary(api, "acme").at("/offered").asInt()).isEqualTo(3);
                    assertThat(summary(api, "acme").at("/open").asInt()).isZero();
                });
            }
        }
    }

    @Test
    void with_the_pool_and_the_gateway_full_callers_hear_busy_and_each_refusal_has_its_cause() throws Exception {
        try (Stage stage = new Stage(20, TwilioSwitches.likely(12))) {
            // given containers that take longer to start than anybody of the crowd talks, and twenty-four who call
            stage.system().ecs().launchDelay(Duration.ofMinutes(2));
            List<Call> crowd = new ArrayList<>();
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(80)).until(() -> {
                crowd.add(stage.system().call(LocalTenant.ACME, lasting(15)));
                return crowd.size() == 24;
            });
            int busy = 0;
            for (Call call : crowd) {
                assertThat(call.awaitEnd(Duration.ofSeconds(60))).isTrue();
                if (call.endReason().orElseThrow() != EndReason.CALLER_HUNG_UP) {
                    assertThat(call.history().spoken()).anyMatch(text -> text.contains("currently busy"));
                    busy++;
                }
            }
            // then some are too many for the tenant's share of the gateway, and nobody is left without a word
            assertThat(busy).isBetween(1, 12);
            int refused = busy;
            try (SignedApi api = stage.system().signedApi()) {
                await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                    JsonNode summary = summary(api, "acme");
                    assertThat(summary.at("/offered").asInt()).isEqualTo(24);
                    assertThat(summary.at("/outcomes/refused").asInt()).isEqualTo(refused);
                    assertThat(summary.at("/outcomes/completed").asInt()).isEqualTo(24 - refused);
                    int causes = 0;
                    for (JsonNode count : summary.at("/inbound/refusedFor")) {
                        causes += count.asInt();
                    }
                    assertThat(causes).isEqualTo(refused);
                });
            }
        }
    }

    /** Their pool's own containers have them, and all is well when they hang up. */
    private static void handedOver(Stage stage, List<Call> held) throws Exception {
        await().atMost(Duration.ofSeconds(45)).until(() -> stage.claims(ACME) == held.size());
        await("the agent goes on with each")
                .atMost(Duration.ofSeconds(15))
                .until(() -> held.stream()
                        .allMatch(call -> call.history().moves().stream()
                                .anyMatch(move -> move.gap().isPresent())));
        Stage.hangUp(held);
        Stage.wentWell(held, LocalTenant.ACME, BEARABLE);
    }

    /** What the journal has under that name about failing work on acme's pool. */
    private static List<Journal.Entry> failing(Stage stage, String event) {
        return stage.decisions(event).stream()
                .filter(entry -> "acme".equals(entry.fields().get("pool")))
                .filter(entry -> event.equals("visit-failed")
                        || "background-failing".equals(entry.fields().get("alert")))
                .toList();
    }

    private static JsonNode summary(SignedApi api, String tenant) throws Exception {
        return Cli.JSON.readTree(api.get("/attempts?tenant=" + tenant).body()).at("/summary");
    }
}
