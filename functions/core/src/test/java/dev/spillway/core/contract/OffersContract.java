package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Outcome;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** What every {@link Calls} keeps of offers. */
public abstract class OffersContract extends OneCall {
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
    void connecting_keeps_the_offer_that_waits_for_the_call() {
        placedOnGateway();
        calls.offer(ACME, sid, 1, offer(2, 2));

        calls.connect(ACME, sid, generation(1, 1));

        assertThat(call().offer()).isEqualTo(offer(2, 2));
    }
}
