package dev.spillway.adapters.twilio;

import static dev.spillway.adapters.Samples.A1;
import static dev.spillway.adapters.Samples.ACME;
import static dev.spillway.adapters.Samples.CALL;
import static dev.spillway.adapters.Samples.NOW;
import static dev.spillway.adapters.Samples.generation;
import static dev.spillway.adapters.Samples.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.Answer;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamAddress.Parsed;
import dev.spillway.core.stream.StreamKey;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TwimlTest {
    private static final String HEAD = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

    private final StreamKey key = StreamKey.derive(new byte[32], PoolId.GATEWAY);
    private final Twiml twiml = new Twiml(
            new Callbacks("https://api.example.com"),
            pool -> new StreamTarget("wss://" + pool + ".streams.example.com", key));

    private static Answer.Stream onGateway(@Nullable ContainerId container) {
        return new Answer.Stream(PoolId.GATEWAY, container, generation(2, 7), seconds(60), NOW);
    }

    @Test
    void a_stream_is_pinned_to_its_claim_and_followed_by_the_redirect_of_its_hop() {
        Answer.Stream answer = onGateway(A1);
        String path = StreamAddress.of(ACME, CALL, answer).path(key);

        assertThat(twiml.render(ACME, CALL, 2, answer))
                .isEqualTo(HEAD + "<Response><Connect>"
                        + "<Stream statusCallback=\"https://api.example.com/twilio/stream-status/acme/2\""
                        + " statusCallbackMethod=\"POST\" url=\"wss://gateway.streams.example.com" + path + "\">"
                        + "<Parameter name=\"tenant\" value=\"acme\"/>"
                        + "<Parameter name=\"generation\" value=\"2.test000000000007\"/>"
                        + "</Stream></Connect>"
                        + "<Redirect method=\"POST\">https://api.example.com/twilio/continue/acme/2"
                        + "#ct=1000&amp;rt=3000&amp;tt=5000&amp;rc=0</Redirect></Response>");
        assertThat(StreamAddress.parse(path, key, NOW)).isInstanceOf(Parsed.Valid.class);
    }

    @Test
    void a_stream_without_a_claim_goes_to_any_container() {
        assertThat(twiml.render(ACME, CALL, 1, onGateway(null))).contains("/stream/acme/any/" + CALL + "/");
    }

    @Test
    void the_busy_message_has_the_words_of_the_requirement() {
        assertThat(twiml.render(ACME, CALL, 1, new Answer.Busy(NOW)))
                .isEqualTo(HEAD + "<Response><Say>All of our assistants are currently busy, please try your call again"
                        + " later.</Say><Hangup/></Response>");
    }

    @Test
    void a_transfer_dials_and_tells_the_continue_url_of_its_hop_how_it_went() {
        assertThat(twiml.render(ACME, CALL, 3, new Answer.Transfer("+15005550009", NOW)))
                .isEqualTo(HEAD + "<Response><Dial action=\"https://api.example.com/twilio/continue/acme/3"
                        + "#ct=1000&amp;rt=3000&amp;tt=5000&amp;rc=0\" method=\"POST\">+15005550009</Dial></Response>");
    }

    @Test
    void no_answer_starts_or_stops_a_recording() {
        for (Answer answer : List.of(
                onGateway(A1),
                new Answer.Busy(NOW),
                new Answer.Apology(NOW),
                new Answer.HangUp(NOW),
                new Answer.Transfer("+15005550009", NOW))) {
            assertThat(twiml.render(ACME, CALL, 2, answer).toLowerCase(Locale.ROOT))
                    .doesNotContain("record");
        }
    }

    @Test
    void an_apology_is_one_sentence_or_two_and_a_hang_up_is_silent() {
        assertThat(twiml.render(ACME, CALL, 1, new Answer.Apology(NOW)))
                .isEqualTo(HEAD + "<Response><Say>" + Twiml.APOLOGY + "</Say><Hangup/></Response>");
        assertThat(twiml.render(ACME, CALL, 1, new Answer.HangUp(NOW)))
                .isEqualTo(HEAD + "<Response><Hangup/></Response>");
    }
}
