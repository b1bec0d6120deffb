package dev.spillway.media.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.memory.Sample;
import dev.spillway.core.tenant.Persona;
import dev.spillway.media.agent.Agent.Opening;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScriptedAgentTest {
    /** A line whose clock is moved by the frames: 20 ms each. */
    private static final class HandLine implements Line {
        private final List<String> events = new ArrayList<>();
        private final List<Utterance> said = new ArrayList<>();
        private long nanos;
        private long due = Long.MAX_VALUE;
        private Runnable action = () -> {};

        @Override
        public void say(Utterance utterance) {
            said.add(utterance);
            events.add(utterance.mark());
        }

        @Override
        public void play(byte[] frame) {
            events.add("frame");
        }

        @Override
        public void clear() {
            events.add("clear");
        }

        @Override
        public void transfer(String number) {}

        @Override
        public void hangUp() {
            events.add("hang-up");
        }

        @Override
        public Timer after(Duration delay, Runnable later) {
            due = nanos + delay.toNanos();
            action = later;
            return () -> due = Long.MAX_VALUE;
        }

        @Override
        public long nanos() {
            return nanos;
        }

        private void pass(Duration time) {
            nanos += time.toNanos();
            if (nanos >= due) {
                due = Long.MAX_VALUE;
                action.run();
            }
        }
    }

    private final HandLine line = new HandLine();
    private final ScriptedAgent agent = new ScriptedAgent(Sample.tenant(Sample.ACME), line, Duration.ofMillis(600));

    @Test
    void greets_with_the_tenants_own_greeting_and_resumes_with_the_bridging_sentence() {
        agent.begin(Opening.GREETING);
        assertThat(line.events).containsExactly("persona:acme:greeting");
        ScriptedAgent moved = new ScriptedAgent(Sample.tenant(Sample.ACME), line, Duration.ZERO);
        moved.begin(Opening.RESUME);
        assertThat(line.events).containsExactly("persona:acme:greeting", "persona:acme:resume");
    }

    @Test
    void another_container_goes_on_after_the_last_answer_that_was_heard_to_its_end() {
        greet();
        assertThat(agent.conversation()).isEmpty();
        answer(agent);
        byte[] first = line.said.getLast().muLaw();
        assertThat(agent.conversation()).as("it is still being said").isEmpty();
        agent.played(line.said.getLast());
        byte[] kept = agent.conversation();

        answer(agent);
        byte[] second = line.said.getLast().muLaw();
        ScriptedAgent next = new ScriptedAgent(Sample.tenant(Sample.ACME), line, Duration.ofMillis(600));
        assertThat(next.recall(kept)).isTrue();
        next.begin(Opening.RESUME);
        next.played(line.said.getLast());
        answer(next);
        assertThat(second).isNotEqualTo(first);
        assertThat(line.said.getLast().muLaw()).as("what a crash had cut").isEqualTo(second);
    }

    @Test
    void a_later_version_may_say_more_and_what_it_cannot_read_it_leaves() {
        assertThat(agent.recall("scripted 1 7 calm".getBytes(StandardCharsets.UTF_8)))
                .isTrue();
        assertThat(agent.conversation()).isEqualTo("scripted 1 7".getBytes(StandardCharsets.UTF_8));
        assertThat(agent.recall("scripted 1 8 calm\nand kind\n".getBytes(StandardCharsets.UTF_8)))
                .isTrue();
        assertThat(agent.conversation()).isEqualTo("scripted 1 8".getBytes(StandardCharsets.UTF_8));
        for (String strange : List.of("", "scripted 2 7", "scripted 1 -7", "another 1 7", "scripted 1 99999999999")) {
            assertThat(agent.recall(strange.getBytes(StandardCharsets.UTF_8)))
                    .as(strange)
                    .isFalse();
        }
    }

    @Test
    void answers_600_ms_after_the_callers_last_sound_while_it_waits_200_ms_for_more() {
        greet();
        hear(30, true);
        hear(9, false);
        assertThat(agent.isAtTurnBoundary()).isFalse();
        hear(1, false); // 200 ms of silence: the end of the sentence
        line.pass(Duration.ofMillis(380));
        assertThat(line.events).containsExactly("persona:acme:greeting");
        line.pass(Duration.ofMillis(40));
        assertThat(line.events).containsExactly("persona:acme:greeting", "persona:acme:answer");
    }

    @Test
    void a_rehearsal_decides_what_a_turn_costs_and_how_long_its_answer_is() {
        // given two slices of computing, two look-ups of 300 ms and an answer of half a second
        var rehearsal = Rehearsal.of(Map.of("rehearsal", "cpu=0.004;answer=0.5;tools=calendar,orders"));
        var rehearsing = new ScriptedAgent(Sample.tenant(Sample.ACME), line, Duration.ofMillis(600), rehearsal);
        rehearsing.begin(Opening.GREETING);
        rehearsing.played(line.said.getLast());
        // when
        for (int i = 0; i < 40; i++) {
            line.pass(Duration.ofMillis(20));
            rehearsing.heard(frame(i < 30));
        }
        long before = System.nanoTime();
        line.pass(Duration.ofMillis(20));
        line.pass(Duration.ofMillis(20));
        // then
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(4_000_000);
        assertThat(rehearsing.isAtTurnBoundary()).isFalse();
        line.pass(Duration.ofMillis(940));
        assertThat(line.events).containsExactly("persona:acme:greeting");
        line.pass(Duration.ofMillis(20));
        assertThat(line.events).containsExactly("persona:acme:greeting", "persona:acme:answer");
        assertThat(line.said.getLast().length()).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void what_a_rehearsal_says_and_cannot_be_read_is_passed_over() {
        assertThat(Rehearsal.of(Map.of())).isEqualTo(Rehearsal.NONE);
        assertThat(Rehearsal.of(Map.of("rehearsal", "cpu=NaN;answer=-1;mood=good;tools=;")))
                .isEqualTo(Rehearsal.NONE);
        assertThat(Rehearsal.of(Map.of("rehearsal", "cpu=61")).cpu()).isZero();
        assertThat(Rehearsal.of(Map.of("rehearsal", "cpu=60")).cpu()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void a_pause_within_a_sentence_is_not_its_end() {
        greet();
        hear(10, true);
        hear(9, false);
        hear(10, true);
        line.pass(Duration.ofSeconds(2));
        assertThat(line.events).containsExactly("persona:acme:greeting");
    }

    @Test
    void a_caller_who_goes_on_while_it_thinks_is_heard_out_first() {
        greet();
        hear(10, true);
        hear(12, false);
        hear(10, true);
        line.pass(Duration.ofSeconds(2));
        assertThat(line.events).containsExactly("persona:acme:greeting");
        hear(10, false);
        line.pass(Duration.ofMillis(400));
        assertThat(line.events).containsExactly("persona:acme:greeting", "persona:acme:answer");
    }

    @Test
    void a_click_is_not_speech() {
        greet();
        hear(2, true);
        hear(20, false);
        line.pass(Duration.ofSeconds(2));
        assertThat(line.events).containsExactly("persona:acme:greeting");
        assertThat(agent.isAtTurnBoundary()).isTrue();
    }

    @Test
    void an_interruption_clears_what_it_was_saying() {
        agent.begin(Opening.GREETING);
        hear(3, true);
        assertThat(line.events).containsExactly("persona:acme:greeting", "clear");
        assertThat(agent.isAtTurnBoundary()).isFalse();
    }

    @Test
    void a_hash_ends_the_call_with_the_farewell_played_first() {
        greet();
        agent.pressed("1");
        agent.pressed("#");
        assertThat(line.events).containsExactly("persona:acme:greeting", "persona:acme:farewell");
        hear(10, true);
        agent.played(line.said.getLast());
        assertThat(line.events).endsWith("persona:acme:farewell", "hang-up");
    }

    @Test
    void is_at_a_turn_boundary_when_nobody_speaks_or_is_about_to() {
        agent.begin(Opening.GREETING);
        assertThat(agent.isAtTurnBoundary()).isFalse();
        agent.played(line.said.getLast());
        assertThat(agent.isAtTurnBoundary()).isTrue();
        hear(1, true);
        assertThat(agent.isAtTurnBoundary()).isFalse();
    }

    @Test
    void the_same_sentence_of_the_same_voice_is_the_same_audio_and_another_voices_is_not() {
        byte[] hello = Speech.of("plain", "Hello, this is acme.");
        assertThat(Speech.of("plain", "Hello, this is acme.")).isEqualTo(hello);
        assertThat(Speech.of("plain", "Hello, this is bloom.")).isNotEqualTo(hello);
        assertThat(Speech.of("deep", "Hello, this is acme.")).isNotEqualTo(hello);
        assertThat(hello.length % MuLaw.FRAME_BYTES).isZero();
        assertThat(hello.length).isBetween(8_000, 24_000);
        assertThat(MuLaw.loudness(Arrays.copyOfRange(hello, 400, 1_200))).isGreaterThan(Ear.THRESHOLD);
    }

    @Test
    void an_empty_farewell_can_be_said() {
        assertThat(Speech.of("plain", "")).hasSize(8_000);
        assertThat(new Persona("scripted", "plain", "Hi.", "", "").farewell()).isEmpty();
    }

    @Test
    void mu_law_follows_the_recommendation() {
        assertThat(MuLaw.decode((byte) 0xFF)).isZero();
        assertThat(MuLaw.decode((byte) 0x80)).isEqualTo((short) 32_124);
        assertThat(MuLaw.decode((byte) 0x00)).isEqualTo((short) -32_124);
        for (int code = 0; code < 256; code++) {
            short linear = MuLaw.decode((byte) code);
            assertThat(MuLaw.decode(MuLaw.encode(linear))).isEqualTo(linear);
        }
    }

    private void answer(ScriptedAgent talking) {
        byte[] frame = new byte[MuLaw.FRAME_BYTES];
        for (int i = 0; i < 40; i++) {
            Arrays.fill(frame, i < 30 ? MuLaw.encode(5_000) : MuLaw.SILENCE);
            talking.heard(frame);
            line.pass(Duration.ofMillis(20));
        }
        line.pass(Duration.ofSeconds(1));
    }

    private void greet() {
        agent.begin(Opening.GREETING);
        agent.played(line.said.getLast());
    }

    private static byte[] frame(boolean loud) {
        byte[] frame = new byte[MuLaw.FRAME_BYTES];
        Arrays.fill(frame, loud ? MuLaw.encode(5_000) : MuLaw.SILENCE);
        return frame;
    }

    private void hear(int frames, boolean loud) {
        for (int i = 0; i < frames; i++) {
            agent.heard(frame(loud));
            line.pass(i == frames - 1 && !loud ? Duration.ZERO : Duration.ofMillis(20));
        }
    }
}
