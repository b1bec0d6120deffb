package dev.spillway.core.order;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.policy;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.withCalls;
import static dev.spillway.core.order.OrderSample.ordered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.call.Call;
import dev.spillway.core.handoff.HeldCall;
import dev.spillway.core.handoff.Pairing;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Admission;
import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.DueJobs;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.routing.Route;
import dev.spillway.core.routing.Router;
import dev.spillway.core.scaling.Backlog;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.core.scaling.ScaleOut;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each order means to each plan, and that it means nothing once it is over. */
class OrderedPlansTest {
    private static final Timing TIMING = Timing.STANDARD;
    private static final OutboundPolicy OUTBOUND = new OutboundPolicy(
            3, 0, 1_000, 1, 100, Map.of(), List.of(Country.always("+1")), Set.of(), OutboundPolicy.Warmth.USUAL);

    private static PoolView view(Pool pool, Container... containers) {
        return new PoolView(pool, List.of(containers));
    }

    private static Container a(int n) {
        return ready(Sample.ACME_POOL, "a" + n);
    }

    /** One container, idle for an hour, in a pool that wants one. */
    private static PoolView idle(Order.What what) {
        return view(ordered(acme(ScaleOutRule.PLUS_ONE, 1), what), a(1));
    }

    private static PoolView empty(Order.What what) {
        return view(ordered(acme(), what));
    }

    private static ScaleOut grow(PoolView view, int waiting, Instant now) {
        return ScaleOut.plan(view, waiting, false, TIMING, now);
    }

    private static Container alive(Container container) {
        return Sample.aliveUntil(container, minutes(120));
    }

    static Stream<Order.What> stayers() {
        return Stream.of(new Order.Pause(), new Order.Drain(), new Order.ToGateway());
    }

    static Stream<Order.What> closers() {
        return Stream.of(new Order.Drain(), new Order.ToGateway());
    }

    static Stream<Order.What> openers() {
        return Stream.of(new Order.Pause(), new Order.Pin(3), new Order.StopOutbound());
    }

    @ParameterizedTest
    @MethodSource("stayers")
    void a_paused_drained_or_passed_over_pool_does_not_grow_whoever_waits(Order.What what) {
        ScaleOut decision = grow(empty(what), 7, NOW);

        assertThat(decision).isInstanceOf(ScaleOut.Stay.class);
        assertThat(decision.reason()).isEqualTo(what.text() + " is ordered until 2026-11-29T10:00:00Z: a test");
        assertThat(ScaleOut.plan(empty(what), 0, true, TIMING, NOW)).isInstanceOf(ScaleOut.Stay.class);
    }

    @ParameterizedTest
    @MethodSource("stayers")
    void it_grows_again_at_the_instant_at_which_the_order_ends(Order.What what) {
        assertThat(grow(empty(what), 7, minutes(60).minusMillis(1))).isInstanceOf(ScaleOut.Stay.class);
        assertThat(grow(empty(what), 7, minutes(60))).isInstanceOf(ScaleOut.Grow.class);
    }

    @ParameterizedTest
    @MethodSource({"stayers", "openersOfThePool"})
    void no_order_about_the_pool_lets_an_idle_container_be_retired_for_idleness(Order.What what) {
        assertThat(ScaleIn.plan(idle(what), 0, TIMING, NOW)).isInstanceOf(ScaleIn.Keep.class);
        PoolView later = view(ordered(acme(ScaleOutRule.PLUS_ONE, 1), what), alive(a(1)));
        assertThat(ScaleIn.plan(later, 0, TIMING, minutes(60))).isInstanceOf(ScaleIn.Drain.class);
    }

    static Stream<Order.What> openersOfThePool() {
        return Stream.of(new Order.Pin(0), new Order.Pin(1));
    }

    @Test
    void stopping_calls_out_changes_no_scaling_for_callers() {
        assertThat(ScaleIn.plan(idle(new Order.StopOutbound()), 0, TIMING, NOW)).isInstanceOf(ScaleIn.Drain.class);
        assertThat(grow(empty(new Order.StopOutbound()), 1, NOW)).isInstanceOf(ScaleOut.Grow.class);
    }

    @Test
    void a_paused_pool_lowers_no_count_even_for_a_container_that_is_empty_already() {
        Container drained = in(ContainerState.DRAINED, Sample.ACME_POOL, "a1");
        Fleet.Service service = new Fleet.Service(1, 1, 0, false, "r1");

        assertThat(ScaleIn.planLowering(
                        view(ordered(acme(ScaleOutRule.PLUS_ONE, 1), new Order.Pause()), drained),
                        service,
                        drained,
                        TIMING,
                        NOW))
                .isInstanceOf(ScaleIn.Lowering.Wait.class);
        assertThat(ScaleIn.planLowering(
                        view(ordered(acme(ScaleOutRule.PLUS_ONE, 1), new Order.Drain()), drained),
                        service,
                        drained,
                        TIMING,
                        NOW))
                .isEqualTo(new ScaleIn.Lowering.Lower(0));
    }

    @Test
    void a_pool_pinned_at_four_wants_four_whether_or_not_anybody_calls() {
        assertThat(grow(empty(new Order.Pin(4)), 0, NOW))
                .isInstanceOfSatisfying(
                        ScaleOut.Grow.class,
                        grown -> assertThat(grown.desired()).isEqualTo(4));
        assertThat(grow(idle(new Order.Pin(4)), 50, NOW))
                .isInstanceOfSatisfying(
                        ScaleOut.Grow.class,
                        grown -> assertThat(grown.desired()).isEqualTo(4));
    }

    @Test
    void a_pool_pinned_at_fewer_than_it_has_neither_grows_nor_shrinks() {
        PoolView two = view(ordered(acme(ScaleOutRule.PLUS_ONE, 2), new Order.Pin(1)), a(1), a(2));

        assertThat(grow(two, 50, NOW)).isInstanceOf(ScaleOut.Stay.class);
        assertThat(ScaleIn.plan(two, 0, TIMING, NOW)).isInstanceOf(ScaleIn.Keep.class);
    }

    @Test
    void a_pin_beyond_the_maximum_is_the_maximum_and_what_leaves_comes_on_top() {
        assertThat(grow(empty(new Order.Pin(99)), 0, NOW))
                .isInstanceOfSatisfying(
                        ScaleOut.Grow.class,
                        grown -> assertThat(grown.desired()).isEqualTo(10));
        PoolView leaving = view(
                ordered(acme(ScaleOutRule.PLUS_ONE, 1), new Order.Pin(2)),
                in(ContainerState.DRAINED, Sample.ACME_POOL, "a1"));
        assertThat(grow(leaving, 0, NOW))
                .isInstanceOfSatisfying(
                        ScaleOut.Grow.class,
                        grown -> assertThat(grown.desired()).isEqualTo(3));
    }

    @Test
    void a_pin_takes_back_a_container_that_is_being_drained() {
        Container draining = in(ContainerState.DRAINING, Sample.ACME_POOL, "a1")
                .withState(ContainerState.DRAINING, ScaleIn.ORDER, NOW);

        assertThat(grow(view(ordered(acme(ScaleOutRule.PLUS_ONE, 1), new Order.Pin(1)), draining), 0, NOW))
                .isInstanceOf(ScaleOut.Undrain.class);
    }

    @ParameterizedTest
    @MethodSource("closers")
    void callers_go_to_the_gateway_although_slots_are_free(Order.What what) {
        PoolView shared = new PoolView(gateway(), List.of(ready(PoolId.GATEWAY, "gw1")));

        Route route = Router.route(Call.arrived(ACME, call(1), NOW), idle(what), shared, Set.of(), NOW);

        assertThat(route)
                .isInstanceOfSatisfying(
                        Route.ToSlot.class,
                        slot -> assertThat(slot.container().id()).isEqualTo(container("gw1")));
        assertThat(route.reason()).startsWith(what.text() + " is ordered until");
        assertThat(Cause.of(idle(what), NOW, TIMING.coldStart())).isEqualTo(Cause.OPERATOR);
    }

    @ParameterizedTest
    @MethodSource("openers")
    void under_every_other_order_callers_get_the_pools_own_slots(Order.What what) {
        PoolView shared = new PoolView(gateway(), List.of(ready(PoolId.GATEWAY, "gw1")));

        assertThat(Router.route(Call.arrived(ACME, call(1), NOW), idle(what), shared, Set.of(), NOW))
                .isInstanceOfSatisfying(
                        Route.ToSlot.class,
                        slot -> assertThat(slot.container().id()).isEqualTo(container("a1")));
    }

    @ParameterizedTest
    @MethodSource("closers")
    void no_held_call_is_handed_over_while_it_lasts(Order.What what) {
        PoolView shared = new PoolView(gateway(), List.of(alive(withCalls(ready(PoolId.GATEWAY, "gw1"), ACME, 1, 2))));
        List<HeldCall> held = HeldCall.of(ACME, shared, NOW);

        assertThat(Pairing.plan(held, idle(what), NOW)).isEmpty();
        assertThat(Pairing.plan(held, view(ordered(acme(), what), alive(a(1))), minutes(60)))
                .hasSize(2);
    }

    @ParameterizedTest
    @MethodSource({"closers", "stop"})
    void nobody_is_dialled_until_the_order_ends_and_jobs_are_no_demand(Order.What what) {
        PoolView view = view(ordered(acme().withOutbound(Outbound.of(OUTBOUND)), what), a(1));

        assertThat(Admission.plan(view, 0, Set.of(), TIMING, NOW))
                .isInstanceOfSatisfying(Admission.Defer.class, defer -> {
                    assertThat(defer.cause()).isEqualTo(Cause.OPERATOR);
                    assertThat(defer.earliest()).isEqualTo(minutes(60));
                });
        MemoryTable table = new MemoryTable();
        assertThat(new DueJobs(table.jobs(), TIMING).of(view, NOW)).isEqualTo(Backlog.Work.NONE);
        assertThat(table.operations().log()).isEmpty();
    }

    static Stream<Order.What> stop() {
        return Stream.of(new Order.StopOutbound());
    }

    @Test
    void calls_out_go_on_while_a_pool_is_paused_or_pinned() {
        for (Order.What what : List.of(new Order.Pause(), new Order.Pin(1))) {
            PoolView view = view(ordered(acme().withOutbound(Outbound.of(OUTBOUND)), what), a(1));

            assertThat(Admission.plan(view, 0, Set.of(), TIMING, NOW)).isInstanceOf(Admission.Admit.class);
        }
    }

    @Test
    void to_gateway_closes_every_container_and_drains_none() {
        PoolView view = view(
                ordered(acme(), new Order.ToGateway()),
                a(1),
                in(ContainerState.STARTING, Sample.ACME_POOL, "a2"),
                in(ContainerState.STOPPING, Sample.ACME_POOL, "a3"),
                a(4).closed(minutes(60)));

        assertThat(OrderStep.plan(view, NOW))
                .extracting(step -> step.container().id().value() + " "
                        + (step instanceof OrderStep.Close close ? close.until() : "drains"))
                .containsExactly("a1 2026-11-29T10:00:00Z", "a2 2026-11-29T10:00:00Z");
    }

    @Test
    void drain_closes_and_drains_every_ready_container_whatever_calls_it_has() {
        PoolView view = view(
                ordered(acme(), new Order.Drain()),
                withCalls(a(1), ACME, 1, 3).closed(minutes(60)),
                in(ContainerState.DRAINING, Sample.ACME_POOL, "a2").closed(minutes(60)));

        assertThat(OrderStep.plan(view, NOW))
                .singleElement()
                .isInstanceOfSatisfying(
                        OrderStep.Drain.class,
                        drain -> assertThat(drain.container().id()).isEqualTo(container("a1")));
    }

    @Test
    void what_a_past_order_closed_is_opened_and_what_opened_by_itself_is_left_alone() {
        PoolView resumed = view(acme(), a(1).closed(minutes(60)), a(2));

        assertThat(OrderStep.plan(resumed, NOW))
                .containsExactly(new OrderStep.Close(a(1).closed(minutes(60)), Instant.EPOCH));
        assertThat(OrderStep.plan(resumed, minutes(60))).isEmpty();
    }

    @Test
    void a_minimum_that_was_drained_comes_back_when_the_order_is_over() {
        Pool production =
                Pool.fresh(Sample.ACME_POOL, policy(2, 10, ScaleOutRule.PLUS_ONE), "s", "wss://s.example.com", NOW);
        Container leaving = in(ContainerState.DRAINING, Sample.ACME_POOL, "a1")
                .withState(ContainerState.DRAINING, ScaleIn.ORDER, NOW);
        PoolView view = view(production.with(next -> next.desired = 1), leaving);

        assertThat(grow(view, 0, NOW))
                .isInstanceOfSatisfying(
                        ScaleOut.Grow.class,
                        grown -> assertThat(grown.desired()).isEqualTo(3));
        assertThat(grow(view(ordered(view.pool(), new Order.Drain()), leaving), 0, NOW))
                .isInstanceOf(ScaleOut.Stay.class);
    }

    @Test
    void an_order_has_a_reason_and_an_end_within_a_day() {
        assertThatThrownBy(() -> new Order(OrderSample.id(1), new Order.Pause(), OrderSample.ANN, " ", NOW, minutes(1)))
                .hasMessageContaining("reason");
        assertThatThrownBy(() -> new Order(
                        OrderSample.id(1),
                        new Order.Pause(),
                        OrderSample.ANN,
                        "x",
                        NOW,
                        NOW.plus(Duration.ofHours(24)).plusMillis(1)))
                .hasMessageContaining("PT24H");
        assertThatThrownBy(() -> new Order(OrderSample.id(1), new Order.Pause(), OrderSample.ANN, "x", NOW, NOW))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
