package dev.spillway.media.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private long nanos;
    private final Turns turns = new Turns(nanos);

    @Test
    void a_call_without_a_first_word_has_no_turn_that_could_end() {
        after(60_000);
        assertThat(turns.isBoundary(nanos)).isFalse();
    }

    @Test
    void a_sentence_sent_at_once_is_spoken_for_as_long_as_it_is() {
        // given a sentence of two seconds
        turns.said(16_000, nanos);
        // then
        assertThat(turns.unheard(nanos)).isEqualTo(Duration.ofSeconds(2));
        after(1_999);
        assertThat(turns.isBoundary(nanos)).isFalse();
        after(300);
        assertThat(turns.isBoundary(nanos)).isFalse();
        after(1);
        assertThat(turns.isBoundary(nanos)).isTrue();
    }

    @Test
    void a_mark_that_is_still_out_holds_the_turn_for_two_seconds_and_no_longer() {
        turns.said(160, nanos);
        turns.marked("end");
        after(1_000);
        assertThat(turns.isBoundary(nanos)).isFalse();
        turns.returned("end");
        assertThat(turns.isBoundary(nanos)).isTrue();
        turns.marked("lost");
        assertThat(turns.isBoundary(nanos)).isFalse();
        after(1_100);
        assertThat(turns.isBoundary(nanos)).isTrue();
    }

    @Test
    void what_the_bot_took_back_is_not_spoken() {
        turns.said(80_000, nanos);
        after(100);
        turns.cleared(nanos);
        after(300);
        assertThat(turns.isBoundary(nanos)).isTrue();
    }

    @Test
    void a_caller_who_speaks_has_the_turn_and_the_bot_has_it_next() {
        turns.said(160, nanos);
        after(1_000);
        assertThat(turns.isBoundary(nanos)).isTrue();
        hear(3, true);
        assertThat(turns.isBoundary(nanos)).isFalse();
        hear(10, false);
        assertThat(turns.isBoundary(nanos)).isFalse(); // the bot thinks
        after(3_999);
        assertThat(turns.isBoundary(nanos)).isFalse();
        turns.said(160, nanos);
        after(320);
        assertThat(turns.isBoundary(nanos)).isTrue();
    }

    @Test
    void a_bot_that_does_not_answer_holds_nothing_up_for_ever() {
        turns.said(160, nanos);
        hear(3, true);
        hear(10, false);
        after(4_000);
        assertThat(turns.isBoundary(nanos)).isTrue();
    }

    private void hear(int frames, boolean loud) {
        byte[] frame = new byte[MuLaw.FRAME_BYTES];
        Arrays.fill(frame, loud ? MuLaw.encode(6_000) : MuLaw.SILENCE);
        for (int i = 0; i < frames; i++) {
            after(20);
            turns.heard(frame, nanos);
        }
    }

    private void after(int millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
