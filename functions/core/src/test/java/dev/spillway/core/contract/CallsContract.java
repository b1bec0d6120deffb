package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.BLOOM;
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
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link Calls} keeps. Each test has a call of its own, so that a table may be shared by all of them. */
@SuppressWarnings("NullAway.Init")
public abstract class CallsContract {
    private static final AtomicInteger NEXT = new AtomicInteger(10_000);

    private Calls calls;
    private CallSid sid;

    /** The port to test. */
    protected abstract Calls calls();

    @BeforeEach
    void freshCall() {
        calls = calls();
        sid = Sample.call(NEXT.incrementAndGet());
    }

    private Call call() {
        return calls.find(ACME, sid).orElseThrow();
    }

    private static Answer.Stream onGateway(int hop, int n) {
        return stream(PoolId.GATEWAY, "gw1", hop, n, seconds(hop));
    }

    private static Answer.Stream onOwn(int hop, int n) {
        return stream(ACME_POOL, "a1", hop, n, seconds(hop));
    }

    private static Offer offer(int hop, int n) {
        return new Offer(new ContainerId("a1"), generation(hop, n), seconds(40));
    }

    private void placedOnGateway() {
        calls.begin(Call.arrived(ACME, sid, NOW));
        calls.place(ACME, sid, 0, onGateway(1, 1));
    }

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
    void an_offer_is_written_once() {
        placedOnGateway();

        assertThat(calls.offer(ACME, sid, 1, offer(2, 2))).isTrue();
        assertThat(calls.offer(ACME, sid, 1, offer(2, 3))).isFalse();

        assertThat(call().offer()).isEqualTo(offer(2, 2));
    }

    @Test
    void an_offer_whose_reply_was_lost_counts_as_applied_when_repeated() {
        placedOnGateway();
        calls.offer(ACME, sid, 1, offer(2, 2));

        assertThat(calls.offer(ACME, sid, 1, offer(2, 2))).isTrue();
    }

    @Test
    void of_32_offers_exactly_one_is_written() {
        placedOnGateway();

        List<Boolean> offered = AtOnce.run(32, n -> calls.offer(ACME, sid, 1, offer(2, 100 + n)));

        assertThat(offered).containsOnlyOnce(true);
        assertThat(call().offer()).isEqualTo(offer(2, 100 + offered.indexOf(true)));
    }

    @Test
    void an_offer_needs_the_hop_it_was_made_for_and_a_call_that_goes_on() {
        assertThat(calls.offer(ACME, sid, 1, offer(2, 2))).isFalse();

        placedOnGateway();
        assertThat(calls.offer(ACME, sid, 0, offer(1, 2))).isFalse();
        assertThat(calls.offer(ACME, sid, 2, offer(3, 2))).isFalse();

        calls.finish(ACME, sid);
        assertThat(calls.offer(ACME, sid, 1, offer(2, 2))).isFalse();
        assertThat(call().offer()).isNull();
    }

    @Test
    void an_ended_call_gets_no_offer() {
        placedOnGateway();
        calls.end(ACME, sid, Outcome.COMPLETED, seconds(9));

        assertThat(calls.offer(ACME, sid, 1, offer(2, 2))).isFalse();
        assertThat(call().offer()).isNull();
    }

    @Test
    void a_placement_drops_the_offer() {
        placedOnGateway();
        calls.offer(ACME, sid, 1, offer(2, 2));

        calls.place(ACME, sid, 1, onOwn(2, 2));

        assertThat(call().offer()).isNull();
        assertThat(calls.offer(ACME, sid, 1, offer(2, 3))).isFalse();
    }

    @Test
    void of_an_offer_and_a_move_both_orders_leave_no_offer_behind() {
        for (int round = 0; round < 20; round++) {
            freshCall();
            placedOnGateway();
            List<Callable<Boolean>> race =
                    List.of(() -> calls.offer(ACME, sid, 1, offer(2, 2)), () -> calls.place(ACME, sid, 1, onOwn(2, 3)));

            List<Boolean> done = AtOnce.run(race);

            assertThat(done.get(1)).isTrue();
            assertThat(call().hop()).isEqualTo(2);
            assertThat(call().offer()).isNull();
        }
    }

    @Test
    void only_that_very_offer_is_withdrawn() {
        placedOnGateway();
        calls.offer(ACME, sid, 1, offer(2, 2));

        assertThat(calls.withdraw(ACME, sid, generation(2, 9))).isFalse();
        assertThat(call().offer()).isEqualTo(offer(2, 2));

        assertThat(calls.withdraw(ACME, sid, generation(2, 2))).isTrue();
        assertThat(call().offer()).isNull();
        assertThat(calls.offer(ACME, sid, 1, offer(2, 3))).isTrue();
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
    void connecting_keeps_the_offer_that_waits_for_the_call() {
        placedOnGateway();
        calls.offer(ACME, sid, 1, offer(2, 2));

        calls.connect(ACME, sid, generation(1, 1));

        assertThat(call().offer()).isEqualTo(offer(2, 2));
    }

    @Test
    void a_container_adopts_an_unknown_call_by_creating_it_connected() {
        assertThat(calls.adopt(ACME, sid, onGateway(1, 1), seconds(-3))).isTrue();

        assertThat(call().hop()).isEqualTo(1);
        assertThat(call().connectedHop()).isEqualTo(1);
        assertThat(call().current()).contains(onGateway(1, 1));
        assertThat(call().arrivedAt()).isEqualTo(seconds(-3));
        assertThat(call().outcome()).isNull();
    }

    @Test
    void another_container_adopts_the_call_at_its_hop_and_then_the_addressee_cannot_connect() {
        placedOnGateway();
        Answer.Stream here = stream(PoolId.GATEWAY, "gw2", 1, 2, seconds(3));

        assertThat(calls.adopt(ACME, sid, here, seconds(99))).isTrue();

        assertThat(call().current()).contains(here);
        assertThat(call().connectedHop()).isEqualTo(1);
        assertThat(call().arrivedAt()).isEqualTo(NOW);
        assertThat(calls.connect(ACME, sid, generation(1, 1))).isFalse();
    }

    @Test
    void a_connected_hop_is_not_adopted() {
        placedOnGateway();
        calls.connect(ACME, sid, generation(1, 1));
        Call before = call();

        assertThat(calls.adopt(ACME, sid, stream(PoolId.GATEWAY, "gw2", 1, 2, seconds(3)), NOW))
                .isFalse();
        assertThat(call()).isEqualTo(before);
    }

    @Test
    void a_call_that_is_past_that_hop_is_not_adopted() {
        placedOnGateway();
        calls.place(ACME, sid, 1, onOwn(2, 2));
        Call before = call();

        assertThat(calls.adopt(ACME, sid, stream(PoolId.GATEWAY, "gw2", 1, 3, seconds(3)), NOW))
                .isFalse();
        assertThat(call()).isEqualTo(before);
    }

    @Test
    void a_later_hop_that_could_not_be_written_is_adopted_and_drops_the_offer() {
        placedOnGateway();
        calls.connect(ACME, sid, generation(1, 1));
        calls.offer(ACME, sid, 1, offer(2, 2));
        Answer.Stream here = stream(PoolId.GATEWAY, "gw2", 2, 3, seconds(50));

        assertThat(calls.adopt(ACME, sid, here, NOW)).isTrue();

        assertThat(call().hop()).isEqualTo(2);
        assertThat(call().connectedHop()).isEqualTo(2);
        assertThat(call().answers()).isEqualTo(Map.of(1, onGateway(1, 1), 2, here));
        assertThat(call().offer()).isNull();
    }

    @Test
    void an_adoption_at_the_same_hop_keeps_the_offer() {
        placedOnGateway();
        calls.offer(ACME, sid, 1, offer(2, 2));

        calls.adopt(ACME, sid, stream(PoolId.GATEWAY, "gw2", 1, 3, seconds(3)), NOW);

        assertThat(call().offer()).isEqualTo(offer(2, 2));
    }

    @Test
    void of_31_adopters_and_the_addressee_exactly_one_gets_the_call() {
        placedOnGateway();

        List<Boolean> got = AtOnce.run(
                32,
                n -> n == 0
                        ? calls.connect(ACME, sid, generation(1, 1))
                        : calls.adopt(ACME, sid, stream(PoolId.GATEWAY, "gw2", 1, 100 + n, seconds(3)), NOW));

        assertThat(got).containsOnlyOnce(true);
        assertThat(call().connectedHop()).isEqualTo(1);
    }

    @Test
    void of_32_adopters_of_an_unknown_call_exactly_one_gets_it() {
        List<Boolean> got =
                AtOnce.run(32, n -> calls.adopt(ACME, sid, stream(PoolId.GATEWAY, "gw2", 1, 100 + n, seconds(3)), NOW));

        assertThat(got).containsOnlyOnce(true);
        assertThat(call().current()).contains(stream(PoolId.GATEWAY, "gw2", 1, 100 + got.indexOf(true), seconds(3)));
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

    // What is told

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
