package dev.spillway.localcloud.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.localcloud.twilio.TwimlParser.InvalidTwiml;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TwimlParserTest {
    @Test
    void every_verb_is_read() throws Exception {
        Twiml twiml = parse("""
                <?xml version="1.0" encoding="UTF-8"?>
                <Response>
                  <Connect><Stream url="wss://a.example/s" name="n" statusCallback="/st" statusCallbackMethod="GET">
                    <Parameter name="token" value="abc"/></Stream></Connect>
                  <Redirect method="GET">/next?a=1&amp;b=2</Redirect>
                  <Say loop="2">two words</Say><Play digits="1w"/><Pause length="3"/><Hangup/><Reject reason="busy"/>
                </Response>""");

        assertThat(twiml.verbs())
                .containsExactly(
                        new Twiml.Connect("wss://a.example/s", "n", "/st", "GET", Map.of("token", "abc"), null),
                        new Twiml.Redirect("/next?a=1&b=2", "GET"),
                        new Twiml.Say("two words", 2),
                        new Twiml.Play("", "1w", 1),
                        new Twiml.Pause(3),
                        new Twiml.Hangup(),
                        new Twiml.Reject(true));
        assertThat(twiml.warnings()).isEmpty();
    }

    @Test
    void unknown_verbs_and_attributes_out_of_range_are_warnings() throws Exception {
        Twiml twiml = parse("<Response><Dance/><Pause length=\"long\"/><Connect><Room/></Connect></Response>");

        assertThat(twiml.verbs())
                .containsExactly(
                        new Twiml.Unknown("Dance"), new Twiml.Pause(1), new Twiml.Unknown("Connect without Stream"));
        assertThat(twiml.warnings()).hasSize(4).allMatch(warning -> warning.startsWith("12200"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "not xml",
                "<Response>",
                "<Reply/>",
                "<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><Response><Say>&x;</Say></Response>"
            })
    void what_is_no_twiml_is_refused(String text) {
        assertThatThrownBy(() -> parse(text)).isInstanceOf(InvalidTwiml.class);
    }

    private static Twiml parse(String text) throws InvalidTwiml {
        return TwimlParser.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
