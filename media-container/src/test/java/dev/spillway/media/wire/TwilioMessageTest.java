package dev.spillway.media.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TwilioMessageTest {
    @Test
    void a_start_is_read_with_its_parameters_and_whatever_twilio_adds_is_skipped() throws IOException {
        TwilioMessage message = parse("""
                {"event":"start","sequenceNumber":"1","novelty":{"a":[1,{"b":2}]},"start":{"streamSid":"MZ1",
                "accountSid":"AC1","callSid":"CA1","tracks":["inbound"],"customParameters":{"tenant":"acme"},
                "mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1}},"streamSid":"MZ1"}
                """);
        assertThat(message).isEqualTo(new TwilioMessage.Start("MZ1", "CA1", Map.of("tenant", "acme")));
    }

    @Test
    void media_may_come_with_its_fields_in_any_order() throws IOException {
        TwilioMessage message =
                parse("{\"media\":{\"payload\":\"//8=\",\"timestamp\":\"5\",\"track\":\"inbound\",\"chunk\":\"2\"},"
                        + "\"streamSid\":\"MZ1\",\"event\":\"media\"}");
        assertThat(message).isInstanceOfSatisfying(TwilioMessage.Media.class, media -> {
            assertThat(media.inbound()).isTrue();
            assertThat(media.payload()).containsExactly(0xFF, 0xFF);
        });
    }

    @Test
    void the_small_messages_are_read() throws IOException {
        assertThat(parse("{\"event\":\"dtmf\",\"dtmf\":{\"track\":\"inbound_track\",\"digit\":\"#\"}}"))
                .isEqualTo(new TwilioMessage.Dtmf("#"));
        assertThat(parse("{\"event\":\"mark\",\"mark\":{\"name\":\"end:1\"}}"))
                .isEqualTo(new TwilioMessage.Mark("end:1"));
        assertThat(parse("{\"event\":\"stop\",\"stop\":{\"accountSid\":\"AC1\",\"callSid\":\"CA1\"}}"))
                .isEqualTo(new TwilioMessage.Stop());
        assertThat(parse("{\"event\":\"connected\",\"protocol\":\"Call\",\"version\":\"1.0.0\"}"))
                .isEqualTo(new TwilioMessage.Other("connected"));
        assertThat(parse("{\"event\":\"novelty\"}")).isEqualTo(new TwilioMessage.Other("novelty"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "null",
                "{}",
                "{\"event\":1}",
                "{\"event\":\"stop\"} {}",
                "{\"event\":\"media\"}",
                "{\"event\":\"media\",\"media\":\"x\"}",
                "{\"event\":\"media\",\"media\":{\"payload\":\"%%%\"}}",
                "{\"event\":\"media\",\"media\":{\"payload\":7}}",
                "{\"event\":\"start\",\"start\":{\"streamSid\":\"MZ\\\"1\",\"callSid\":\"CA1\"}}",
                "{\"event\":\"start\",\"start\":{\"streamSid\":\"MZ1\"}}",
                "{\"event\":\"start\",\"start\":{\"streamSid\":\"MZ1\",\"callSid\":\"CA1\",\"customParameters\":[]}}"
            })
    void what_is_malformed_is_refused(String text) {
        assertThatThrownBy(() -> parse(text)).isInstanceOf(IOException.class);
    }

    private static TwilioMessage parse(String text) throws IOException {
        return TwilioMessage.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
