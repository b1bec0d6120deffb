package dev.spillway.media.admission;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.pool.Claim;
import dev.spillway.media.admission.Admission.Admitted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private final Admission admission = new Admission(6, NOW);

    @Test
    void nothing_is_admitted_before_the_gate_opens_and_nothing_new_after_it_closed() {
        assertThat(admit(1)).isInstanceOf(Admitted.Refused.class);
        admission.open();
        assertThat(admit(1)).isInstanceOf(Admitted.Fresh.class);
        admission.close("draining");
        assertThat(admit(2)).isEqualTo(new Admitted.Refused("draining"));
        admission.open();
        assertThat(admit(2)).isInstanceOf(Admitted.Fresh.class);
    }

    @Test
    void what_was_closed_for_good_never_opens_again() {
        admission.open();
        admission.closeForGood("stopping");
        assertThat(admission.open()).isFalse();
        assertThat(admit(1)).isEqualTo(new Admitted.Refused("stopping"));
    }

    @Test
    void from_then_on_its_heartbeats_send_nobody_there_whatever_state_its_item_is_in() {
        admission.open();
        assertThat(admission.report(0).isRefusing()).isFalse();
        admission.closeForGood("stopping");
        assertThat(admission.report(0).isRefusing()).isTrue();
    }

    @Test
    void while_memory_is_short_new_calls_are_refused_and_claimed_streams_let_in() {
        // given 100 MB of which 64 must stay
        AtomicLong left = new AtomicLong(100L << 20);
        Admission small = new Admission(6, new MemoryFloor(left::get, 64L << 20), NOW);
        small.open();
        assertThat(small.refusal()).isEmpty();
        assertThat(small.report(0).shortOfMemory()).isFalse();
        // when 63 are left
        left.set(63L << 20);
        // then a webhook and an adoption are refused, with the reason
        String reason = "short of memory: 63 MB left, and new calls need 64 MB";
        assertThat(small.refusal()).contains(reason);
        assertThat(small.admit(call(1), ACME, () -> generation(1, 1), seconds(60), NOW))
                .isEqualTo(new Admitted.Refused(reason));
        assertThat(small.openUnheld(call(2), ACME, generation(1, 2), generation(1, 9), NOW, seconds(60), NOW))
                .isEqualTo(new Admitted.Refused(reason));
        assertThat(small.report(0).shortOfMemory()).isTrue();
        // and a claim that was given is kept
        assertThat(small.openHeld(call(3), ACME, generation(1, 3), seconds(60), NOW))
                .isInstanceOf(Admitted.Fresh.class);
        // and with 64 all is well again
        left.set(64L << 20);
        assertThat(small.refusal()).isEmpty();
    }

    @Test
    void the_same_call_gets_the_same_seat() {
        admission.open();
        Seat seat = fresh(admit(1));
        assertThat(admit(1)).isEqualTo(new Admitted.Known(seat));
        assertThat(admission.used()).isEqualTo(1);
    }

    @Test
    void claims_read_from_the_table_and_those_known_here_count_once_each() {
        admission.open();
        admit(1);
        admit(2);
        admission.observe(claims(2, 3, 4), NOW, NOW);
        assertThat(admission.used()).isEqualTo(4);
        admit(5);
        admit(6);
        assertThat(admit(7)).isEqualTo(new Admitted.Refused("full: 6 of 6 slots"));
    }

    @Test
    void a_call_that_others_placed_here_is_not_admitted_a_second_time() {
        admission.open();
        admission.observe(claims(1), NOW, NOW);
        assertThat(admit(1)).isEqualTo(new Admitted.Refused("the call has another claim here"));
    }

    @Test
    void a_held_claim_is_let_in_when_full_and_when_closed_but_not_when_sealed() {
        admission.open();
        IntStream.rangeClosed(1, 6).forEach(this::admit);
        admission.close("draining");
        assertThat(open(9)).isInstanceOf(Admitted.Fresh.class);
        Admission empty = new Admission(6, NOW);
        assertThat(empty.seal()).isTrue();
        assertThat(empty.openHeld(call(1), ACME, generation(1, 1), seconds(60), NOW))
                .isEqualTo(new Admitted.Refused("drained"));
        assertThat(empty.relayStarted()).isFalse();
        empty.unseal();
        assertThat(empty.relayStarted()).isTrue();
    }

    @Test
    void a_held_claim_beyond_the_limit_is_refused_while_the_table_does_not_know_every_call_here() {
        // given six calls admitted while the table could not be reached
        admission.open();
        IntStream.rangeClosed(1, 5).forEach(n -> open(fresh(admit(n))));
        Seat waiting = fresh(admit(6));
        admission.answered(waiting);
        // when the table, which knows of none of them, has given a slot to a seventh
        assertThat(open(9)).isEqualTo(new Admitted.Refused("full: 6 calls are here already"));
        // then their own streams are let in, and the seventh once one of them is over
        open(waiting);
        assertThat(admission.connected(waiting, NOW)).isTrue();
        assertThat(open(9)).isInstanceOf(Admitted.Refused.class);
        admission.closing(waiting, NOW);
        assertThat(open(9)).isInstanceOf(Admitted.Fresh.class);
    }

    @Test
    void it_is_sealed_only_while_closed_and_quiet() {
        admission.open();
        assertThat(admission.seal()).as("open").isFalse();
        Seat seat = fresh(admit(1));
        admission.close("draining");
        assertThat(admission.seal()).as("a setup").isFalse();
        seat.claimIsKnown(NOW);
        admission.answered(seat);
        open(seat);
        assertThat(admission.seal()).as("an opening stream").isFalse();
        admission.connected(seat, NOW);
        assertThat(admission.seal()).as("a live call").isFalse();
        admission.closing(seat, NOW);
        assertThat(admission.seal()).as("cleanup").isFalse();
        admission.ended(seat, NOW);
        admission.relayStarted();
        assertThat(admission.seal()).as("a relay").isFalse();
        admission.relayEnded();
        assertThat(admission.seal()).isTrue();
    }

    @Test
    void a_claim_that_only_this_process_knows_keeps_it_from_being_sealed() {
        admission.open();
        Seat seat = fresh(admit(1));
        admission.answered(seat);
        admission.close("draining");
        assertThat(admission.report(0).setups()).isEqualTo(1);
        assertThat(admission.seal()).isFalse();
        assertThat(admission.owing()).containsExactly(seat);
        seat.claimIsKnown(NOW);
        assertThat(admission.report(0).setups()).isZero();
        assertThat(admission.seal())
                .as("the table's own claims keep DRAINED from being written")
                .isTrue();
    }

    @Test
    void the_end_of_each_call_tells_once_that_its_slot_is_free() {
        admission.open();
        List<Seat> seats = new ArrayList<>();
        IntStream.rangeClosed(1, 6).forEach(n -> seats.add(fresh(admit(n))));
        assertThat(admission.ended(seats.get(0), NOW)).isTrue();
        assertThat(admission.ended(seats.get(0), NOW)).isFalse();
        assertThat(admission.ended(seats.get(1), NOW)).isTrue();
    }

    @Test
    void a_claim_written_after_the_table_was_asked_is_not_missed_in_its_answer() {
        admission.open();
        Seat seat = fresh(admit(1));
        seat.claimIsKnown(seconds(5));
        admission.answered(seat);
        assertThat(admission.observe(Map.of(), seconds(4), seconds(6))).isEmpty();
        assertThat(admission.observe(Map.of(), seconds(6), seconds(7))).containsExactly(seat);
        assertThat(admission.used()).isZero();
    }

    @Test
    void a_generation_is_opened_once_however_it_comes() {
        admission.open();
        assertThat(open(1)).isInstanceOf(Admitted.Fresh.class);
        assertThat(open(1)).isInstanceOf(Admitted.Refused.class);
        assertThat(admission.openUnheld(call(1), ACME, generation(1, 1), generation(1, 99), NOW, seconds(60), NOW))
                .isInstanceOf(Admitted.Refused.class);
    }

    @Test
    void a_drain_and_a_call_at_the_same_moment_have_exactly_one_winner() throws Exception {
        for (int round = 0; round < 500; round++) {
            Admission racing = new Admission(6, NOW);
            racing.open();
            CyclicBarrier start = new CyclicBarrier(2);
            var drain = CompletableFuture.supplyAsync(() -> {
                await(start);
                racing.close("draining");
                return racing.seal();
            });
            await(start);
            boolean admitted =
                    racing.admit(call(1), ACME, () -> generation(1, 1), seconds(60), NOW) instanceof Admitted.Fresh;
            assertThat(drain.get()).isNotEqualTo(admitted);
        }
    }

    @Test
    void a_drain_and_a_claimed_stream_at_the_same_moment_have_exactly_one_winner() throws Exception {
        for (int round = 0; round < 500; round++) {
            Admission racing = new Admission(6, NOW);
            CyclicBarrier start = new CyclicBarrier(2);
            var drain = CompletableFuture.supplyAsync(() -> {
                await(start);
                return racing.seal();
            });
            await(start);
            boolean opened =
                    racing.openHeld(call(1), ACME, generation(1, 1), seconds(60), NOW) instanceof Admitted.Fresh;
            assertThat(drain.get()).isNotEqualTo(opened);
        }
    }

    @Test
    void a_call_admitted_without_the_table_goes_elsewhere_if_claimed_ones_took_the_last_room_while_it_was_asked() {
        // given two calls, and a third whose claim is being written
        Admission three = new Admission(3, NOW);
        three.open();
        for (int n = 1; n <= 2; n++) {
            open(three, n);
        }
        Seat owed = fresh(three.admit(call(3), ACME, () -> generation(1, 3), seconds(60), NOW));
        // when the table gives the last slot to another call, whose stream comes, and does not answer for the third
        open(three, 4);
        // then the third is not let in
        assertThat(three.answered(owed)).isFalse();
    }

    @Test
    void a_claimed_stream_beyond_the_limit_is_refused_though_its_webhook_was_answered_here() {
        // given a call that was answered and waits for its stream, and one in conversation
        Admission three = new Admission(3, NOW);
        three.open();
        Seat answered = fresh(three.admit(call(1), ACME, () -> generation(1, 1), seconds(60), NOW));
        answered.claimIsKnown(NOW);
        assertThat(three.answered(answered)).isTrue();
        open(three, 2);
        // and a third that is admitted without the table, while the table gives the last slot to a fourth
        Seat owed = fresh(three.admit(call(3), ACME, () -> generation(1, 3), seconds(60), NOW));
        open(three, 4);
        assertThat(three.answered(owed)).isTrue();
        // then three calls have this container's word
        assertThat(three.openHeld(call(1), ACME, generation(1, 1), seconds(60), NOW))
                .isEqualTo(new Admitted.Refused("full: 3 calls are here already"));
        assertThat(three.openHeld(call(3), ACME, generation(1, 3), seconds(60), NOW))
                .isInstanceOf(Admitted.Fresh.class);
    }

    private static void open(Admission admission, int n) {
        assertThat(admission.openHeld(call(n), ACME, generation(1, n), seconds(60), NOW))
                .isInstanceOf(Admitted.Fresh.class);
    }

    private Admitted admit(int n) {
        return admission.admit(call(n), ACME, () -> generation(1, n), seconds(60), NOW);
    }

    private Admitted open(int n) {
        return admission.openHeld(call(n), ACME, generation(1, n), seconds(60), NOW);
    }

    private void open(Seat seat) {
        admission.openHeld(seat.sid(), seat.tenant(), seat.generation(), seat.expiry(), NOW);
    }

    private static Seat fresh(Admitted admitted) {
        return ((Admitted.Fresh) admitted).seat();
    }

    private static Map<ClaimKey, Claim> claims(int... calls) {
        Map<ClaimKey, Claim> claims = new HashMap<>();
        for (int n : calls) {
            claims.put(call(n), Claim.reserved(generation(1, n), ACME, NOW, NOW));
        }
        return claims;
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
