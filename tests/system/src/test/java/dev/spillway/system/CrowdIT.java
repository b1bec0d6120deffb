package dev.spillway.system;

import static dev.spillway.system.Stage.ACME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.pool.PoolId;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.CallTimeline;
import dev.spillway.localcloud.twilio.EndReason;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Many callers at once, and connections that want nothing. */
@EnabledIfSystemProperty(named = "spillway.bad-days", matches = "true")
class CrowdIT {
    private static Stage stage;
    private static LocalSystem system;

    @BeforeAll
    static void start() throws Exception {
        stage = new Stage(20, TwilioSwitches.likely(3));
        system = stage.system();
    }

    @AfterAll
    static void stop() {
        stage.close();
    }

    @Test
    void of_thirty_calls_in_one_second_those_beyond_the_share_hear_busy_and_nobody_else() throws Exception {
        List<Call> crowd = stage.calls(LocalTenant.ACME, 30, CallScript.lasting(Duration.ofSeconds(20)));
        List<Call> beside = stage.calls(LocalTenant.GLOBEX, 3, CallScript.lasting(Duration.ofSeconds(15)));
        Stage.heard(beside, Duration.ofSeconds(12));
        Stage.wentWell(beside, LocalTenant.GLOBEX, Duration.ofSeconds(4));
        List<Call> busy = new ArrayList<>();
        List<Call> talked = new ArrayList<>();
        for (Call call : crowd) {
            assertThat(call.awaitEnd(Duration.ofSeconds(60))).isTrue();
            (call.endReason().orElseThrow() == EndReason.CALLER_HUNG_UP ? talked : busy).add(call);
        }
        assertThat(talked).hasSizeGreaterThanOrEqualTo(12);
        assertThat(busy).isNotEmpty().allSatisfy(call -> {
            assertThat(call.endReason())
                    .as(() -> String.join("\n", CallTimeline.of(call)))
                    .contains(EndReason.AGENT_HUNG_UP);
            assertThat(call.history().spoken()).anyMatch(text -> text.contains("currently busy"));
        });
        stage.allIsGone();
    }

    @Test
    void connections_that_say_nothing_or_little_take_no_slot_from_anybody() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try {
            for (URI url : List.of(system.gatewayUrl(), system.loadBalancerUrl(LocalTenant.GLOBEX), system.apiUrl())) {
                for (int i = 0; i < 70; i++) {
                    Socket socket = new Socket(url.getHost(), url.getPort());
                    if (i % 2 == 0) {
                        socket.getOutputStream()
                                .write("GET /stream/acme/any HTTP/1.1\r\nHost: x\r\nX-"
                                        .getBytes(StandardCharsets.US_ASCII));
                    }
                    idle.add(socket);
                }
            }
            List<Call> direct = stage.calls(LocalTenant.GLOBEX, 3, CallScript.lasting(Duration.ofSeconds(10)));
            List<Call> held = stage.calls(LocalTenant.ACME, 2, CallScript.lasting(Duration.ofSeconds(10)));
            Stage.wentWell(direct, LocalTenant.GLOBEX, Duration.ofSeconds(3));
            Stage.wentWell(held, LocalTenant.ACME, Duration.ofSeconds(3));
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> stage.claims(PoolId.GATEWAY) + stage.claims(ACME) == 0);
        stage.allIsGone();
    }
}
