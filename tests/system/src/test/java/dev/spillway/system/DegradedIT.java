package dev.spillway.system;

import static dev.spillway.system.Stage.ACME;
import static dev.spillway.system.Stage.GLOBEX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.pool.PoolId;
import dev.spillway.localcloud.EventBridgeStandIn;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import dev.spillway.localcloud.twilio.TwilioSwitches.CallbackFaults;
import java.time.Duration;
import java.time.Instant;
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
            List<Call> held = stage.calls(LocalTenant.ACME, 2, lasting(40));
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
            await().atMost(Duration.ofSeconds(35)).until(() -> stage.claims(ACME) == 2);
            Stage.wentWell(held, LocalTenant.ACME, BEARABLE);
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
            List<Call> calls = stage.calls(LocalTenant.GLOBEX, 2, lasting(8));
            Stage.talking(calls);
            assertThat(stage.claims(GLOBEX)).isZero();
            Stage.wentWell(calls, LocalTenant.GLOBEX, BEARABLE);
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
}
