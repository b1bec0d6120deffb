package dev.spillway.core.routing;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.job;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.contract.AtOnce;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.Placed;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.routing.CallAnswering.Answered;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CallAnsweringTest {
    private static final CallSid CALL = call(1);

    private final MemoryTable table = new MemoryTable();
    private final CallAnswering answering = new CallAnswering(
            table.pools(),
            table.containers(),
            table.calls(),
            table.announcements(),
            table.generations(),
            table.journal(),
            Timing.STANDARD);

    @BeforeEach
    void anEmptyPoolAndThreeGatewayContainers() {
        table.put(acme());
        table.put(gateway());
        for (int n = 1; n <= 3; n++) {
            table.put(ready(PoolId.GATEWAY, "gw" + n));
        }
    }

    private Answered overflow() {
        return answering.answer(ACME, CALL, 0, "503", NOW);
    }

    private static Answer.Stream stream(Answered answered) {
        assertThat(answered.answer()).isInstanceOf(Answer.Stream.class);
        return (Answer.Stream) answered.answer();
    }

    private long claimsOf(CallSid sid, PoolId pool) {
        return table.look(pool).containers().stream()
                .filter(container -> container.claims().containsKey(sid))
                .count();
    }

    @Test
    void a_call_that_overflows_is_answered_by_the_gateway_and_announced() {
        Answered answered = overflow();

        assertThat(answered.hop()).isEqualTo(1);
        Answer.Stream stream = stream(answered);
        assertThat(stream.pool()).isEqualTo(PoolId.GATEWAY);
        assertThat(stream.container()).isEqualTo(container("gw1"));
        assertThat(stream.expiry()).isEqualTo(seconds(60));
        Claim claim = table.look(PoolId.GATEWAY, container("gw1")).claims().get(CALL);
        assertThat(claim).isEqualTo(Claim.reserved(stream.generation(), ACME, NOW, NOW));
        Call call = table.look(ACME, CALL);
        assertThat(call.hop()).isEqualTo(1);
        assertThat(call.current()).contains(stream);
        assertThat(table.announced()).containsExactly(new CallOverflowed(ACME, CALL, 1, Placed.GATEWAY, NOW));
    }

    @Test
    void a_slot_that_a_webhook_claimed_and_did_not_get_to_say_so_is_the_calls_all_the_same() {
        // given a gateway whose only slots that the call may have are on the container where it has a claim already
        table.put(withCalls(ready(PoolId.GATEWAY, "gw1"), ACME, 10, LIMIT));
        table.put(withCalls(ready(PoolId.GATEWAY, "gw2"), ACME, 20, LIMIT));
        Claim orphan = Claim.reserved(generation(1, 7), ACME, seconds(-3), seconds(-3));
        table.put(ready(PoolId.GATEWAY, "gw3").withClaims(Map.of(CALL, orphan)));

        Answer.Stream stream = stream(overflow());

        assertThat(stream.container()).isEqualTo(container("gw3"));
        assertThat(table.look(PoolId.GATEWAY, container("gw3")).claims().get(CALL))
                .as("one claim, of the answer that stands")
                .isEqualTo(Claim.reserved(stream.generation(), ACME, NOW, NOW));
    }

    @Test
    void a_call_out_that_comes_back_is_named_with_its_job_in_its_claim_and_in_the_log() {
        table.put(Call.dialled(job(1), CALL, NOW));

        overflow();

        assertThat(table.look(PoolId.GATEWAY, container("gw1")).claims().get(CALL))
                .extracting(Claim::job)
                .isEqualTo(job(1));
        assertThat(table.written("answered"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.fields())
                        .containsEntry("job", job(1).value())
                        .containsEntry("callSid", CALL.value()));
    }

    @Test
    void an_overflow_costs_two_reads_and_three_writes() {
        overflow();

        assertThat(table.operations().log())
                .containsExactly(
                        Operation.CALLS_BEGIN,
                        Operation.POOLS_READ,
                        Operation.POOLS_READ,
                        Operation.CONTAINERS_CLAIM,
                        Operation.CALLS_PLACE);
        assertThat(table.operations().reads()).isEqualTo(2);
        assertThat(table.operations().writes()).isEqualTo(3);
    }

    @Test
    void the_attempt_is_written_before_it_is_decided() {
        table.operations().failAll(operation -> operation == Operation.POOLS_READ);

        assertThatThrownBy(this::overflow).isInstanceOf(DependencyException.class);

        assertThat(table.look(ACME, CALL)).isEqualTo(Call.arrived(ACME, CALL, NOW));
    }

    @Test
    void a_free_slot_in_the_tenants_pool_is_taken_without_an_announcement() {
        table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 100, 5));

        Answer.Stream stream = stream(overflow());

        assertThat(stream.pool()).isEqualTo(ACME_POOL);
        assertThat(stream.container()).isEqualTo(container("a1"));
        assertThat(table.announced()).isEmpty();
    }

    @Test
    void the_same_webhook_twice_gets_the_same_answer_with_one_claim_and_one_attempt() {
        Answered first = overflow();
        Answered again = answering.answer(ACME, CALL, 0, "503", seconds(2));

        assertThat(again).isEqualTo(first);
        assertThat(claimsOf(CALL, PoolId.GATEWAY)).isEqualTo(1);
        assertThat(table.attempts()).isEqualTo(1);
        assertThat(table.announced()).hasSize(1);
    }

    @Test
    void of_two_webhooks_for_one_hop_that_both_hold_a_claim_one_answer_stands_and_the_other_claim_goes_back() {
        CyclicBarrier bothClaimed = new CyclicBarrier(2);
        for (int nth = 1; nth <= 2; nth++) {
            table.operations().on(Operation.CALLS_PLACE, nth, Moment.BEFORE, () -> await(bothClaimed));
        }

        List<Answered> answers = AtOnce.run(2, n -> overflow());

        assertThat(answers.get(0)).isEqualTo(answers.get(1));
        assertThat(table.operations().count(Operation.CONTAINERS_RELEASE)).isEqualTo(1);
        assertThat(claimsOf(CALL, PoolId.GATEWAY)).isEqualTo(1);
        Answer.Stream stands = stream(answers.get(0));
        Container holder = table.look(PoolId.GATEWAY, container(String.valueOf(stands.container())));
        assertThat(holder.claims())
                .containsExactly(Map.entry(CALL, Claim.reserved(stands.generation(), ACME, NOW, NOW)));
        assertThat(table.attempts()).isEqualTo(1);
        assertThat(table.announced()).hasSize(1);
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void of_32_webhooks_for_one_call_all_get_one_answer_and_one_claim_remains() {
        List<Answered> answers = AtOnce.run(32, n -> overflow());

        assertThat(answers).containsOnly(answers.getFirst());
        assertThat(claimsOf(CALL, PoolId.GATEWAY)).isEqualTo(1);
        assertThat(table.attempts()).isEqualTo(1);
    }

    @Test
    void twenty_calls_at_once_never_exceed_a_containers_limit() {
        table.put(ready(ACME_POOL, "a1"));
        table.put(ready(ACME_POOL, "a2"));

        List<Answered> answers = AtOnce.run(20, n -> answering.answer(ACME, call(n), 0, "503", NOW));

        for (PoolId pool : List.of(ACME_POOL, PoolId.GATEWAY)) {
            assertThat(table.look(pool).containers())
                    .allMatch(container -> container.claims().size() <= LIMIT);
        }
        assertThat(answers.stream().filter(one -> one.answer() instanceof Answer.Stream))
                .hasSize(20);
        assertThat(table.look(ACME_POOL).claimsOnClaimable(NOW)).isEqualTo(12);
    }

    @Test
    void a_slot_lost_to_another_call_leads_to_the_next_container() {
        table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 100, 5));
        table.put(ready(ACME_POOL, "a2"));
        table.operations()
                .on(
                        Operation.CONTAINERS_CLAIM,
                        1,
                        Moment.BEFORE,
                        () -> table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 100, 6)));

        assertThat(stream(overflow()).container()).isEqualTo(container("a2"));
    }

    @Test
    void a_call_whose_container_crashed_continues_elsewhere_and_the_repeat_of_that_hop_gets_the_stored_answer() {
        Answer.Stream first = stream(overflow());
        table.containers().connect(PoolId.GATEWAY, container("gw1"), CALL, first.generation());
        table.calls().connect(ACME, CALL, first.generation());
        table.put(aliveUntil(table.look(PoolId.GATEWAY, container("gw1")), seconds(9)));

        Answered next = answering.answer(ACME, CALL, 1, "redirect", seconds(10));

        assertThat(next.hop()).isEqualTo(2);
        assertThat(stream(next).container()).isEqualTo(container("gw2"));
        assertThat(stream(next).generation().hop()).isEqualTo(2);
        assertThat(answering.answer(ACME, CALL, 1, "redirect", seconds(12))).isEqualTo(next);
        assertThat(answering.answer(ACME, CALL, 0, "late retry", seconds(12))).isEqualTo(new Answered(1, first));
        assertThat(table.look(ACME, CALL).hop()).isEqualTo(2);
    }

    @Test
    void a_call_of_which_nothing_was_recorded_goes_on_from_the_hop_it_comes_back_from() {
        Answered continued = answering.answer(ACME, CALL, 1, "continue", NOW);
        Answered repeated = answering.answer(ACME, CALL, 1, "continue", seconds(1));

        assertThat(continued.hop()).isEqualTo(2);
        assertThat(stream(continued).generation().hop()).isEqualTo(2);
        assertThat(repeated).isEqualTo(continued);
        assertThat(claimsOf(CALL, PoolId.GATEWAY)).isEqualTo(1);
        assertThat(table.look(ACME, CALL).hop()).isEqualTo(2);
    }

    @Test
    void a_call_whose_stream_did_not_open_is_sent_to_the_slot_that_waits_for_it_once_more_and_then_elsewhere() {
        Answer.Stream first = stream(overflow());

        Answer.Stream second = stream(answering.answer(ACME, CALL, 1, "stream error 31920", seconds(1)));
        Answer.Stream third = stream(answering.answer(ACME, CALL, 2, "stream error 31920", seconds(2)));

        assertThat(second.container()).isEqualTo(first.container());
        assertThat(second.generation()).isNotEqualTo(first.generation());
        assertThat(third.container()).isNotEqualTo(first.container());
        assertThat(table.look(PoolId.GATEWAY, container(String.valueOf(first.container())))
                        .claims())
                .isEmpty();
        assertThat(claimsOf(CALL, PoolId.GATEWAY)).isEqualTo(1);
    }

    @Test
    void a_full_container_of_the_calls_own_pool_still_has_the_slot_that_waits_for_it() {
        // given a container whose last slot the call was given, and whose stream did not open
        table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 100, 5));
        Answer.Stream first = stream(overflow());
        assertThat(first.container()).isEqualTo(container("a1"));

        Answer.Stream second = stream(answering.answer(ACME, CALL, 1, "stream error 31920", seconds(1)));

        assertThat(second.container()).isEqualTo(container("a1"));
        assertThat(table.look(ACME_POOL, container("a1")).claims())
                .containsEntry(CALL, Claim.reserved(second.generation(), ACME, NOW, seconds(1)));
    }

    private Offer offered() {
        Answer.Stream first = stream(overflow());
        Offer offer = new Offer(container("a1"), generation(2, 5), seconds(60));
        table.put(ready(ACME_POOL, "a1"));
        table.calls().connect(ACME, CALL, first.generation());
        table.calls().offer(ACME, CALL, 1, offer);
        table.containers()
                .claim(
                        ACME_POOL,
                        offer.container(),
                        CALL,
                        Claim.reserved(offer.generation(), ACME, NOW, NOW),
                        LIMIT,
                        NOW);
        return offer;
    }

    @Test
    void an_offered_slot_is_taken_with_the_claim_that_waits_there() {
        Offer offer = offered();
        table.operations().clearLog();

        Answered next = answering.answer(ACME, CALL, 1, "hand-off", seconds(20));

        assertThat(next.hop()).isEqualTo(2);
        assertThat(stream(next).container()).isEqualTo(offer.container());
        assertThat(stream(next).generation()).isEqualTo(offer.generation());
        assertThat(table.operations().count(Operation.CONTAINERS_CLAIM)).isZero();
        assertThat(table.look(ACME, CALL).offer()).isNull();
        assertThat(table.look(ACME_POOL, container("a1")).claims()).hasSize(1);
    }

    @Test
    void two_webhooks_for_an_offered_slot_keep_its_claim() {
        Offer offer = offered();

        List<Answered> answers = AtOnce.run(8, n -> answering.answer(ACME, CALL, 1, "hand-off", seconds(20)));

        assertThat(answers).allMatch(one -> stream(one).generation().equals(offer.generation()));
        assertThat(table.look(ACME_POOL, container("a1")).claims()).containsOnlyKeys(CALL);
    }

    @Test
    void an_offer_that_is_not_taken_gives_its_slot_back() {
        Offer offer = offered();
        table.put(aliveUntil(table.look(ACME_POOL, offer.container()), seconds(19)));

        Answered next = answering.answer(ACME, CALL, 1, "redirect", seconds(20));

        assertThat(stream(next).pool()).isEqualTo(PoolId.GATEWAY);
        assertThat(table.look(ACME_POOL, offer.container()).claims()).isEmpty();
        assertThat(table.look(ACME, CALL).offer()).isNull();
    }

    @Test
    void when_the_reply_of_the_placement_is_lost_the_retried_webhook_gets_what_was_stored() {
        table.operations().fail(Operation.CALLS_PLACE, 1, Moment.AFTER);
        assertThatThrownBy(this::overflow).isInstanceOf(DependencyException.class);

        Answered again = overflow();

        assertThat(again.hop()).isEqualTo(1);
        assertThat(table.look(ACME, CALL).current()).contains(again.answer());
        assertThat(claimsOf(CALL, PoolId.GATEWAY)).isEqualTo(1);
    }

    @Test
    void when_the_placement_failed_before_it_took_effect_the_retried_webhook_places_the_call() {
        table.operations().fail(Operation.CALLS_PLACE, 1, Moment.BEFORE);
        assertThatThrownBy(this::overflow).isInstanceOf(DependencyException.class);

        Answered again = overflow();

        assertThat(again.hop()).isEqualTo(1);
        Answer.Stream stands = stream(again);
        Claim claim = table.look(PoolId.GATEWAY, container(String.valueOf(stands.container())))
                .claims()
                .get(CALL);
        assertThat(claim).isNotNull();
        assertThat(claim.generation()).isEqualTo(stands.generation());
    }

    @Test
    void with_every_gateway_heartbeat_expired_the_call_is_answered_without_a_claim() {
        Answered answered = answering.answer(ACME, CALL, 0, "503", seconds(31));

        assertThat(stream(answered).pool()).isEqualTo(PoolId.GATEWAY);
        assertThat(stream(answered).container()).isNull();
        assertThat(table.announced()).containsExactly(new CallOverflowed(ACME, CALL, 1, Placed.UNCLAIMED, seconds(31)));
        assertThat(table.operations().count(Operation.CONTAINERS_CLAIM)).isZero();
    }

    @Test
    void a_full_gateway_says_busy_and_announces_it() {
        for (int n = 1; n <= 3; n++) {
            table.put(withCalls(
                    ready(PoolId.GATEWAY, "gw" + n), new dev.spillway.core.tenant.TenantId("bloom"), 100 * n, 6));
        }

        Answered answered = overflow();

        assertThat(answered.answer()).isEqualTo(new Answer.Busy(NOW));
        assertThat(table.announced()).containsExactly(new CallOverflowed(ACME, CALL, 1, Placed.BUSY, NOW));
        assertThat(table.look(ACME, CALL).current()).contains(new Answer.Busy(NOW));
    }

    @Test
    void a_finished_call_hangs_up() {
        overflow();
        table.calls().finish(ACME, CALL);

        Answered next = answering.answer(ACME, CALL, 1, "redirect", seconds(30));

        assertThat(next).isEqualTo(new Answered(2, new Answer.HangUp(seconds(30))));
    }

    @Test
    void a_webhook_for_an_ended_call_hangs_up_and_claims_nothing() {
        overflow();
        table.calls().end(ACME, CALL, Outcome.ABANDONED, seconds(5));
        table.operations().clearLog();

        Answered next = answering.answer(ACME, CALL, 1, "redirect", seconds(6));

        assertThat(next.answer()).isInstanceOf(Answer.HangUp.class);
        assertThat(table.operations().count(Operation.CONTAINERS_CLAIM)).isZero();
        assertThat(table.look(ACME, CALL).hop()).isEqualTo(1);
    }

    @Test
    void a_call_that_ends_while_it_is_being_placed_gives_its_slot_back() {
        table.operations()
                .on(
                        Operation.CALLS_PLACE,
                        1,
                        Moment.BEFORE,
                        () -> table.calls().end(ACME, CALL, Outcome.ABANDONED, NOW));

        assertThat(overflow().answer()).isInstanceOf(Answer.HangUp.class);
        assertThat(claimsOf(CALL, PoolId.GATEWAY)).isZero();
    }

    @Test
    void the_third_move_within_a_minute_is_the_last() {
        overflow();
        for (int hop = 1; hop <= 3; hop++) {
            assertThat(answering
                            .answer(ACME, CALL, hop, "redirect", seconds(hop * 10L))
                            .answer())
                    .isInstanceOf(Answer.Stream.class);
        }

        Answered last = answering.answer(ACME, CALL, 4, "redirect", seconds(40));

        assertThat(last.answer()).isInstanceOf(Answer.Apology.class);
        assertThat(claimsOf(CALL, PoolId.GATEWAY)).isZero();
    }

    @Test
    void a_call_on_its_own_draining_container_is_not_sent_to_it_again() {
        table.put(ready(ACME_POOL, "a1").withState(ContainerState.DRAINING, "deployment", NOW));

        assertThat(stream(overflow()).pool()).isEqualTo(PoolId.GATEWAY);
    }

    @Test
    void a_call_that_its_agent_gave_to_another_number_is_told_so_and_ends_once_somebody_there_has_talked() {
        overflow();
        Answer.Transfer transfer = new Answer.Transfer("+15005550009", seconds(20));
        table.calls().place(ACME, CALL, 1, transfer);

        assertThat(answering.answer(ACME, CALL, 1, "redirect", seconds(21))).isEqualTo(new Answered(2, transfer));
        Answered after = answering.answer(
                new CallAnswering.Asked(ACME, CALL, 2, "transfer completed", false, null, true), seconds(90));

        assertThat(after).isEqualTo(new Answered(3, new Answer.HangUp(seconds(90))));
        assertThat(transfer.toString()).doesNotContain("500555");
    }

    @Test
    void a_call_that_was_given_to_a_number_where_nobody_answers_comes_back_to_an_agent() {
        overflow();
        table.calls().place(ACME, CALL, 1, new Answer.Transfer("+15005550008", seconds(20)));

        Answered after = answering.answer(ACME, CALL, 2, "transfer no-answer", seconds(50));

        assertThat(after.hop()).isEqualTo(3);
        assertThat(after.answer()).isInstanceOf(Answer.Stream.class);
    }
}
