package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.BLOOM;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.PoolId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What every {@link Calls} keeps: how a call begins, is placed, connects and ends. */
public abstract class CallsContract extends OneCall {
    @Test
    void an_attempt_is_written_once() {
        assertThat(calls.begin(Call.arrived(ACME, sid, NOW))).isTrue();
        assertThat(calls.begin(Call.arrived(ACME, sid, seconds(9)))).isFalse();

        assertThat(call()).isEqualTo(Call.arrived(ACME, sid, NOW));
    }

    @Test
    void of_32_webhooks_for_a_new_call_exactly_one_begins_it() {
        assertThat(AtOnce.run(32, n -> calls.begin(Call.arrived(ACME, sid, seconds(n)))))
                .containsOnlyOnce(true);
    }

    @Test
    void a_call_that_a_container_took_directly_is_written_with_its_placement() {
        Call direct = Call.placedDirectly(ACME, sid, onOwn(1, 1));

        assertThat(calls.begin(direct)).isTrue();

        assertThat(call()).isEqualTo(direct);
    }

    @Test
    void an_unknown_call_and_a_call_of_another_tenant_are_not_found() {
        calls.begin(Call.arrived(ACME, sid, NOW));

        assertThat(calls.find(BLOOM, sid)).isEmpty();
        assertThat(calls.find(ACME, Sample.call(9_999))).isEmpty();
    }

    @Test
    void a_placement_moves_the_call_to_the_next_hop_and_stores_the_answer() {
        calls.begin(Call.arrived(ACME, sid, NOW));

        assertThat(calls.place(ACME, sid, 0, onGateway(1, 1))).isTrue();
        assertThat(calls.place(ACME, sid, 1, onOwn(2, 2))).isTrue();

        assertThat(call().hop()).isEqualTo(2);
        assertThat(call().answers()).isEqualTo(Map.of(1, onGateway(1, 1), 2, onOwn(2, 2)));
        assertThat(call().connectedHop()).isZero();
        assertThat(call().arrivedAt()).isEqualTo(NOW);
    }

    @Test
    void every_kind_of_answer_reads_back_as_it_was_given() {
        List<Answer> answers = List.of(
                new Answer.Busy(seconds(1)),
                new Answer.Apology(seconds(2)),
                new Answer.HangUp(seconds(3)),
                new Answer.Stream(PoolId.GATEWAY, null, generation(4, 4), seconds(64), seconds(4)));
        calls.begin(Call.arrived(ACME, sid, NOW));

        for (int hop = 0; hop < answers.size(); hop++) {
            assertThat(calls.place(ACME, sid, hop, answers.get(hop))).isTrue();
        }

        assertThat(call().answers())
                .isEqualTo(Map.of(1, answers.get(0), 2, answers.get(1), 3, answers.get(2), 4, answers.get(3)));
    }

    @Test
    void a_placement_from_an_old_hop_changes_nothing() {
        placedOnGateway();
        Call before = call();

        assertThat(calls.place(ACME, sid, 0, onGateway(1, 9))).isFalse();
        assertThat(calls.place(ACME, sid, 2, onGateway(3, 9))).isFalse();

        assertThat(call()).isEqualTo(before);
    }

    @Test
    void a_placement_whose_reply_was_lost_counts_as_applied_when_repeated() {
        placedOnGateway();
        Call before = call();

        assertThat(calls.place(ACME, sid, 0, onGateway(1, 1))).isTrue();
        assertThat(call()).isEqualTo(before);
    }

    @Test
    void of_32_placements_from_one_hop_exactly_one_wins() {
        calls.begin(Call.arrived(ACME, sid, NOW));

        List<Boolean> placed = AtOnce.run(32, n -> calls.place(ACME, sid, 0, onGateway(1, 100 + n)));

        assertThat(placed).containsOnlyOnce(true);
        assertThat(call().hop()).isEqualTo(1);
        assertThat(call().current()).contains(onGateway(1, 100 + placed.indexOf(true)));
    }

    @Test
    void an_unknown_call_is_not_placed_and_an_ended_one_neither() {
        assertThat(calls.place(ACME, sid, 0, onGateway(1, 1))).isFalse();
        assertThat(calls.find(ACME, sid)).isEmpty();

        placedOnGateway();
        calls.end(ACME, sid, Outcome.ABANDONED, seconds(9));
        Call before = call();

        assertThat(calls.place(ACME, sid, 1, onGateway(2, 2))).isFalse();
        assertThat(call()).isEqualTo(before);
    }

    @Test
    void a_placed_stream_connects_once() {
        placedOnGateway();

        assertThat(calls.connect(ACME, sid, generation(1, 1))).isTrue();
        assertThat(calls.connect(ACME, sid, generation(1, 1))).isFalse();

        assertThat(call().connectedHop()).isEqualTo(1);
    }

    @Test
    void of_32_streams_exactly_one_connects() {
        placedOnGateway();

        assertThat(AtOnce.run(32, n -> calls.connect(ACME, sid, generation(1, 1))))
                .containsOnlyOnce(true);
    }

    @Test
    void a_stream_of_another_generation_or_an_old_hop_does_not_connect() {
        placedOnGateway();
        assertThat(calls.connect(ACME, sid, generation(1, 9))).isFalse();

        calls.place(ACME, sid, 1, onOwn(2, 2));
        assertThat(calls.connect(ACME, sid, generation(1, 1))).isFalse();
        assertThat(call().connectedHop()).isZero();

        assertThat(calls.connect(ACME, sid, generation(2, 2))).isTrue();
        assertThat(call().connectedHop()).isEqualTo(2);
    }

    @Test
    void connecting_an_unknown_call_creates_nothing() {
        assertThat(calls.connect(ACME, sid, generation(1, 1))).isFalse();
        assertThat(calls.find(ACME, sid)).isEmpty();
    }

    @Test
    void finishing_is_remembered_and_harmless_when_repeated() {
        placedOnGateway();

        calls.finish(ACME, sid);
        calls.finish(ACME, sid);

        assertThat(call().finished()).isTrue();
        assertThat(call().outcome()).isNull();
        assertThat(call().hop()).isEqualTo(1);
    }

    @Test
    void finishing_or_ending_an_unknown_call_creates_nothing() {
        calls.finish(ACME, sid);

        assertThat(calls.end(ACME, sid, Outcome.COMPLETED, NOW)).isFalse();
        assertThat(calls.find(ACME, sid)).isEmpty();
    }

    @Test
    void a_finished_call_may_still_be_told_to_hang_up() {
        placedOnGateway();
        calls.finish(ACME, sid);

        assertThat(calls.place(ACME, sid, 1, new Answer.HangUp(seconds(30)))).isTrue();
        assertThat(call().current()).contains(new Answer.HangUp(seconds(30)));
    }

    @Test
    void a_call_ends_once_and_its_outcome_stays() {
        placedOnGateway();

        assertThat(calls.end(ACME, sid, Outcome.COMPLETED, seconds(60))).isTrue();
        assertThat(calls.end(ACME, sid, Outcome.LOST, seconds(61))).isFalse();

        assertThat(call().outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void of_32_ends_exactly_one_is_the_outcome() {
        placedOnGateway();
        Outcome[] outcomes = Outcome.values();

        List<Boolean> ended = AtOnce.run(32, n -> calls.end(ACME, sid, outcomes[n % outcomes.length], seconds(60)));

        assertThat(ended).containsOnlyOnce(true);
        assertThat(call().outcome()).isEqualTo(outcomes[ended.indexOf(true) % outcomes.length]);
    }
}
