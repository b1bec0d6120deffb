package dev.spillway.core.routing;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.BLOOM;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Report;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RouterTest {
    private static final Call FRESH = Call.arrived(ACME, call(1), NOW);

    private static PoolView own(Container... containers) {
        return new PoolView(acme(), List.of(containers));
    }

    private static PoolView gatewayOf(Container... containers) {
        return new PoolView(gateway(), List.of(containers));
    }

    private static Container gw(int n) {
        return ready(PoolId.GATEWAY, "gw" + n);
    }

    private static PoolView emptyGateway() {
        return gatewayOf(gw(1), gw(2), gw(3));
    }

    private static Route route(Call call, PoolView own, PoolView gateway) {
        return Router.route(call, own, gateway, Set.of(), NOW);
    }

    private static ContainerId slot(Route route) {
        assertThat(route).isInstanceOf(Route.ToSlot.class);
        return ((Route.ToSlot) route).container().id();
    }

    private static Call onGateway(int connectedHop, @Nullable Offer offer) {
        return new Call(
                ACME,
                call(1),
                NOW,
                1,
                Map.of(1, stream(PoolId.GATEWAY, "gw1", 1, 1, seconds(-50))),
                offer,
                connectedHop,
                false,
                null);
    }

    @Test
    void a_free_slot_in_the_tenants_pool_comes_first() {
        Route route = route(FRESH, own(ready(ACME_POOL, "a1")), emptyGateway());

        assertThat(slot(route)).isEqualTo(container("a1"));
        assertThat(route.reason()).isNotBlank();
    }

    @Test
    void the_fullest_container_with_a_free_slot_is_filled_first() {
        PoolView own = own(
                withCalls(ready(ACME_POOL, "a1"), ACME, 10, 2),
                withCalls(ready(ACME_POOL, "a2"), ACME, 20, 6),
                withCalls(ready(ACME_POOL, "a3"), ACME, 30, 5));

        assertThat(slot(route(FRESH, own, emptyGateway()))).isEqualTo(container("a3"));
    }

    @Test
    void a_container_whose_slot_was_just_lost_is_not_asked_again() {
        PoolView own = own(withCalls(ready(ACME_POOL, "a1"), ACME, 10, 5), ready(ACME_POOL, "a2"));

        Route route = Router.route(FRESH, own, emptyGateway(), Set.of(container("a1")), NOW);

        assertThat(slot(route)).isEqualTo(container("a2"));
    }

    @Test
    void zero_containers_or_only_full_draining_or_silent_ones_lead_to_the_gateway() {
        PoolView busy = own(
                withCalls(ready(ACME_POOL, "a1"), ACME, 10, 6),
                in(ContainerState.DRAINING, ACME_POOL, "a2"),
                in(ContainerState.STARTING, ACME_POOL, "a3"),
                aliveUntil(ready(ACME_POOL, "a4"), NOW));

        assertThat(slot(route(FRESH, own(), emptyGateway()))).isEqualTo(container("gw1"));
        assertThat(slot(route(FRESH, busy, emptyGateway()))).isEqualTo(container("gw1"));
    }

    @Test
    void the_emptiest_gateway_container_takes_the_call() {
        PoolView gateway = gatewayOf(
                withCalls(gw(1), BLOOM, 10, 2), withCalls(gw(2), BLOOM, 20, 1), withCalls(gw(3), BLOOM, 30, 3));

        assertThat(slot(route(FRESH, own(), gateway))).isEqualTo(container("gw2"));
    }

    @Test
    void the_offered_slot_comes_before_any_other_even_in_a_draining_container() {
        Offer offer = new Offer(container("a2"), generation(2, 7), seconds(-2));
        Container offered = in(ContainerState.DRAINING, ACME_POOL, "a2")
                .withClaims(Map.of(call(1), Claim.reserved(generation(2, 7), ACME, NOW, NOW)));

        Route route = route(onGateway(1, offer), own(ready(ACME_POOL, "a1"), offered), emptyGateway());

        assertThat(slot(route)).isEqualTo(container("a2"));
    }

    @Test
    void an_offer_whose_claim_is_gone_or_whose_container_is_silent_is_passed_over() {
        Offer offer = new Offer(container("a2"), generation(2, 7), seconds(-2));
        Map<dev.spillway.core.call.ClaimKey, Claim> other =
                Map.of(call(1), Claim.reserved(generation(2, 8), ACME, NOW, NOW));
        Container silent = aliveUntil(
                ready(ACME_POOL, "a2").withClaims(Map.of(call(1), Claim.reserved(generation(2, 7), ACME, NOW, NOW))),
                NOW);

        assertThat(slot(route(onGateway(1, offer), own(), emptyGateway()))).isEqualTo(container("gw2"));
        assertThat(slot(route(
                        onGateway(1, offer),
                        own(
                                ready(ACME_POOL, "a1"),
                                in(ContainerState.DRAINING, ACME_POOL, "a2").withClaims(other)),
                        emptyGateway())))
                .isEqualTo(container("a1"));
        assertThat(slot(route(onGateway(1, offer), own(silent), emptyGateway())))
                .isEqualTo(container("gw2"));
    }

    @Test
    void a_tenants_share_is_all_but_one_containers_slots() {
        assertThat(Router.share(emptyGateway(), NOW)).isEqualTo(12);
        assertThat(Router.share(gatewayOf(gw(1), gw(2)), NOW)).isEqualTo(6);
        assertThat(Router.share(gatewayOf(gw(1)), NOW)).isEqualTo(6);
        assertThat(Router.share(gatewayOf(gw(1), gw(2), aliveUntil(gw(3), NOW)), NOW))
                .isEqualTo(6);
    }

    @Test
    void a_tenant_with_its_whole_share_hears_busy_though_the_gateway_has_room_for_others() {
        PoolView gateway = gatewayOf(withCalls(gw(1), ACME, 10, 6), withCalls(gw(2), ACME, 20, 6), gw(3));

        assertThat(route(FRESH, own(), gateway)).isInstanceOf(Route.ToBusy.class);
        Call others = Call.arrived(BLOOM, call(2), NOW);
        assertThat(slot(Router.route(others, own(), gateway, Set.of(), NOW))).isEqualTo(container("gw3"));
    }

    @Test
    void the_last_call_within_the_share_is_taken() {
        PoolView gateway = gatewayOf(withCalls(gw(1), ACME, 10, 6), withCalls(gw(2), ACME, 20, 5), gw(3));

        assertThat(slot(route(FRESH, own(), gateway))).isEqualTo(container("gw3"));
    }

    @Test
    void claims_of_other_tenants_do_not_count_against_the_share() {
        PoolView gateway = gatewayOf(withCalls(gw(1), BLOOM, 10, 6), withCalls(gw(2), BLOOM, 20, 6), gw(3));

        assertThat(slot(route(FRESH, own(), gateway))).isEqualTo(container("gw3"));
    }

    @Test
    void a_gateway_that_live_heartbeats_confirm_as_full_is_busy() {
        PoolView gateway = gatewayOf(
                withCalls(gw(1), BLOOM, 10, 6), withCalls(gw(2), BLOOM, 20, 6), withCalls(gw(3), BLOOM, 30, 6));

        assertThat(route(FRESH, own(), gateway)).isInstanceOf(Route.ToBusy.class);
    }

    @Test
    void when_every_heartbeat_expired_at_once_nobody_hears_busy() {
        PoolView gateway = gatewayOf(
                aliveUntil(withCalls(gw(1), BLOOM, 10, 6), NOW),
                aliveUntil(withCalls(gw(2), BLOOM, 20, 6), NOW),
                aliveUntil(gw(3), NOW));

        assertThat(route(FRESH, own(), gateway)).isInstanceOf(Route.ToGatewayUnclaimed.class);
        assertThat(route(FRESH, own(), gatewayOf())).isInstanceOf(Route.ToGatewayUnclaimed.class);
    }

    @Test
    void a_gateway_of_which_only_a_starting_container_is_heard_is_not_confirmed_as_full() {
        PoolView gateway = gatewayOf(
                aliveUntil(gw(1), NOW), aliveUntil(gw(2), NOW), in(ContainerState.STARTING, PoolId.GATEWAY, "gw3"));

        assertThat(route(FRESH, own(), gateway)).isInstanceOf(Route.ToGatewayUnclaimed.class);
    }

    @Test
    void calls_of_a_dead_gateway_container_do_not_use_up_the_share_of_those_who_come_back_from_it() {
        // 8 of the 12 slots of acme's share; 6 of those calls were on a container that died.
        PoolView gateway =
                gatewayOf(aliveUntil(withCalls(gw(1), ACME, 1, 6), NOW), withCalls(gw(2), ACME, 20, 2), gw(3));

        assertThat(slot(route(onGateway(1, null), own(), gateway))).isEqualTo(container("gw3"));
    }

    @Test
    void a_call_that_continues_does_not_count_against_its_own_share() {
        PoolView gateway = gatewayOf(withCalls(gw(1), ACME, 1, 6), withCalls(gw(2), ACME, 20, 6), gw(3));

        assertThat(slot(route(onGateway(1, null), own(), gateway))).isEqualTo(container("gw3"));
    }

    @Test
    void a_call_whose_first_webhook_claimed_a_slot_and_fell_silent_is_no_new_one_to_the_share() {
        PoolView gateway = gatewayOf(
                withCalls(gw(1), ACME, 10, 6),
                withCalls(gw(2), ACME, 20, 6),
                gw(3).withClaims(Map.of(call(1), Claim.reserved(generation(1, 7), ACME, seconds(-1), seconds(-1)))));

        assertThat(slot(route(FRESH, own(), gateway))).isEqualTo(container("gw3"));
    }

    @Test
    void a_full_gateway_has_the_slot_that_was_claimed_for_the_call_before() {
        Map<ClaimKey, Claim> claims =
                new HashMap<>(withCalls(gw(3), BLOOM, 30, 5).claims());
        claims.put(call(1), Claim.reserved(generation(1, 7), ACME, seconds(-1), seconds(-1)));
        PoolView gateway =
                gatewayOf(withCalls(gw(1), BLOOM, 10, 6), withCalls(gw(2), BLOOM, 20, 6), gw(3).withClaims(claims));

        assertThat(slot(route(FRESH, own(), gateway))).isEqualTo(container("gw3"));
    }

    @Test
    void a_call_for_which_two_webhooks_hold_a_slot_each_uses_the_share_once() {
        PoolView gateway =
                gatewayOf(withCalls(gw(1), ACME, 10, 6), withCalls(gw(2), ACME, 20, 5), withCalls(gw(3), ACME, 20, 5));

        assertThat(slot(route(FRESH, own(), gateway))).isEqualTo(container("gw2"));
    }

    private static Call moved(int hop, int secondsAgo) {
        Map<Integer, Answer> answers = new java.util.HashMap<>();
        for (int n = 1; n <= hop; n++) {
            answers.put(n, stream(PoolId.GATEWAY, "gw1", n, n, seconds(-secondsAgo)));
        }
        return new Call(ACME, call(1), seconds(-secondsAgo), hop, answers, null, 0, false, null);
    }

    @Test
    void three_moves_within_a_minute_end_with_the_apology() {
        assertThat(route(moved(4, 59), own(), emptyGateway())).isInstanceOf(Route.ToApology.class);
    }

    @Test
    void two_moves_within_a_minute_or_three_in_more_do_not() {
        assertThat(route(moved(3, 59), own(), emptyGateway())).isInstanceOf(Route.ToSlot.class);
        assertThat(route(moved(4, 60), own(), emptyGateway())).isInstanceOf(Route.ToSlot.class);
    }

    @Test
    void a_finished_or_ended_conversation_hangs_up() {
        Call finished = new Call(ACME, call(1), NOW, 0, Map.of(), null, 0, true, null);
        Call ended = new Call(ACME, call(1), NOW, 0, Map.of(), null, 0, false, Outcome.COMPLETED);

        assertThat(route(finished, own(ready(ACME_POOL, "a1")), emptyGateway())).isInstanceOf(Route.ToHangUp.class);
        assertThat(route(ended, own(ready(ACME_POOL, "a1")), emptyGateway())).isInstanceOf(Route.ToHangUp.class);
    }

    // a container that let the call go

    /** Connected on that container of the tenant's at its first hop, and asking where to go on. */
    private static Call leftBehindBy(PoolId pool, String container) {
        return new Call(
                ACME, call(1), NOW, 1, Map.of(1, stream(pool, container, 1, 1, seconds(-50))), null, 1, false, null);
    }

    @Test
    void whoever_let_the_call_go_is_not_given_it_again_while_another_container_of_the_pool_has_a_slot() {
        PoolView own = own(withCalls(ready(ACME_POOL, "a1"), ACME, 10, 5), ready(ACME_POOL, "a2"));

        assertThat(slot(route(leftBehindBy(ACME_POOL, "a1"), own, emptyGateway())))
                .isEqualTo(container("a2"));
    }

    @Test
    void nor_while_the_gateway_has_a_slot() {
        PoolView own = own(ready(ACME_POOL, "a1"));

        assertThat(slot(route(leftBehindBy(ACME_POOL, "a1"), own, emptyGateway())))
                .isEqualTo(container("gw1"));
        // Nor does the gateway's own container get back the call that it let go.
        assertThat(slot(route(leftBehindBy(PoolId.GATEWAY, "gw1"), own(), emptyGateway())))
                .isEqualTo(container("gw2"));
    }

    @Test
    void whoever_let_the_call_go_is_better_than_no_place_at_all() {
        PoolView own = own(ready(ACME_POOL, "a1"));
        PoolView full = gatewayOf(withCalls(gw(1), BLOOM, 10, 6));

        assertThat(slot(route(leftBehindBy(ACME_POOL, "a1"), own, full))).isEqualTo(container("a1"));
        assertThat(slot(route(leftBehindBy(ACME_POOL, "a1"), own, gatewayOf()))).isEqualTo(container("a1"));
        assertThat(slot(route(leftBehindBy(PoolId.GATEWAY, "gw1"), own(), gatewayOf(gw(1)))))
                .isEqualTo(container("gw1"));
        // Unless it has just refused.
        assertThat(Router.route(leftBehindBy(ACME_POOL, "a1"), own, full, Set.of(container("a1")), NOW))
                .isInstanceOf(Route.ToBusy.class);
    }

    @Test
    void a_container_whose_bot_is_gone_gets_no_call_not_even_one_that_has_a_slot_there() {
        Offer offer = new Offer(container("a1"), generation(2, 7), seconds(-2));
        Container deserted = ready(ACME_POOL, "a1")
                .withClaims(Map.of(call(1), Claim.reserved(generation(2, 7), ACME, NOW, NOW)))
                .heard(new Report(0, 0, 0, 0, 1, NOW, false, true), seconds(30), seconds(3_600));

        assertThat(slot(route(onGateway(1, offer), own(deserted, ready(ACME_POOL, "a2")), emptyGateway())))
                .isEqualTo(container("a2"));
        assertThat(slot(route(FRESH, own(deserted), emptyGateway()))).isEqualTo(container("gw1"));
    }

    @Test
    void a_call_whose_stream_never_opened_has_not_been_let_go() {
        Call refused = new Call(
                ACME, call(1), NOW, 1, Map.of(1, stream(ACME_POOL, "a1", 1, 1, seconds(-2))), null, 0, false, null);

        assertThat(slot(route(refused, own(ready(ACME_POOL, "a1")), emptyGateway())))
                .isEqualTo(container("a1"));
    }
}
