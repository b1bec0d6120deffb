package dev.spillway.core.attempt;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.BLOOM;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Step.Kind;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.routing.CallAnswering;
import dev.spillway.core.routing.CallAnswering.Asked;
import dev.spillway.core.scaling.Growth;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the flows tell of each call, step by step, and that telling costs nothing. */
class StoriesOfCallsTest {
    private static final CallSid CALL = call(1);
    private static final CallerHash ANN = new CallerHash("aaaaaaaaaaaaaaaaaaaaaa");

    private final MemoryTable table = new MemoryTable();
    private final CallAnswering answering = new CallAnswering(
            table.pools(),
            table.containers(),
            table.calls(),
            table.announcements(),
            table.generations(),
            table.journal(),
            Timing.STANDARD);
    private final CallEnding ending = new CallEnding(
            table.calls(), table.containers(), table.announcements(), table.conversations(), table.journal());
    private final AttemptListing listing = new AttemptListing(table.listing());

    @BeforeEach
    void anEmptyPoolAndThreeGatewayContainers() {
        table.put(acme());
        table.put(gateway());
        for (int n = 1; n <= 3; n++) {
            table.put(ready(PoolId.GATEWAY, "gw" + n));
        }
    }

    private Answer ask(CallSid sid, int fromHop, boolean turnedAway, String cause, Instant now) {
        return answering
                .answer(new Asked(ACME, sid, fromHop, cause, turnedAway, ANN), now)
                .answer();
    }

    private List<Step> steps(CallSid sid) {
        return table.look(ACME, sid).story().steps();
    }

    private Step last(CallSid sid) {
        return steps(sid).getLast();
    }

    @Test
    void a_call_that_a_container_turned_away_is_told_from_its_door_on() {
        ask(CALL, 0, true, "fallback, Twilio error 11200", NOW);

        Slots none = new Slots(ACME_POOL, 0, 0, 0, 0, 0);
        assertThat(steps(CALL))
                .containsExactly(
                        Step.refused(0, ACME_POOL, Cause.FULL, none, "fallback, Twilio error 11200", NOW),
                        Step.held(
                                1,
                                container("gw1"),
                                Cause.FULL,
                                none,
                                "fallback, Twilio error 11200: no free slot in the tenant's pool",
                                NOW));
        assertThat(table.look(ACME, CALL).story().caller()).isEqualTo(ANN);
    }

    @Test
    void a_story_costs_no_further_read_and_no_further_write() {
        ask(CALL, 0, true, "fallback", NOW);

        assertThat(table.operations().log())
                .containsExactly(
                        Operation.CALLS_BEGIN,
                        Operation.POOLS_READ,
                        Operation.POOLS_READ,
                        Operation.CONTAINERS_CLAIM,
                        Operation.CALLS_PLACE);
    }

    @Test
    void a_repeated_webhook_tells_nothing_twice() {
        ask(CALL, 0, true, "fallback", NOW);
        ask(CALL, 0, true, "fallback", seconds(2));

        assertThat(steps(CALL)).hasSize(2);
    }

    @Test
    void a_call_whose_first_webhook_came_here_and_that_got_a_slot_of_its_pool_was_admitted() {
        table.put(ready(ACME_POOL, "a1"));

        ask(CALL, 0, false, "fallback", NOW);

        assertThat(steps(CALL))
                .containsExactly(Step.admitted(
                        1, ACME_POOL, container("a1"), "fallback: the tenant's pool has a free slot", NOW));
    }

    @Test
    void a_call_held_without_a_claim_names_no_container() {
        ask(CALL, 0, false, "fallback", seconds(31));

        assertThat(last(CALL).kind()).isEqualTo(Kind.HELD);
        assertThat(last(CALL).container()).isNull();
        assertThat(last(CALL).pool()).isEqualTo(PoolId.GATEWAY);
    }

    @Test
    void a_call_that_finds_the_gateway_full_is_refused_with_the_gateways_slots() {
        for (int n = 1; n <= 3; n++) {
            table.put(withCalls(ready(PoolId.GATEWAY, "gw" + n), BLOOM, 100 * n, 6));
        }

        ask(CALL, 0, false, "fallback", NOW);

        assertThat(last(CALL).kind()).isEqualTo(Kind.REFUSED);
        assertThat(last(CALL).cause()).isEqualTo(Cause.FULL);
        assertThat(last(CALL).slots()).isEqualTo(new Slots(PoolId.GATEWAY, 18, 0, 0, 0, 18));
        assertThat(last(CALL).isTurnedAway()).isFalse();
    }

    @Test
    void a_call_that_its_tenants_share_keeps_out_is_refused_for_fairness() {
        table.put(withCalls(ready(PoolId.GATEWAY, "gw1"), ACME, 100, 6));
        table.put(withCalls(ready(PoolId.GATEWAY, "gw2"), ACME, 200, 6));

        ask(CALL, 0, false, "fallback", NOW);

        assertThat(last(CALL).cause()).isEqualTo(Cause.FAIRNESS);
        assertThat(last(CALL).slots()).isEqualTo(new Slots(PoolId.GATEWAY, 12, 0, 0, 0, 18));
    }

    @Test
    void a_call_whose_container_fell_silent_moved_and_says_why_it_is_held_again() {
        ask(CALL, 0, false, "fallback", NOW);
        table.put(aliveUntil(table.look(PoolId.GATEWAY, container("gw1")), seconds(9)));

        ask(CALL, 1, false, "continue of hop 1", seconds(10));

        assertThat(last(CALL).kind()).isEqualTo(Kind.MOVED);
        assertThat(last(CALL).hop()).isEqualTo(2);
        assertThat(last(CALL).container()).isEqualTo(container("gw2"));
        assertThat(last(CALL).cause()).isEqualTo(Cause.FULL);
    }

    @Test
    void a_call_that_goes_in_circles_is_refused_since_something_is_broken() {
        ask(CALL, 0, false, "fallback", NOW);
        for (int hop = 1; hop <= 4; hop++) {
            ask(CALL, hop, false, "continue of hop " + hop, seconds(hop * 5L));
        }

        assertThat(last(CALL).kind()).isEqualTo(Kind.REFUSED);
        assertThat(last(CALL).cause()).isEqualTo(Cause.DEPENDENCY);
        assertThat(last(CALL).reason()).contains("moved 3 times");
    }

    @Test
    void a_hand_off_is_told_from_the_hold_to_the_end() {
        Growth growth = new Growth(
                table.pools(),
                table.containers(),
                table.fleet(),
                table.announcements(),
                table.journal(),
                Timing.STANDARD);
        HandOff handOff = new HandOff(
                table.pools(), table.containers(), table.calls(), growth, table.generations(), table.journal());
        Answer.Stream first = (Answer.Stream) ask(CALL, 0, true, "fallback", NOW);
        table.calls().connect(ACME, CALL, first.generation(), List.of(Step.connected(first, "as sent")));
        table.put(ready(ACME_POOL, "a1"));
        handOff.run(ACME, seconds(20));
        Answer.Stream second = (Answer.Stream) ask(CALL, 1, false, "continue of hop 1", seconds(22));
        table.calls().connect(ACME, CALL, second.generation(), List.of(Step.connected(second, "as sent")));
        ending.end(ACME, CALL, FinalStatus.COMPLETED, seconds(28));

        assertThat(steps(CALL))
                .extracting(Step::kind)
                .containsExactly(
                        Kind.REFUSED, Kind.HELD, Kind.CONNECTED, Kind.OFFERED, Kind.MOVED, Kind.CONNECTED, Kind.ENDED);
        assertThat(steps(CALL)).extracting(Step::hop).containsExactly(0, 1, 1, 1, 2, 2, 2);
        assertThat(steps(CALL).get(4))
                .isEqualTo(Step.moved(
                        2,
                        ACME_POOL,
                        container("a1"),
                        "continue of hop 1: this slot was offered to the call",
                        seconds(22)));
        assertThat(last(CALL).reason()).isEqualTo("completed: call status COMPLETED");
    }

    @Test
    void a_caller_who_heard_busy_and_calls_again_is_one_caller_with_two_attempts() {
        for (int n = 1; n <= 3; n++) {
            table.put(withCalls(ready(PoolId.GATEWAY, "gw" + n), BLOOM, 100 * n, 6));
        }
        ask(CALL, 0, true, "fallback", NOW);
        ending.end(ACME, CALL, FinalStatus.COMPLETED, seconds(6));
        table.put(ready(PoolId.GATEWAY, "gw1"));
        ask(call(2), 0, true, "fallback", seconds(25));

        var listed = listing.list(ACME, NOW, null, 10, seconds(40));

        assertThat(listed.attempts()).hasSize(2);
        assertThat(listed.attempts().getFirst().first()).isNull();
        assertThat(listed.attempts().getLast().first()).isEqualTo(CALL.value());
        assertThat(listed.summary().orElseThrow().offered()).isEqualTo(2);
        assertThat(listed.summary().orElseThrow().open()).isEqualTo(1);
        assertThat(listed.summary().orElseThrow().inbound().retries()).isEqualTo(1);
        assertThat(listed.summary().orElseThrow().inbound().refused()).isEqualTo(1);
        assertThat(listed.summary().orElseThrow().inbound().turnedAway()).isEqualTo(2);
        assertThat(listed.summary().orElseThrow().inbound().refusedFor()).containsOnlyKeys(Cause.FULL);
    }
}
