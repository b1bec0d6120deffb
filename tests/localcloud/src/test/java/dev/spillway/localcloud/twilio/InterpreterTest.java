package dev.spillway.localcloud.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.localcloud.twilio.Application.Received;
import dev.spillway.localcloud.twilio.CallHistory.Executed;
import dev.spillway.localcloud.twilio.CallHistory.Purpose;
import dev.spillway.localcloud.twilio.TwilioSwitches.CallbackFaults;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InterpreterTest {
    private final Application application = new Application();

    @AfterEach
    void close() {
        application.close();
    }

    @Test
    void a_call_asks_its_primary_url_with_the_fields_of_twilio() throws Exception {
        application.twiml("/voice", "<Hangup/>");

        Call call = application.callToItsEnd();

        Received voice = application.received("/voice").getFirst();
        assertThat(voice.signed()).isTrue();
        assertThat(voice.method()).isEqualTo("POST");
        assertThat(voice.fields())
                .containsEntry("AccountSid", Application.ACCOUNT)
                .containsEntry("From", Application.CALLER)
                .containsEntry("Caller", Application.CALLER)
                .containsEntry("To", Application.NUMBER)
                .containsEntry("Called", Application.NUMBER)
                .containsEntry("CallStatus", "ringing")
                .containsEntry("Direction", "inbound")
                .containsEntry("ApiVersion", "2010-04-01")
                .containsKey("CallToken");
        assertThat(voice.fields().get("CallSid")).isEqualTo(call.sid()).matches("CA[0-9a-f]{32}");
        assertThat(call.history().webhooks(Purpose.VOICE).getFirst().status()).isEqualTo(200);
    }

    @Test
    void verbs_run_in_order_and_take_their_time() throws Exception {
        application.twiml(
                "/voice", "<Say>All of us</Say><Dance/><Pause length=\"1\"/><Play>https://a.example/x</Play>");

        Call call = application.callToItsEnd();

        assertThat(call.history().verbs().stream().map(Executed::verb))
                .containsExactly("Say", "Unknown Dance", "Pause", "Play");
        assertThat(call.history().spoken()).containsExactly("All of us", "https://a.example/x");
        assertThat(call.history().problemCodes()).containsExactly(12200);
        assertThat(call.endReason()).hasValue(EndReason.AGENT_HUNG_UP);
        assertThat(call.endedAt().orElseThrow().since(call.answeredAt().orElseThrow()))
                .isGreaterThanOrEqualTo(Duration.ofMillis(3 * 400 + 1_000 + 2_000));
        assertThat(call.timeToFirstAudio()).isPresent();
    }

    @Test
    void redirect_goes_on_with_another_document_by_the_method_given() throws Exception {
        application
                .twiml("/voice", "<Redirect method=\"GET\">next</Redirect><Say>never</Say>")
                .twiml("/next", "<Hangup/>");

        Call call = application.callToItsEnd();

        Received next = application.received("/next").getFirst();
        assertThat(next.method()).isEqualTo("GET");
        assertThat(next.signed()).isTrue();
        assertThat(next.fields()).containsEntry("CallStatus", "in-progress");
        assertThat(call.history().spoken()).isEmpty();
    }

    @Test
    void a_dial_tells_its_action_how_it_went() throws Exception {
        application
                .twiml("/voice", "<Dial action=\"one\">+15005550008</Dial><Say>never</Say>")
                .twiml("/one", "<Dial action=\"two\">+15005550009</Dial>")
                .twiml("/two", "<Hangup/>");

        Call call = application.callToItsEnd();

        assertThat(application.received("/one").getFirst().fields()).containsEntry("DialCallStatus", "no-answer");
        assertThat(application.received("/two").getFirst().fields()).containsEntry("DialCallStatus", "completed");
        assertThat(call.history().spoken()).isEmpty();
    }

    @Test
    void a_document_that_redirects_to_itself_for_ever_is_stopped() throws Exception {
        application.twiml("/voice", "<Redirect/>").number("/voice", null);

        assertThat(application.callToItsEnd().endReason()).hasValue(EndReason.NO_TWIML);
    }

    @Test
    void reject_ends_the_call_unanswered() throws Exception {
        application.twiml("/voice", "<Reject reason=\"busy\"/>").twiml("/status", "");
        Call busy = application.callToItsEnd();
        application.twiml("/voice", "<Reject/>");
        Call rejected = application.callToItsEnd();

        assertThat(busy.status()).isEqualTo(CallStatus.BUSY);
        assertThat(busy.answeredAt()).isEmpty();
        assertThat(rejected.status()).isEqualTo(CallStatus.NO_ANSWER);
        assertThat(busy.dropped()).isFalse();
    }

    @Test
    void a_caller_who_hangs_up_interrupts_whatever_runs() throws Exception {
        application.twiml("/voice", "<Pause length=\"60\"/>");

        Call call = Application.toItsEnd(application.call(CallScript.lasting(Duration.ofSeconds(2))));

        assertThat(call.endReason()).hasValue(EndReason.CALLER_HUNG_UP);
        assertThat(call.status()).isEqualTo(CallStatus.COMPLETED);
        assertThat(call.history().longestSilence()).isPositive();
    }

    @Test
    void a_pause_in_which_the_caller_hears_nothing_is_a_gap() throws Exception {
        application.twiml("/voice", "<Pause length=\"2\"/><Hangup/>");

        Call call = application.callToItsEnd();

        assertThat(call.history().gaps()).hasSize(1);
        assertThat(call.history().longestSilence()).isGreaterThan(Duration.ofSeconds(1));
    }

    @Test
    void callbacks_can_be_doubled_or_missing() throws Exception {
        application.twiml("/voice", "<Hangup/>").twiml("/status", "");
        var likely = application.twilio.switches();
        application.twilio.switches(likely.withCallCallbacks(new CallbackFaults(1, 0, 0, Duration.ZERO)));
        Call silent = application.callToItsEnd();
        application.twilio.switches(likely.withCallCallbacks(new CallbackFaults(0, 1, 1, Duration.ofMillis(50))));
        Call doubled = application.callToItsEnd();

        await().atMost(Duration.ofSeconds(10))
                .until(() -> application.received("/status").size() == 2);
        assertThat(application.received("/status"))
                .allMatch(told -> told.fields().containsValue(doubled.sid()))
                .noneMatch(told -> told.fields().containsValue(silent.sid()));
    }

    @Test
    void closing_ends_every_call() throws Exception {
        application.twiml("/voice", "<Pause length=\"60\"/>");
        Call call = application.call();
        await().atMost(Duration.ofSeconds(10)).until(() -> call.answeredAt().isPresent());

        application.twilio.close();

        assertThat(call.endReason()).hasValue(EndReason.CLOSED);
        assertThat(application.twilio.callsUp()).isZero();
    }
}
