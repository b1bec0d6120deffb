package dev.spillway.localcloud.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.LocalHttpServer.Response;
import dev.spillway.localcloud.twilio.Application.Received;
import dev.spillway.localcloud.twilio.CallHistory.Purpose;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FallbackTest {
    private final Application application = new Application();
    private final CountDownLatch never = new CountDownLatch(1);

    @AfterEach
    void close() {
        application.close();
    }

    static Stream<Arguments> failures() {
        LocalHttpServer.Handler dies = request -> Response.NONE;
        LocalHttpServer.Handler full = request -> Response.of(503, "text/plain", "full");
        LocalHttpServer.Handler forbidden = request -> Response.of(403, "text/plain", "no");
        LocalHttpServer.Handler elsewhere = request -> Response.of(302, "text/plain", "");
        LocalHttpServer.Handler broken = request -> Application.xml("<Response><Say>");
        LocalHttpServer.Handler json = request -> Response.json(200, "{}");
        LocalHttpServer.Handler huge = request -> Application.xml("<Response>" + " ".repeat(70_000) + "</Response>");
        return Stream.of(
                Arguments.of("the connection dies", dies, 11200),
                Arguments.of("503", full, 11217),
                Arguments.of("403", forbidden, 11217),
                Arguments.of("a redirect", elsewhere, 11200),
                Arguments.of("no TwiML", broken, 12100),
                Arguments.of("another content type", json, 12300),
                Arguments.of("more than 64 kB", huge, 11750));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("failures")
    void a_failing_primary_url_leads_to_the_fallback_with_its_error(
            String cause, LocalHttpServer.Handler failing, int errorCode) throws Exception {
        application.answer("/voice", failing).twiml("/fallback", "<Hangup/>");

        Call call = application.callToItsEnd();

        Received fallback = application.received("/fallback").getFirst();
        assertThat(fallback.signed()).isTrue();
        assertThat(fallback.fields())
                .containsEntry("ErrorCode", Integer.toString(errorCode))
                .containsEntry("ErrorUrl", application.url("/voice").toString())
                .containsEntry("CallSid", call.sid())
                .containsEntry("CallStatus", "ringing");
        assertThat(call.endReason()).hasValue(EndReason.AGENT_HUNG_UP);
        assertThat(call.dropped()).isFalse();
    }

    @Test
    void nobody_listening_is_a_connect_failure() throws Exception {
        var gone = new LocalHttpServer("gone", 0, request -> Response.NONE);
        gone.close();
        application.twiml("/fallback", "<Hangup/>").number(gone.url(), application.url("/fallback"));

        application.callToItsEnd();

        assertThat(application.received("/fallback").getFirst().fields()).containsEntry("ErrorCode", "11205");
    }

    @Test
    void a_primary_url_that_hangs_is_given_up_after_its_read_timeout() throws Exception {
        application
                .answer("/voice", request -> {
                    never.await();
                    return Response.NONE;
                })
                .twiml("/fallback", "<Hangup/>")
                .number("/voice#ct=1000&rt=200&tt=5000&rc=0", "/fallback");

        Call call = application.callToItsEnd();

        assertThat(application.received("/fallback").getFirst().fields())
                .containsEntry("ErrorCode", "11205")
                .containsEntry("ErrorUrl", application.url("/voice").toString());
        var voice = call.history().webhooks(Purpose.VOICE).getFirst();
        assertThat(voice.took()).isBetween(Duration.ofMillis(200), Duration.ofSeconds(4));
        assertThat(voice.status()).isZero();
    }

    @Test
    void errorUrl_carries_the_fragment_when_switched_so() throws Exception {
        application.twilio.switches(application.twilio.switches().withErrorUrlKeepsFragment(true));
        application.twiml("/fallback", "<Hangup/>").number("/voice#rc=0", "/fallback");

        application.callToItsEnd();

        assertThat(application.received("/fallback").getFirst().fields())
                .containsEntry("ErrorUrl", application.url("/voice#rc=0").toString());
    }

    @Test
    void a_signature_over_the_fragment_is_another_signature() throws Exception {
        application.twiml("/voice", "<Hangup/>").number("/voice#rc=0", null);

        application.callToItsEnd();
        application.twilio.switches(application.twilio.switches().withSignFragment(true));
        application.callToItsEnd();

        assertThat(application.received("/voice")).extracting(Received::signed).containsExactly(true, false);
    }

    @Test
    void a_failing_redirect_leads_to_the_fallback_too() throws Exception {
        application
                .twiml("/voice", "<Say>Hi</Say><Redirect>/continue?hop=1</Redirect>")
                .status("/continue", 500)
                .twiml("/fallback", "<Hangup/>");

        Call call = application.callToItsEnd();

        assertThat(application.received("/fallback").getFirst().fields())
                .containsEntry("ErrorCode", "11217")
                .containsEntry("ErrorUrl", application.url("/continue?hop=1").toString())
                .containsEntry("CallStatus", "in-progress");
        assertThat(call.history().problemCodes()).containsExactly(11217);
    }

    @Test
    void a_failing_fallback_drops_the_call() throws Exception {
        application.status("/voice", 503).status("/fallback", 502);

        Call call = application.callToItsEnd();

        assertThat(call.endReason()).hasValue(EndReason.NO_TWIML);
        assertThat(call.dropped()).isTrue();
        assertThat(application.twilio.dropped()).isEqualTo(1);
        assertThat(call.status()).isEqualTo(CallStatus.FAILED);
        assertThat(call.history().problemCodes()).containsExactly(11217, 11217);
    }

    @Test
    void without_a_fallback_url_a_failure_drops_the_call() throws Exception {
        application.number(URI.create("ftp://127.0.0.1/"), null);

        Call call = application.callToItsEnd();

        assertThat(call.endReason()).hasValue(EndReason.NO_TWIML);
        assertThat(call.history().problemCodes()).containsExactly(11100);
    }

    @Test
    void the_end_of_a_call_is_told_and_told_again_once_if_that_fails() throws Exception {
        application.twiml("/voice", "<Say>a b</Say><Hangup/>").status("/status", 500);

        Call call = application.callToItsEnd();

        await().atMost(Duration.ofSeconds(10))
                .until(() -> application.received("/status").size() == 2);
        Received told = application.received("/status").getFirst();
        assertThat(told.signed()).isTrue();
        assertThat(told.fields())
                .containsEntry("CallSid", call.sid())
                .containsEntry("CallStatus", "completed")
                .containsEntry("CallDuration", "1")
                .containsEntry("SequenceNumber", "0")
                .containsKey("Timestamp");
    }
}
