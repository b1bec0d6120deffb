package dev.spillway.localcloud.twilio;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class PlayoutTest {
    private static final byte[] TONE = Base64.getDecoder().decode(Mulaw.speechPayload(0));

    private final Playout playout = new Playout();

    @Test
    void a_mark_comes_back_when_the_audio_before_it_has_been_played() {
        playout.audio(Arrays.copyOf(TONE, 100));
        playout.audio(Arrays.copyOf(TONE, 100));
        playout.mark("one");
        playout.mark("two");
        playout.audio(TONE);

        assertThat(playout.next()).isEqualTo(new Playout.Played(true, java.util.List.of()));
        assertThat(playout.next().marks()).containsExactly("one", "two");
        assertThat(playout.next().audible()).isTrue();
        assertThat(playout.next()).isEqualTo(Playout.Played.NOTHING);
    }

    @Test
    void a_mark_without_audio_comes_back_at_once() {
        playout.mark("empty");

        assertThat(playout.next().marks()).containsExactly("empty");
    }

    @Test
    void clear_drops_the_audio_and_returns_the_marks_that_waited() {
        playout.audio(TONE);
        playout.audio(TONE);
        playout.mark("one");
        playout.audio(TONE);
        playout.mark("two");
        playout.next();

        assertThat(playout.clear()).containsExactly("one", "two");
        assertThat(playout.next()).isEqualTo(Playout.Played.NOTHING);
    }

    @Test
    void silence_is_not_audible_and_speech_is() {
        byte[] silence = Base64.getDecoder().decode(Mulaw.silentPayload());

        assertThat(Mulaw.audible(silence)).isFalse();
        for (int i = 0; i < 10; i++) {
            assertThat(Mulaw.audible(Base64.getDecoder().decode(Mulaw.speechPayload(i))))
                    .isTrue();
        }
        assertThat(silence).hasSize(160);
        assertThat(TONE).hasSize(160);
    }

    @Test
    void samples_are_coded_as_g711_says() {
        assertThat(Mulaw.encode(0)).isEqualTo((byte) 0xff);
        assertThat(Mulaw.encode(32_635)).isEqualTo((byte) 0x80);
        assertThat(Mulaw.encode(-32_635)).isEqualTo((byte) 0x00);
    }
}
