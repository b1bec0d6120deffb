package dev.spillway.localcloud.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.twilio.security.RequestValidator;
import dev.spillway.localcloud.twilio.TwilioSwitches.AfterStreamFailure;
import dev.spillway.localcloud.twilio.TwilioSwitches.CallbackFaults;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamFailureTest {
    private final Application application = new Application();
    private final StreamServer server = new StreamServer();

    @BeforeEach
    void serve() {
        server.on("/dies", (connection, message) -> {
            if (message.path("event").asText().equals("start")) {
                connection.die();
            }
        });
        application.twiml("/continue", "<Hangup/>").twiml("/stream-status", "");
    }

    @AfterEach
    void close() {
        application.close();
        server.close();
    }

    private Application streaming(URI url) {
        return application.twiml(
                "/voice",
                "<Connect><Stream url=\"" + url
                        + "\" statusCallback=\"/stream-status\"/></Connect><Redirect>/continue</Redirect>");
    }

    @ParameterizedTest
    @CsvSource({"/refused, 31920, HANDSHAKE_REFUSED", "/dies, 31903, ABRUPT"})
    void switched_to_the_next_verb_a_call_whose_stream_failed_continues(String path, int errorCode, StreamEnding ending)
            throws Exception {
        streaming(server.url(path));

        Call call = application.callToItsEnd();

        assertThat(call.endReason()).hasValue(EndReason.AGENT_HUNG_UP);
        assertThat(application.received("/continue")).hasSize(1);
        assertThat(call.history().problemCodes()).containsExactly(errorCode);
        assertThat(call.history().streams().getFirst().ending()).hasValue(ending);
        await().atMost(Duration.ofSeconds(10))
                .until(() -> application.received("/stream-status").stream()
                        .anyMatch(told -> told.fields()
                                        .getOrDefault("StreamError", "")
                                        .startsWith(errorCode + " ")
                                && told.fields().getOrDefault("StreamEvent", "").equals("stream-error")
                                && told.signed()));
    }

    @ParameterizedTest
    @CsvSource({"/refused", "/dies"})
    void switched_to_waiting_it_is_dropped_unless_it_is_updated(String path) throws Exception {
        application.twilio.switches(application
                .twilio
                .switches()
                .withAfterRefusedStream(AfterStreamFailure.WAIT_FOR_UPDATE)
                .withAfterAbruptClose(AfterStreamFailure.WAIT_FOR_UPDATE)
                .withUpdateWait(Duration.ofMillis(500)));
        streaming(server.url(path));

        Call call = application.callToItsEnd();

        assertThat(call.endReason()).hasValue(EndReason.STREAM_LOST);
        assertThat(call.dropped()).isTrue();
        assertThat(application.received("/continue")).isEmpty();
    }

    @Test
    void a_lost_stream_with_nothing_after_it_drops_the_call() throws Exception {
        application.twiml("/voice", Application.stream(server.url("/dies")));

        assertThat(application.callToItsEnd().endReason()).hasValue(EndReason.STREAM_LOST);
    }

    @Test
    void nobody_listening_is_31902() throws Exception {
        URI gone;
        try (StreamServer other = new StreamServer()) {
            gone = other.url("/s");
        }
        streaming(gone);

        assertThat(application.callToItsEnd().history().problemCodes()).containsExactly(31902);
    }

    @Test
    void a_plain_stream_is_refused_unless_switched_on() throws Exception {
        application.twilio.switches(application.twilio.switches().withAllowPlainWebSocket(false));
        streaming(server.url("/dies"));

        Call call = application.callToItsEnd();

        assertThat(call.history().problemCodes()).containsExactly(31920);
        assertThat(server.connections).isEmpty();
    }

    @Test
    void the_handshake_is_signed_when_switched_on() throws Exception {
        application.twilio.switches(application.twilio.switches().withSignStreamHandshake(true));
        streaming(server.url("/dies"));

        application.callToItsEnd();

        String signature = server.connections.getFirst().signature;
        assertThat(new RequestValidator(Application.TOKEN)
                        .validate(server.url("/dies").toString(), Map.of(), signature))
                .isTrue();
    }

    @Test
    void a_stream_closed_by_the_server_sends_no_error_when_switched_so() throws Exception {
        server.on("/closes", (connection, message) -> {
            if (message.path("event").asText().equals("start")) {
                connection.raw("garbage");
                connection.close(1011);
            }
        });
        application.twilio.switches(application
                .twilio
                .switches()
                .withErrorCallbackForServerClose(false)
                .withErrorCallbackForBadMessage(true));
        streaming(server.url("/closes"));

        application.callToItsEnd();

        await().atMost(Duration.ofSeconds(10))
                .until(() -> application.received("/stream-status").size() == 3);
        assertThat(application.received("/stream-status"))
                .extracting(told -> told.fields().get("StreamEvent"))
                .containsExactlyInAnyOrder("stream-started", "stream-error", "stream-stopped");
        assertThat(application.received("/stream-status"))
                .noneMatch(told -> told.fields().getOrDefault("StreamError", "").startsWith("31921"));
    }

    @Test
    void stream_callbacks_can_be_doubled_and_late() throws Exception {
        application.twilio.switches(
                application.twilio.switches().withStreamCallbacks(new CallbackFaults(0, 1, 1, Duration.ofMillis(100))));
        streaming(server.url("/dies"));

        application.callToItsEnd();

        await().atMost(Duration.ofSeconds(10))
                .until(() -> application.received("/stream-status").size() == 6);
    }
}
