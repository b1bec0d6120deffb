package dev.spillway.core.handoff;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.BLOOM;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.Timing;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.Crash;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.Growth;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HandOffTest {
    private static MemoryTable tableWith(ScaleOutRule rule, int desired, Container... own) {
        MemoryTable table = new MemoryTable();
        table.put(acme(rule, desired));
        table.put(gateway());
        for (Container container : own) {
            table.put(container);
        }
        return table;
    }

    @Test
    void a_tenants_longest_held_call_is_its_oldest_on_the_gateway() {
        MemoryTable table = tableWith(ScaleOutRule.DEMAND, 0);
        table.put(aliveUntil(
                withCalls(withCalls(ready(PoolId.GATEWAY, "g1"), ACME, 1, 2), BLOOM, 30, 1), seconds(400)));

        assertThat(HeldCall.longest(table.look(PoolId.GATEWAY), seconds(301)))
                .containsOnly(Map.entry(ACME, Duration.ofSeconds(300)), Map.entry(BLOOM, Duration.ofSeconds(271)));
    }

    /** Calls 1 to {@code count} of acme are connected on one gateway container; the last of them arrived first. */
    private static void hold(MemoryTable table, int count) {
        Map<ClaimKey, Claim> claims = new HashMap<>();
        for (int n = 1; n <= count; n++) {
            claims.put(call(n), Claim.connected(generation(1, n), ACME, seconds(-n), seconds(-n)));
            table.put(new Call(
                    ACME,
                    call(n),
                    seconds(-n),
                    1,
                    Map.of(1, stream(PoolId.GATEWAY, "gw1", 1, n, seconds(-n))),
                    null,
                    1,
                    false,
                    null));
        }
        table.put(ready(PoolId.GATEWAY, "gw1").withClaims(claims));
    }

    private static HandOff handOff(MemoryTable table) {
        Growth growth = new Growth(
                table.pools(),
                table.containers(),
                table.fleet(),
                table.announcements(),
                table.journal(),
                Timing.STANDARD);
        return new HandOff(
                table.pools(), table.containers(), table.calls(), growth, table.generations(), table.journal());
    }

    /** The offer on the call, on the gateway claim, and the claim in the pool are one. */
    private static void assertOffered(MemoryTable table, int n, String name) {
        Offer offer = table.look(ACME, call(n)).offer();
        assertThat(offer).as("offer of call " + n).isNotNull();
        assertThat(offer.container()).isEqualTo(container(name));
        assertThat(offer.generation().hop()).isEqualTo(2);
        Claim slot = table.look(ACME_POOL, container(name)).claims().get(call(n));
        assertThat(slot).as("slot of call " + n).isNotNull();
        assertThat(slot.generation()).isEqualTo(offer.generation());
        assertThat(slot.phase()).isEqualTo(Claim.Phase.RESERVED);
        assertThat(slot.arrivedAt()).isEqualTo(seconds(-n));
        Claim held = table.look(PoolId.GATEWAY, container("gw1")).claims().get(call(n));
        assertThat(held).isNotNull();
        assertThat(held.offer()).as("offer on the gateway claim of call " + n).isEqualTo(offer);
    }

    // The pure parts

    @Test
    void held_calls_are_the_tenants_own_on_live_gateway_containers_oldest_first() {
        Container gw1 = ready(PoolId.GATEWAY, "gw1")
                .withClaims(Map.of(
                        call(1), Claim.connected(generation(1, 1), ACME, seconds(-10), NOW),
                        call(2), Claim.reserved(generation(1, 2), ACME, seconds(-30), NOW),
                        call(3), Claim.connected(generation(1, 3), BLOOM, seconds(-90), NOW),
                        call(4), new Claim(generation(1, 4), Claim.Phase.COOLDOWN, ACME, seconds(-99), NOW, null)));
        Container gw2 = ready(PoolId.GATEWAY, "gw2")
                .withClaims(Map.of(call(5), Claim.connected(generation(1, 5), ACME, seconds(-20), NOW)));
        Container dead = aliveUntil(
                ready(PoolId.GATEWAY, "gw3")
                        .withClaims(Map.of(call(6), Claim.connected(generation(1, 6), ACME, seconds(-80), NOW))),
                NOW);

        List<HeldCall> held = HeldCall.of(ACME, new PoolView(gateway(), List.of(gw1, gw2, dead)), NOW);

        assertThat(held).extracting(HeldCall::sid).containsExactly(call(2), call(5), call(1));
        assertThat(held)
                .extracting(HeldCall::gatewayContainer)
                .containsExactly(container("gw1"), container("gw2"), container("gw1"));
        assertThat(held).allMatch(HeldCall::isWaiting);
    }

    private static HeldCall waiting(int n, long secondsAgo) {
        return new HeldCall(
                call(n), container("gw1"), Claim.connected(generation(1, n), ACME, seconds(-secondsAgo), NOW));
    }

    @Test
    void pairs_are_made_oldest_call_first_and_fullest_container_first() {
        PoolView own = new PoolView(
                acme(),
                List.of(
                        withCalls(ready(ACME_POOL, "a1"), ACME, 100, 3),
                        withCalls(ready(ACME_POOL, "a2"), ACME, 200, 5),
                        withCalls(ready(ACME_POOL, "a3"), ACME, 300, 6)));

        List<Pairing> pairs = Pairing.plan(List.of(waiting(1, 30), waiting(2, 20), waiting(3, 10)), own, NOW);

        assertThat(pairs).extracting(pair -> pair.held().sid()).containsExactly(call(1), call(2), call(3));
        assertThat(pairs)
                .extracting(pair -> pair.container().id())
                .containsExactly(container("a2"), container("a1"), container("a1"));
    }

    @Test
    void no_more_pairs_are_made_than_there_are_slots_and_none_for_a_call_that_has_an_offer() {
        HeldCall offered = new HeldCall(
                call(9),
                container("gw1"),
                Claim.connected(generation(1, 9), ACME, seconds(-99), NOW)
                        .offered(new Offer(container("a1"), generation(2, 9), NOW)));
        PoolView own = new PoolView(acme(), List.of(withCalls(ready(ACME_POOL, "a1"), ACME, 100, 5)));

        List<Pairing> pairs = Pairing.plan(List.of(offered, waiting(1, 30), waiting(2, 20)), own, NOW);

        assertThat(pairs).extracting(pair -> pair.held().sid()).containsExactly(call(1));
        assertThat(offered.isWaiting()).isFalse();
    }

    // The flow

    @Test
    void a_new_container_gets_the_six_oldest_of_seven_held_calls_and_growth_is_asked_for_the_seventh() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, ready(ACME_POOL, "a1"));
        hold(table, 7);

        int offered = handOff(table).run(ACME, NOW);

        assertThat(offered).isEqualTo(6);
        for (int n = 2; n <= 7; n++) {
            assertOffered(table, n, "a1");
        }
        assertThat(table.look(ACME, call(1)).offer()).isNull();
        assertThat(table.look(ACME_POOL).pool().desired()).isEqualTo(2);
        assertThat(table.fleet().desired(ACME_SERVICE)).isEqualTo(2);
    }

    @Test
    void running_again_changes_nothing_while_the_calls_wait_for_their_turn_boundary() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, ready(ACME_POOL, "a1"));
        hold(table, 6);
        handOff(table).run(ACME, NOW);
        Container before = table.look(ACME_POOL, container("a1"));

        assertThat(handOff(table).run(ACME, seconds(1))).isZero();

        assertThat(table.look(ACME_POOL, container("a1"))).isEqualTo(before);
        assertThat(table.look(ACME_POOL).pool().desired()).isEqualTo(1);
    }

    @Test
    void nothing_is_offered_or_asked_for_when_nobody_is_held() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, ready(ACME_POOL, "a1"));
        table.put(ready(PoolId.GATEWAY, "gw1"));

        assertThat(handOff(table).run(ACME, NOW)).isZero();
        assertThat(table.operations().writes()).isZero();
        assertThat(table.fleet().told()).isEmpty();
    }

    @Test
    void a_call_that_ended_or_moved_meanwhile_gets_no_offer() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, ready(ACME_POOL, "a1"));
        hold(table, 2);
        table.calls().end(ACME, call(1), Outcome.COMPLETED, NOW);
        table.calls().place(ACME, call(2), 1, stream(PoolId.GATEWAY, "gw2", 2, 99, NOW));

        assertThat(handOff(table).run(ACME, NOW)).isZero();

        assertThat(table.look(ACME, call(1)).offer()).isNull();
        assertThat(table.look(ACME, call(2)).offer()).isNull();
        assertThat(table.look(ACME_POOL, container("a1")).claims()).isEmpty();
    }

    @Test
    void a_slot_that_was_lost_to_another_call_withdraws_the_offer() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, withCalls(ready(ACME_POOL, "a1"), ACME, 100, 5));
        hold(table, 1);
        table.operations()
                .on(
                        Operation.CONTAINERS_CLAIM,
                        1,
                        Moment.BEFORE,
                        () -> table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 100, 6)));

        assertThat(handOff(table).run(ACME, NOW)).isZero();

        assertThat(table.look(ACME, call(1)).offer()).isNull();
        assertThat(table.written("offer-withdrawn")).hasSize(1);
        assertThat(table.look(ACME_POOL).pool().desired()).isEqualTo(2);
    }

    @Test
    void a_call_that_loses_its_slot_is_offered_the_next_free_one_in_the_same_run() {
        MemoryTable table = tableWith(
                ScaleOutRule.PLUS_ONE, 2, withCalls(ready(ACME_POOL, "a1"), ACME, 100, 5), ready(ACME_POOL, "a2"));
        hold(table, 1);
        table.operations()
                .on(
                        Operation.CONTAINERS_CLAIM,
                        1,
                        Moment.BEFORE,
                        () -> table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 100, 6)));

        assertThat(handOff(table).run(ACME, NOW)).isEqualTo(1);

        assertOffered(table, 1, "a2");
        assertThat(table.written("offer-withdrawn")).hasSize(1);
        assertThat(table.look(ACME_POOL).pool().desired()).as("nobody waits").isEqualTo(2);
    }

    @Test
    void a_container_that_refuses_though_it_looks_free_is_asked_once_in_a_run_for_each_call() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 2, ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2"));
        hold(table, 2);
        // a1 has a claim of call 2 that no hand-off made: it is refused there, and the view keeps showing free slots
        table.put(ready(ACME_POOL, "a1")
                .withClaims(Map.of(call(2), Claim.connected(generation(1, 50), ACME, NOW, NOW))));

        assertThat(handOff(table).run(ACME, NOW)).isEqualTo(2);

        assertOffered(table, 2, "a2");
        assertOffered(table, 1, "a1");
        assertThat(table.operations().count(Operation.CONTAINERS_CLAIM)).isEqualTo(3);
    }

    @Test
    void when_two_functions_hand_one_call_over_the_second_takes_up_the_firsts_offer() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 2, ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2"));
        hold(table, 1);
        // The first has written its offer and has not claimed; then the second runs from its start to its end.
        table.operations()
                .on(
                        Operation.CONTAINERS_CLAIM,
                        1,
                        Moment.BEFORE,
                        () -> assertThat(handOff(table).run(ACME, NOW)).isEqualTo(1));

        handOff(table).run(ACME, NOW);

        assertOffered(table, 1, "a1");
        assertThat(table.look(ACME_POOL, container("a1")).claims()).hasSize(1);
        assertThat(table.look(ACME_POOL, container("a2")).claims()).isEmpty();
    }

    @Test
    void when_two_functions_hand_one_call_over_the_one_that_comes_late_to_the_offer_takes_no_slot() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 2, ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2"));
        hold(table, 1);
        // The first has read the call and has not written its offer; then the second runs from its start to its end.
        table.operations()
                .on(
                        Operation.CALLS_OFFER,
                        1,
                        Moment.BEFORE,
                        () -> handOff(table).run(ACME, NOW));

        assertThat(handOff(table).run(ACME, NOW)).isZero();

        assertOffered(table, 1, "a1");
        assertThat(table.look(ACME_POOL, container("a2")).claims()).isEmpty();
    }

    @Test
    void a_function_that_is_refused_after_another_has_claimed_the_offered_slot_takes_neither_offer_nor_slot_away() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, ready(ACME_POOL, "a1"));
        hold(table, 1);
        // The second claims the very slot of the first's offer; the first finds its own generation there.
        table.operations().on(Operation.CONTAINERS_CLAIM, 1, Moment.BEFORE, () -> {
            handOff(table).run(ACME, NOW);
            Container full = table.look(ACME_POOL, container("a1"));
            Map<ClaimKey, Claim> claims = new HashMap<>(full.claims());
            for (int n = 101; n <= 105; n++) {
                claims.put(call(n), Claim.reserved(generation(1, n), ACME, NOW, NOW));
            }
            table.put(full.withClaims(claims));
        });

        handOff(table).run(ACME, NOW);

        assertOffered(table, 1, "a1");
        assertThat(table.written("offer-withdrawn")).isEmpty();
    }

    @Test
    void a_slot_that_another_function_claimed_for_an_offer_that_is_withdrawn_is_free_again() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, withCalls(ready(ACME_POOL, "a1"), ACME, 100, 5));
        hold(table, 1);
        // The first is refused by a full container; a call there ends; the second claims the slot of the first's offer.
        table.operations()
                .on(
                        Operation.CONTAINERS_CLAIM,
                        1,
                        Moment.BEFORE,
                        () -> table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 100, 6)));
        table.operations().on(Operation.CONTAINERS_CLAIM, 1, Moment.AFTER, () -> {
            table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 100, 5));
            handOff(table).run(ACME, NOW);
            assertThat(table.look(ACME_POOL, container("a1")).claims()).containsKey(call(1));
        });

        handOff(table).run(ACME, NOW);

        Offer offer = table.look(ACME, call(1)).offer();
        Claim slot = table.look(ACME_POOL, container("a1")).claims().get(call(1));
        assertThat(slot == null ? null : slot.generation())
                .as("the call names the slot, or there is none")
                .isEqualTo(offer == null ? null : offer.generation());
    }

    @Test
    void a_claim_whose_reply_is_lost_is_taken_up_by_the_next_run_and_not_claimed_again() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 2, ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2"));
        hold(table, 1);
        table.operations().fail(Operation.CONTAINERS_CLAIM, 1, Moment.AFTER);
        assertThatThrownBy(() -> handOff(table).run(ACME, NOW))
                .isInstanceOf(dev.spillway.core.DependencyException.class);
        assertThat(table.look(ACME_POOL, container("a1")).claims()).hasSize(1);

        assertThat(handOff(table).run(ACME, seconds(1))).isEqualTo(1);

        assertOffered(table, 1, "a1");
        assertThat(table.look(ACME_POOL, container("a1")).claims()).hasSize(1);
        assertThat(table.look(ACME_POOL, container("a2")).claims()).isEmpty();
    }

    @Test
    void two_runs_at_once_offer_each_call_one_slot() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, ready(ACME_POOL, "a1"));
        hold(table, 6);
        HandOff handOff = handOff(table);

        List<Integer> offered = dev.spillway.core.contract.AtOnce.run(8, n -> handOff.run(ACME, NOW));

        assertThat(offered).allMatch(count -> count <= 6);
        handOff.run(ACME, seconds(1));
        for (int n = 1; n <= 6; n++) {
            assertOffered(table, n, "a1");
        }
        assertThat(table.look(ACME_POOL, container("a1")).claims()).hasSize(LIMIT);
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void after_a_crash_at_any_write_the_next_run_finishes_even_when_the_calls_fill_the_container(Moment moment) {
        for (int write = 1; write <= 18; write++) {
            MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, ready(ACME_POOL, "a1"));
            hold(table, 6);
            table.operations().crashAtWrite(write, moment);
            assertThatThrownBy(() -> handOff(table).run(ACME, NOW)).isInstanceOf(Crash.class);
            table.operations().heal();

            handOff(table).run(ACME, seconds(1));

            for (int n = 1; n <= 6; n++) {
                assertOffered(table, n, "a1");
            }
            assertThat(table.look(ACME_POOL).pool().desired())
                    .as("desired after a crash at write " + write)
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void a_lost_reply_of_the_table_is_mended_by_the_next_run(Moment moment) {
        for (Operation operation :
                List.of(Operation.CALLS_OFFER, Operation.CONTAINERS_CLAIM, Operation.CONTAINERS_ANNOUNCE)) {
            MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, ready(ACME_POOL, "a1"));
            hold(table, 6);
            table.operations().fail(operation, 6, moment);
            assertThatThrownBy(() -> handOff(table).run(ACME, NOW))
                    .isInstanceOf(dev.spillway.core.DependencyException.class);

            handOff(table).run(ACME, seconds(1));

            IntStream.rangeClosed(1, 6).forEach(n -> assertOffered(table, n, "a1"));
        }
    }

    @Test
    void calls_of_another_tenant_are_left_alone() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, ready(ACME_POOL, "a1"));
        table.put(withCalls(ready(PoolId.GATEWAY, "gw1"), BLOOM, 1, 3));

        assertThat(handOff(table).run(ACME, NOW)).isZero();
        assertThat(table.look(ACME_POOL, container("a1")).claims()).isEmpty();
    }

    /** Call 1 was moved twice, 30 s ago, and talks on the gateway at its third hop. */
    private static void holdMovedCall(MemoryTable table) {
        table.put(new Call(
                ACME,
                call(1),
                seconds(-40),
                3,
                Map.of(
                        1, stream(PoolId.GATEWAY, "gw1", 1, 1, seconds(-40)),
                        2, stream(ACME_POOL, "a1", 2, 1, seconds(-30)),
                        3, stream(PoolId.GATEWAY, "gw1", 3, 1, seconds(-30))),
                null,
                3,
                false,
                null));
        table.put(ready(PoolId.GATEWAY, "gw1")
                .withClaims(Map.of(call(1), Claim.connected(generation(3, 1), ACME, seconds(-40), seconds(-30)))));
    }

    @Test
    void a_call_that_was_moved_twice_within_a_minute_stays_where_it_talks() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, ready(ACME_POOL, "a1"));
        holdMovedCall(table);

        assertThat(handOff(table).run(ACME, NOW)).isZero();

        assertThat(table.look(ACME, call(1)).offer()).isNull();
        assertThat(table.look(ACME_POOL, container("a1")).claims()).isEmpty();
    }

    @Test
    void it_is_offered_a_slot_once_the_minute_is_over() {
        MemoryTable table = tableWith(ScaleOutRule.PLUS_ONE, 1, aliveUntil(ready(ACME_POOL, "a1"), seconds(60)));
        holdMovedCall(table);
        table.put(aliveUntil(table.look(PoolId.GATEWAY, container("gw1")), seconds(60)));

        assertThat(handOff(table).run(ACME, seconds(31))).isEqualTo(1);

        assertThat(table.look(ACME, call(1)).offer()).isNotNull();
    }
}
