package dev.spillway.localcloud.twilio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.localcloud.twilio.CallScript.BargeIn;
import dev.spillway.localcloud.twilio.CallScript.Ending;
import dev.spillway.localcloud.twilio.CallScript.Keys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CallerTest {
    private final CallHistory history = new CallHistory();
    private final List<String> actions = new ArrayList<>();

    @Test
    void the_caller_speaks_for_one_second_once_the_greeting_has_been_quiet_for_400_ms() {
        Caller caller = caller(CallScript.ofTurns(1));

        assertThat(hear(caller, 10, false)).isZero();
        assertThat(hear(caller, 50, true)).isZero();
        assertThat(caller.waiting()).isFalse();
        assertThat(hear(caller, 20, false)).isZero();
        assertThat(hear(caller, 100, false)).isEqualTo(50);
        assertThat(caller.waiting()).isTrue();
    }

    @Test
    void whoever_asks_again_is_still_owed_the_answer_and_whoever_goes_on_by_himself_is_not() {
        Caller caller = caller(CallScript.ofTurns(2));

        hear(caller, 400, false);
        assertThat(caller.speaking()).as("says hello for want of a greeting").isTrue();
        assertThat(caller.isOwed()).isTrue();
        hear(caller, 50, false);
        hear(caller, 400, false);
        assertThat(caller.speaking()).as("asks again").isTrue();
        assertThat(caller.isOwed()).isTrue();

        hear(caller, 50, false);
        hear(caller, 10, true);
        hear(caller, 20, false);
        hear(caller, 2, false);
        assertThat(caller.speaking()).as("the second turn").isTrue();
        assertThat(caller.isOwed()).isFalse();
    }

    @Test
    void a_short_pause_in_the_agents_speech_is_not_its_end() {
        Caller caller = caller(CallScript.ofTurns(1));

        hear(caller, 10, true);
        hear(caller, 19, false);
        hear(caller, 10, true);

        assertThat(hear(caller, 20, false)).isZero();
    }

    @Test
    void the_caller_hangs_up_when_the_answer_to_the_last_turn_is_over() {
        Caller caller = caller(CallScript.ofTurns(1));
        greet(caller);
        hear(caller, 51, false);

        hear(caller, 30, true);
        assertThat(actions).isEmpty();
        hear(caller, 20, false);

        assertThat(actions).containsExactly("hang up");
    }

    @Test
    void who_waits_for_the_agent_to_hang_up_says_nothing_after_the_last_turn() {
        Caller caller = caller(CallScript.of(new Ending.AgentHangsUp(0)));
        greet(caller);

        assertThat(hear(caller, 2_000, false)).isZero();
        assertThat(caller.waiting()).isFalse();
        assertThat(actions).isEmpty();
    }

    @Test
    void an_interrupting_turn_begins_in_the_middle_of_the_agents_speech() {
        Caller caller = caller(CallScript.ofTurns(2)
                .withTurns(List.of(
                        plan(Optional.empty(), Optional.empty()),
                        plan(Optional.of(Duration.ofMillis(200)), Optional.empty()))));
        greet(caller);
        hear(caller, 51, false);

        assertThat(hear(caller, 9, true)).isZero();
        assertThat(hear(caller, 1, true)).isEqualTo(1);
        assertThat(history.turns()).hasSize(1); // a turn is noted at its end
    }

    @Test
    void who_corrects_himself_speaks_once_more_whatever_the_agent_does() {
        Caller caller = caller(
                CallScript.ofTurns(1).withTurns(List.of(plan(Optional.empty(), Optional.of(Duration.ofMillis(300))))));
        greet(caller);
        int first = hear(caller, 51, false);

        int again = hear(caller, 100, true);

        assertThat(first + again).isBetween(99, 101);
        assertThat(history.turns()).hasSize(1);
        assertThat(history.turns().getFirst().corrected()).isTrue();
    }

    @Test
    void who_hangs_up_in_a_turn_does_so_while_speaking() {
        Caller caller = caller(CallScript.of(new Ending.InTurn(1)));
        greet(caller);

        int spoken = hear(caller, 100, false);

        assertThat(spoken).isBetween(20, 30);
        assertThat(actions).containsExactly("hang up");
    }

    private static CallScript.TurnPlan plan(Optional<Duration> interrupt, Optional<Duration> correct) {
        return new CallScript.TurnPlan(Duration.ofSeconds(1), interrupt, correct, "");
    }

    @Test
    void the_latency_counts_from_the_last_frame_sent_to_the_first_media_received() {
        Caller caller = caller(CallScript.ofTurns(1));
        greet(caller);
        for (int i = 0; i < 52; i++) {
            if (caller.step(false)) {
                caller.spoke();
            }
        }

        caller.agentAudio();
        caller.agentAudio();

        var turn = history.turns().getFirst();
        assertThat(turn.responseLatency()).isPresent();
        assertThat(turn.repeats()).isZero();
        assertThat(turn.bargeIn()).isFalse();
    }

    @Test
    void an_answer_that_does_not_come_is_asked_for_again() {
        Caller caller = caller(CallScript.ofTurns(1).withRepeatAfter(Duration.ofSeconds(2)));
        greet(caller);
        hear(caller, 52, false);

        assertThat(hear(caller, 160, false)).isEqualTo(50);
        assertThat(history.turns()).hasSize(1);
        assertThat(history.turns().getFirst().repeats()).isEqualTo(1);
    }

    @Test
    void an_interruption_speaks_into_the_answer_and_counts_what_comes_after_the_cut() {
        Caller caller = caller(CallScript.ofTurns(3).withBargeIn(new BargeIn(1, Duration.ofMillis(200))));
        greet(caller);
        hear(caller, 52, false);
        caller.agentAudio();
        hear(caller, 9, true);
        assertThat(caller.speaking()).isFalse();
        hear(caller, 1, true);
        assertThat(caller.speaking()).isTrue();

        hear(caller, 5, true);
        caller.agentCleared();
        caller.agentAudio();
        caller.agentAudio();
        caller.agentAnnounced();
        caller.agentAudio();
        hear(caller, 60, false);

        var turn = history.turns().get(1);
        assertThat(turn.bargeIn()).isTrue();
        assertThat(turn.heardWhileSpeaking()).isEqualTo(Duration.ofMillis(100));
        assertThat(turn.cutMediaAfterClear()).isEqualTo(2);
    }

    @Test
    void what_an_announcing_agent_says_before_its_next_utterance_is_still_the_interrupted_one() {
        Caller caller = caller(CallScript.ofTurns(3)
                .withUtterance(Duration.ofMillis(100))
                .withBargeIn(new BargeIn(0, Duration.ofMillis(200))));
        caller.agentAnnounced();
        hear(caller, 20, true);

        caller.agentAudio();
        caller.agentCleared();
        caller.agentAudio();

        assertThat(caller.waiting()).isTrue();
        assertThat(history.turns().getFirst().firstAnswerAt()).isNull();
        assertThat(history.turns().getFirst().cutMediaAfterClear()).isEqualTo(2);
        caller.agentAnnounced();
        caller.agentAudio();
        assertThat(history.turns().getFirst().firstAnswerAt()).isNotNull();
    }

    @Test
    void an_agent_that_never_clears_does_not_answer_by_going_on() {
        Caller caller = caller(CallScript.ofTurns(2)
                .withUtterance(Duration.ofMillis(100))
                .withBargeIn(new BargeIn(0, Duration.ofMillis(200))));
        caller.agentAnnounced();

        for (int frame = 0; frame < 30; frame++) {
            caller.agentAudio();
            hear(caller, 1, true);
        }

        assertThat(history.turns().getFirst().firstAnswerAt()).isNull();
        assertThat(history.turns().getFirst().cutMediaAfterClear()).isPositive();
    }

    @Test
    void who_corrects_himself_is_answered_by_the_next_utterance_only() {
        Caller caller = caller(CallScript.ofTurns(1)
                .withTurns(List.of(new CallScript.TurnPlan(
                        Duration.ofMillis(100), Optional.empty(), Optional.of(Duration.ofMillis(300)), ""))));
        caller.agentAnnounced();
        greet(caller);
        hear(caller, 6, false);
        caller.agentAnnounced();
        caller.agentAudio();
        assertThat(history.turns().getFirst().firstAnswerAt()).isNotNull();
        hear(caller, 30, true);
        assertThat(history.turns().getFirst().corrected()).isTrue();

        caller.agentAudio();
        assertThat(history.turns().getFirst().firstAnswerAt()).isNull();
        assertThat(history.turns().getFirst().cutMediaAfterClear()).isEqualTo(1);
        caller.agentAnnounced();
        caller.agentAudio();
        assertThat(history.turns().getFirst().firstAnswerAt()).isNotNull();
    }

    @Test
    void keys_are_pressed_at_the_start_of_their_turn() {
        Caller caller = caller(CallScript.ofTurns(2).withKeys(new Keys(1, "42#")));
        greet(caller);
        hear(caller, 1, false);

        assertThat(actions).containsExactly("42#");
    }

    private Caller caller(CallScript script) {
        return new Caller(script, history, new Caller.Phone() {
            @Override
            public void hangUp() {
                actions.add("hang up");
            }

            @Override
            public void press(String digits) {
                actions.add(digits);
            }
        });
    }

    private static void greet(Caller caller) {
        hear(caller, 50, true);
        hear(caller, 20, false);
    }

    /** So many frames; answers in how many the caller spoke. */
    private static int hear(Caller caller, int frames, boolean audible) {
        int spoken = 0;
        for (int i = 0; i < frames; i++) {
            spoken += caller.step(audible) ? 1 : 0;
        }
        return spoken;
    }
}
