package dev.spillway.core.call;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.PoolId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CallTest {
    private static Answer.Stream own(int hop, int at) {
        return stream(ACME_POOL, "a1", hop, 1, seconds(at));
    }

    private static Answer.Stream held(int hop, int at) {
        return stream(PoolId.GATEWAY, "gw1", hop, 1, seconds(at));
    }

    private static Answer.Transfer given(int at) {
        return new Answer.Transfer("+15005550009", seconds(at));
    }

    /** The n-th answer is that of the n-th hop. */
    private static Call call(Answer... answers) {
        Map<Integer, Answer> byHop = new HashMap<>();
        for (Answer answer : List.of(answers)) {
            byHop.put(byHop.size() + 1, answer);
        }
        return new Call(ACME, Sample.call(1), NOW, answers.length, byHop, null, 0, false, null);
    }

    @Test
    void a_call_that_was_moved_three_times_within_a_minute_goes_in_circles() {
        Call moved = call(held(1, -100), own(2, -50), held(3, -40), own(4, -30));

        assertThat(moved.movesWithin(Call.MOVES_WINDOW, NOW)).isEqualTo(3);
        assertThat(moved.isGoingInCircles(NOW)).isTrue();
        assertThat(moved.isGoingInCircles(seconds(11))).isFalse();
    }

    @Test
    void a_transfer_is_no_move_and_neither_is_the_way_back_from_it() {
        // given a hand-off, and two numbers at which nobody answered
        Call returned = call(held(1, -58), own(2, -50), given(-40), own(4, -30), given(-20), own(6, -10));

        assertThat(returned.movesWithin(Call.MOVES_WINDOW, NOW)).isEqualTo(1);
        assertThat(returned.isGoingInCircles(NOW)).isFalse();
        assertThat(returned.mayBeHandedOver(NOW)).isTrue();
    }

    @Test
    void an_agent_gives_its_call_away_three_times_within_a_minute_at_most() {
        Call twice = call(own(1, -58), given(-50), own(3, -40), given(-30), own(5, -20));
        Call thrice = call(own(1, -58), given(-50), own(3, -40), given(-30), own(5, -20), given(-15), own(7, -10));

        assertThat(twice.mayBeTransferred(NOW)).isTrue();
        assertThat(thrice.mayBeTransferred(NOW)).isFalse();
        assertThat(thrice.mayBeTransferred(seconds(10))).isTrue();
    }

    @Test
    void a_transfer_that_was_read_back_is_the_one_that_was_written_by_a_clock_finer_than_the_table() {
        Answer written = new Answer.Transfer("+15005550006", NOW.plusNanos(123_456));

        assertThat(written).isEqualTo(new Answer.Transfer("+15005550006", NOW));
    }
}
