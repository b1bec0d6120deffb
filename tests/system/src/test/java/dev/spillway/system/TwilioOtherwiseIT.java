package dev.spillway.system;

import static dev.spillway.system.Stage.ACME;
import static dev.spillway.system.Stage.GLOBEX;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.pool.PoolId;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import dev.spillway.localcloud.twilio.TwilioSwitches.AfterStreamFailure;
import dev.spillway.localcloud.twilio.TwilioSwitches.CallbackFaults;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Every unverified fact about Twilio in its other position: calls whose stream failed wait for an update through REST,
 * fragments are signed or come back, and callbacks come twice, late or never.
 */
@EnabledIfSystemProperty(named = "spillway.bad-days", matches = "true")
class TwilioOtherwiseIT {
    private static Stage stage;
    private static LocalSystem system;

    @BeforeAll
    static void start() throws Exception {
        stage = new Stage(
                20,
                TwilioSwitches.likely(4)
                        .withAfterRefusedStream(AfterStreamFailure.WAIT_FOR_UPDATE)
                        .withAfterAbruptClose(AfterStreamFailure.WAIT_FOR_UPDATE)
                        .withErrorUrlKeepsFragment(true)
                        .withSignStreamHandshake(true)
                        .withErrorCallbackForServerClose(false)
                        .withErrorCallbackForBadMessage(true)
                        .withStreamCallbacks(new CallbackFaults(0, 0.5, 0.3, Duration.ofSeconds(1)))
                        .withCallCallbacks(new CallbackFaults(0.4, 0.5, 0.5, Duration.ofSeconds(5))));
        system = stage.system();
    }

    @AfterAll
    static void stop() {
        stage.close();
    }

    @Test
    void callers_of_a_killed_container_are_moved_and_lost_notices_leave_nothing_behind() throws Exception {
        List<Call> direct = stage.calls(LocalTenant.GLOBEX, 4, CallScript.lasting(Duration.ofSeconds(25)));
        List<Call> held = stage.calls(LocalTenant.ACME, 4, CallScript.lasting(Duration.ofSeconds(25)));
        Stage.talking(direct);
        Stage.talking(held);
        system.ecs().killHard(stage.busiest(GLOBEX).id().value());
        system.ecs().killHard(stage.busiest(PoolId.GATEWAY).id().value());
        Stage.wentWell(direct, LocalTenant.GLOBEX, Duration.ofSeconds(4));
        Stage.wentWell(held, LocalTenant.ACME, Duration.ofSeconds(4));
        stage.allIsGone();
    }

    @Test
    void callers_who_hang_up_before_during_and_after_the_hand_over_leave_nothing_behind() throws Exception {
        for (int millis : List.of(200, 900, 2_500, 3_200, 3_600, 4_000, 4_400, 5_000, 6_000, 7_000)) {
            stage.calls(LocalTenant.ACME, 1, CallScript.lasting(Duration.ofMillis(millis)));
        }
        // What was lost is asked for once no stream can be opened any more: a token lives for 20 s here.
        await().atMost(Duration.ofSeconds(150)).until(() -> stage.claims(PoolId.GATEWAY) + stage.claims(ACME) == 0);
        stage.allIsGone();
    }
}
