package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.background.Background;
import dev.spillway.core.background.Lease;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderId;
import dev.spillway.core.order.Orders;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.Pool.Decision;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link Pools} keeps. Each test has a pool of its own, so that a table may be shared by all of them. */
@SuppressWarnings("NullAway.Init")
public abstract class PoolsContract {
    private static final AtomicInteger NEXT = new AtomicInteger();

    private Pools pools;
    private Containers containers;
    private PoolId id;

    /** The port to test. */
    protected abstract Pools pools();

    /** The containers of the same table. */
    protected abstract Containers containers();

    /** Puts the pool's item as it is. */
    protected abstract void put(Pool pool);

    @BeforeEach
    void freshPool() {
        pools = pools();
        containers = containers();
        id = PoolId.of(new TenantId("pools-" + NEXT.incrementAndGet()));
        put(Pool.fresh(
                id,
                new Policy(1, 10, LIMIT, 0, ScaleOutRule.PLUS_ONE, ScaleInRule.IDLE),
                "service-" + id,
                "wss://streams.example.com",
                NOW));
    }

    private Pool pool() {
        return pools.read(id).orElseThrow().pool();
    }

    private static Decision because(String reason, Instant at) {
        return new Decision("scale", reason, at);
    }

    @Test
    void reads_back_the_item_as_it_was_put() {
        Pool put = Sample.pool(
                        id,
                        new Policy(2, 7, 5, 3, ScaleOutRule.DEMAND, ScaleInRule.IDLE),
                        "service-2",
                        "wss://other.example.com:8443",
                        4,
                        17,
                        seconds(1),
                        seconds(2),
                        seconds(3),
                        java.util.Map.of(new ContainerId("a1"), seconds(4)),
                        new Pool.Launches(2, "CannotPullContainerError", seconds(5)),
                        new Decision("scale out 3 -> 4", "2 calls wait", seconds(6)),
                        seconds(7),
                        seconds(8))
                .with(next -> next.background = new Background(new Lease("me", 7, seconds(9)), seconds(10)))
                .with(next -> Sample.decide(next, because("more calls wait", seconds(11))));

        put(put);

        assertThat(pool()).isEqualTo(put);
    }

    @Test
    void reads_back_a_pool_of_which_nothing_has_happened_yet() {
        assertThat(pool().silentSince()).isEqualTo(Instant.MAX);
        assertThat(pool().heardAgainAt()).isEqualTo(Instant.EPOCH);
        assertThat(pool().scaleInLockedUntil()).isEqualTo(Instant.EPOCH);
        assertThat(pool().launches()).isEqualTo(Pool.Launches.FINE);
        assertThat(pool().lastDecision()).isEqualTo(Decision.NONE);
        assertThat(pool().lowered()).isEmpty();
        assertThat(pool().background()).isEqualTo(Background.NONE);
        assertThat(pool().desired()).isEqualTo(1);
    }

    @Test
    void the_last_ten_decisions_are_kept_the_newest_first_whoever_made_them() {
        assertThat(pool().decisions()).isEmpty();
        for (int n = 1; n <= 6; n++) {
            pools.desire(id, n, pool().version(), null, because("desired " + n, seconds(2L * n)));
            pools.note(id, because("noted " + n, seconds(2L * n + 1)));
        }

        assertThat(pool().lastDecision()).isEqualTo(because("noted 6", seconds(13)));
        assertThat(pool().decisions())
                .extracting(Decision::reason)
                .containsExactly(
                        "noted 6",
                        "desired 6",
                        "noted 5",
                        "desired 5",
                        "noted 4",
                        "desired 4",
                        "noted 3",
                        "desired 3",
                        "noted 2",
                        "desired 2");
    }

    @Test
    void an_unknown_pool_is_empty() {
        assertThat(pools.read(PoolId.of(new TenantId("nobody")))).isEmpty();
    }

    @Test
    void a_read_shows_the_pool_with_its_own_containers_and_no_others() {
        PoolId other = PoolId.of(new TenantId("pools-" + NEXT.incrementAndGet()));
        containers.register(ready(id, "b2"));
        containers.register(ready(id, "a1"));
        containers.register(ready(other, "c3"));

        PoolView view = pools.read(id).orElseThrow();

        assertThat(view.containers()).containsExactly(ready(id, "a1"), ready(id, "b2"));
    }

    @Test
    void a_read_shows_what_was_just_written() {
        containers.register(ready(id, "a1"));
        CallSid call = Sample.call(1);
        Claim claim = Claim.reserved(Sample.generation(1, 1), new TenantId("acme"), NOW, NOW);

        containers.claim(id, new ContainerId("a1"), call, claim, LIMIT, NOW);

        assertThat(pools.read(id).orElseThrow().containers().getFirst().claims())
                .containsOnlyKeys(call)
                .containsValue(claim);
    }

    @Test
    void a_desired_count_is_written_with_its_decision_and_raises_the_version() {
        boolean written = pools.desire(id, 3, 1, null, because("calls wait", seconds(5)));

        assertThat(written).isTrue();
        assertThat(pool().desired()).isEqualTo(3);
        assertThat(pool().version()).isEqualTo(2);
        assertThat(pool().lastDecision()).isEqualTo(because("calls wait", seconds(5)));
    }

    @Test
    void a_rising_count_starts_the_launch_anew_and_a_falling_one_does_not() {
        pools.desire(id, 3, 1, null, because("calls wait", seconds(5)));
        assertThat(pool().launchSince()).isEqualTo(seconds(5));

        pools.desire(id, 2, 2, new ContainerId("a1"), because("idle", seconds(9)));
        assertThat(pool().launchSince()).isEqualTo(seconds(5));
    }

    @Test
    void a_desired_count_for_an_older_version_changes_nothing() {
        pools.desire(id, 3, 1, null, because("calls wait", seconds(5)));
        Pool before = pool();

        boolean written = pools.desire(id, 9, 1, new ContainerId("a1"), because("late", seconds(6)));

        assertThat(written).isFalse();
        assertThat(pool()).isEqualTo(before);
    }

    @Test
    void of_32_writers_of_one_version_exactly_one_wins() {
        List<Boolean> written = AtOnce.run(32, n -> pools.desire(id, n + 2, 1, null, because("n", seconds(n))));

        assertThat(written).containsOnlyOnce(true);
        assertThat(pool().version()).isEqualTo(2);
        assertThat(pool().desired()).isEqualTo(written.indexOf(true) + 2);
    }

    @Test
    void a_desired_count_of_an_unknown_pool_creates_nothing() {
        PoolId nobody = PoolId.of(new TenantId("nobody"));

        assertThat(pools.desire(nobody, 3, 1, null, because("calls wait", NOW))).isFalse();
        assertThat(pools.read(nobody)).isEmpty();
    }

    @Test
    void a_lowering_is_recorded_in_the_same_write_and_once_only() {
        ContainerId idle = new ContainerId("a1");
        pools.desire(id, 4, 1, null, because("calls wait", seconds(1)));

        assertThat(pools.desire(id, 3, 2, idle, because("idle", seconds(2)))).isTrue();
        assertThat(pool().lowered()).containsOnlyKeys(idle);
        Pool before = pool();

        assertThat(pools.desire(id, 2, 3, idle, because("idle", seconds(3)))).isFalse();
        assertThat(pool()).isEqualTo(before);
    }

    @Test
    void several_lowerings_are_recorded_beside_each_other_and_forgotten_one_by_one() {
        pools.desire(id, 4, 1, null, because("calls wait", seconds(1)));
        pools.desire(id, 3, 2, new ContainerId("a1"), because("idle", seconds(2)));
        pools.desire(id, 2, 3, new ContainerId("b2"), because("idle", seconds(3)));
        assertThat(pool().lowered()).containsOnlyKeys(new ContainerId("a1"), new ContainerId("b2"));

        pools.forget(id, new ContainerId("a1"));
        assertThat(pool().lowered()).containsOnlyKeys(new ContainerId("b2"));

        pools.forget(id, new ContainerId("a1"));
        pools.forget(id, new ContainerId("never-there"));
        assertThat(pool().lowered()).containsOnlyKeys(new ContainerId("b2"));
        assertThat(pool().desired()).isEqualTo(2);
    }

    @Test
    void a_note_changes_the_decision_alone() {
        Decision note = new Decision("drain a1", "idle for 600 s", seconds(9));

        pools.note(id, note);

        assertThat(pool().lastDecision()).isEqualTo(note);
        assertThat(pool().version()).isEqualTo(1);
        assertThat(pool().desired()).isEqualTo(1);
    }

    @Test
    void the_idle_window_starts_again_and_never_earlier() {
        pools.restartIdleWindow(id, minutes(5));
        assertThat(pool().idleSince()).isEqualTo(minutes(5));

        pools.restartIdleWindow(id, minutes(3));
        assertThat(pool().idleSince()).isEqualTo(minutes(5));
        assertThat(pool().version()).isEqualTo(1);
    }

    @Test
    void the_scale_in_lock_is_held_for_its_30_seconds() {
        assertThat(pools.lockScaleIn(id, NOW, seconds(30))).isTrue();
        assertThat(pools.lockScaleIn(id, seconds(29), seconds(59))).isFalse();
        assertThat(pool().scaleInLockedUntil()).isEqualTo(seconds(30));

        assertThat(pools.lockScaleIn(id, seconds(30), seconds(60))).isTrue();
        assertThat(pool().scaleInLockedUntil()).isEqualTo(seconds(60));
    }

    @Test
    void of_32_who_want_the_scale_in_lock_exactly_one_gets_it() {
        List<Boolean> locked = AtOnce.run(32, n -> pools.lockScaleIn(id, NOW, seconds(30)));

        assertThat(locked).containsOnlyOnce(true);
    }

    @Test
    void launches_are_recorded_with_their_start() {
        Pool.Launches failed = new Pool.Launches(3, "CannotPullContainerError: no such image", minutes(3));

        pools.recordLaunches(id, failed, seconds(40));

        assertThat(pool().launches()).isEqualTo(failed);
        assertThat(pool().launchSince()).isEqualTo(seconds(40));
        assertThat(pool().version()).isEqualTo(1);
    }

    @Test
    void silence_and_its_end_are_recorded() {
        pools.recordSilence(id, seconds(10), Instant.EPOCH);
        assertThat(pool().silentSince()).isEqualTo(seconds(10));
        assertThat(pool().heardAgainAt()).isEqualTo(Instant.EPOCH);

        pools.recordSilence(id, Instant.MAX, seconds(50));
        assertThat(pool().silentSince()).isEqualTo(Instant.MAX);
        assertThat(pool().heardAgainAt()).isEqualTo(seconds(50));
    }

    @Test
    void notes_about_an_unknown_pool_create_nothing() {
        PoolId nobody = PoolId.of(new TenantId("nobody"));

        pools.note(nobody, because("n", NOW));
        pools.restartIdleWindow(nobody, NOW);
        pools.forget(nobody, new ContainerId("a1"));
        pools.recordLaunches(nobody, Pool.Launches.FINE, NOW);
        pools.recordSilence(nobody, Instant.MAX, NOW);

        assertThat(pools.lockScaleIn(nobody, NOW, seconds(30))).isFalse();
        assertThat(pools.read(nobody)).isEmpty();
    }

    private static Order order(int n, Order.What what) {
        return new Order(
                new OrderId("%020d".formatted(n)),
                what,
                new Principal("arn:aws:iam::123456789012:user/ann"),
                "a test",
                seconds(n),
                seconds(n + 60));
    }

    @Test
    void orders_are_read_back_beside_each_other() {
        for (Order.What what : List.of(new Order.Pause(), new Order.Drain(), new Order.ToGateway())) {
            put(pool().with(next -> next.orders = new Orders(order(1, what), order(2, new Order.StopOutbound()))));

            assertThat(pool().orders()).isEqualTo(new Orders(order(1, what), order(2, new Order.StopOutbound())));
        }
    }

    @Test
    void an_order_is_written_only_over_the_one_that_was_seen() {
        OrderId first = order(1, new Order.Pause()).id();

        assertThat(pools.order(id, order(1, new Order.Pause()), null)).isTrue();
        assertThat(pools.order(id, order(2, new Order.Pin(3)), null)).isFalse();
        assertThat(pools.order(id, order(2, new Order.Pin(3)), first)).isTrue();
        assertThat(pools.order(id, order(3, new Order.Drain()), first)).isFalse();
        assertThat(pools.order(id, order(4, new Order.StopOutbound()), null)).isTrue();

        assertThat(pool().orders())
                .isEqualTo(new Orders(order(2, new Order.Pin(3)), order(4, new Order.StopOutbound())));
    }

    @Test
    void the_same_order_again_is_one_order() {
        assertThat(pools.order(id, order(1, new Order.Pause()), null)).isTrue();
        assertThat(pools.order(id, order(1, new Order.Pause()), null)).isTrue();
    }

    @Test
    void an_order_is_ended_only_while_it_is_the_last() {
        pools.order(id, order(1, new Order.Pause()), null);

        assertThat(pools.endOrder(id, order(2, new Order.Pause()))).isFalse();
        assertThat(pools.endOrder(id, order(1, new Order.Pause()))).isTrue();
        assertThat(pools.endOrder(id, order(1, new Order.Pause()))).isFalse();

        assertThat(pool().orders()).isEqualTo(Orders.NONE);
    }

    @Test
    void no_order_is_given_to_a_pool_that_does_not_exist() {
        PoolId nobody = PoolId.of(new TenantId("nobody"));

        assertThat(pools.order(nobody, order(1, new Order.Pause()), null)).isFalse();
        assertThat(pools.endOrder(nobody, order(1, new Order.Pause()))).isFalse();
        assertThat(pools.read(nobody)).isEmpty();
    }
}
