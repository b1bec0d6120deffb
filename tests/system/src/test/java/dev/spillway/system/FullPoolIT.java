package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every slot of a pool is taken: the load balancer brings streams to full containers, which pass them on. */
class FullPoolIT {
    @Test
    void twelve_calls_on_two_containers_of_six_slots_all_talk_wherever_their_streams_arrive() throws Exception {
        try (Stage stage = new Stage(20, TwilioSwitches.likely(5))) {
            List<Call> calls = stage.calls(LocalTenant.GLOBEX, 12, CallScript.lasting(Duration.ofSeconds(20)));
            Stage.talking(calls);
            Stage.wentWell(calls, LocalTenant.GLOBEX, Duration.ofSeconds(4));
            await("no relay is left")
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(stage.view(Stage.GLOBEX).containers())
                            .allSatisfy(
                                    container -> assertThat(container.report().isQuiet())
                                            .as(container.report().toString())
                                            .isTrue()));
        }
    }
}
