package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.attempt.Story;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every {@link Calls} tells of a call. */
public abstract class StoriesContract extends OneCall {
    private static final Slots FULL = new Slots(ACME_POOL, 5, 0, 1, 0, 6);

    private static Step held(int n) {
        return Step.held(1, new ContainerId("gw1"), Cause.FULL, FULL, "step " + n, seconds(n));
    }

    @Test
    void each_write_tells_of_itself_and_one_that_changes_nothing_tells_nothing() {
        calls.begin(Call.arrived(ACME, sid, NOW));
        calls.place(ACME, sid, 0, onGateway(1, 1), List.of(held(1)));
        calls.place(ACME, sid, 0, onGateway(1, 9), List.of(held(9)));
        Step connected = Step.connected(onGateway(1, 1), "as sent");
        calls.connect(ACME, sid, generation(1, 1), List.of(connected));
        calls.connect(ACME, sid, generation(1, 1), List.of(connected));
        calls.offer(ACME, sid, 1, offer(2, 2));
        calls.offer(ACME, sid, 1, offer(2, 3));
        Step ended = Step.ended(1, Outcome.ABANDONED, "hung up", seconds(50));
        calls.end(ACME, sid, Outcome.ABANDONED, seconds(50), List.of(ended));
        calls.end(ACME, sid, Outcome.COMPLETED, seconds(51), List.of(ended));

        assertThat(call().story().steps())
                .containsExactly(held(1), connected, Step.offered(ACME, 1, offer(2, 2)), ended);
        assertThat(call().story().dropped()).isZero();
    }

    @Test
    void a_placement_repeated_after_a_lost_reply_is_told_once() {
        calls.begin(Call.arrived(ACME, sid, NOW));
        calls.place(ACME, sid, 0, onGateway(1, 1), List.of(held(1)));
        calls.place(ACME, sid, 0, onGateway(1, 1), List.of(held(1)));

        assertThat(call().story().steps()).containsExactly(held(1));
    }

    @Test
    void an_adoption_tells_where_the_call_is_now() {
        calls.begin(Call.arrived(ACME, sid, NOW));
        calls.place(ACME, sid, 0, onGateway(1, 1), List.of(held(1)));
        Answer.Stream here = stream(PoolId.GATEWAY, "gw2", 1, 2, seconds(3));
        calls.adopt(ACME, sid, here, NOW);

        assertThat(call().story().steps()).containsExactly(held(1), Step.connected(here, Calls.ADOPTED));
    }

    @Test
    void a_story_that_is_full_counts_what_it_drops_and_the_write_takes_effect_all_the_same() {
        List<Step> many = new ArrayList<>();
        for (int n = 0; n < Story.MOST_STEPS; n++) {
            many.add(held(n));
        }
        calls.begin(Call.arrived(ACME, sid, NOW));
        calls.place(ACME, sid, 0, onGateway(1, 1), many);

        assertThat(calls.connect(ACME, sid, generation(1, 1), List.of(Step.connected(onGateway(1, 1), "as sent"))))
                .isTrue();
        assertThat(calls.offer(ACME, sid, 1, offer(2, 2))).isTrue();
        assertThat(calls.place(ACME, sid, 1, onOwn(2, 2), List.of(held(98), held(99))))
                .isTrue();
        assertThat(calls.adopt(ACME, sid, stream(ACME_POOL, "a2", 2, 3, seconds(3)), NOW))
                .isTrue();
        assertThat(calls.end(ACME, sid, Outcome.COMPLETED, seconds(60), List.of(held(100))))
                .isTrue();

        assertThat(call().story().steps()).isEqualTo(many);
        assertThat(call().story().dropped()).isEqualTo(6);
        assertThat(call().outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(call().connectedHop()).isEqualTo(2);
    }

    @Test
    void what_came_with_no_other_write_is_told_while_the_call_is_at_that_hop_and_open() {
        Step setback = Step.refused(
                1, ACME_POOL, Cause.DEPENDENCY, FULL, "the addressee did not answer within 5000 ms", seconds(3));
        assertThat(calls.tell(ACME, sid, 1, List.of(setback))).as("unknown").isFalse();
        placedOnGateway();
        List<Step> before = call().story().steps();

        assertThat(calls.tell(ACME, sid, 2, List.of(setback))).as("later").isFalse();
        assertThat(calls.tell(ACME, sid, 1, List.of(setback))).isTrue();

        assertThat(call().story().steps()).hasSize(before.size() + 1).endsWith(setback);
        assertThat(call().hop()).isEqualTo(1);
        calls.place(ACME, sid, 1, onOwn(2, 2));
        assertThat(calls.tell(ACME, sid, 1, List.of(setback))).as("an old hop").isFalse();
        calls.end(ACME, sid, Outcome.COMPLETED, seconds(9));
        assertThat(calls.tell(ACME, sid, 2, List.of(setback))).as("over").isFalse();
    }

    @Test
    void who_called_is_kept_with_the_attempt() {
        CallerHash caller = new CallerHash("abcdefghij-_ABCDEFGHIJ");
        calls.begin(Call.arrived(ACME, sid, caller, NOW));

        assertThat(call()).isEqualTo(Call.arrived(ACME, sid, caller, NOW));
        assertThat(call().story().caller()).isEqualTo(caller);
    }
}
