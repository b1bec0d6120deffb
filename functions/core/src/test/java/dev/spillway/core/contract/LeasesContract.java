package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.background.Background;
import dev.spillway.core.background.Lease;
import dev.spillway.core.background.Leases;
import dev.spillway.core.background.Leases.Taking;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.Pool.Decision;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.pool.Report;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Leases} keeps, and what it means for the writes of a holder that another has followed: with {@code
 * old} and {@code fresh} as the two holders' views, each test is an old holder that read, slept, and writes too late.
 */
@SuppressWarnings("NullAway.Init")
public abstract class LeasesContract {
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final ContainerId A1 = new ContainerId("a1");

    private Leases leases;
    private Pools pools;
    private Containers containers;
    private PoolId id;

    /** The port to test. */
    protected abstract Leases leases();

    /** The pools of the same table. */
    protected abstract Pools pools();

    /** The containers of the same table. */
    protected abstract Containers containers();

    /** Puts the pool's item as it is. */
    protected abstract void put(Pool pool);

    @BeforeEach
    void freshPool() {
        leases = leases();
        pools = pools();
        containers = containers();
        id = PoolId.of(new TenantId("leases-" + NEXT.incrementAndGet()));
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

    private Lease take(String holder, long atSecond) {
        Taking taking = leases.take(id, holder, seconds(atSecond), seconds(atSecond + 60));
        assertThat(taking).isInstanceOf(Taking.Taken.class);
        return ((Taking.Taken) taking).lease();
    }

    @Test
    void a_lease_is_taken_when_it_has_run_out_and_its_generation_rises() {
        assertThat(take("first", 0)).isEqualTo(new Lease("first", 1, seconds(60)));

        assertThat(leases.take(id, "second", seconds(59), seconds(119)))
                .isEqualTo(new Taking.Held(new Lease("first", 1, seconds(60))));
        assertThat(take("second", 60)).isEqualTo(new Lease("second", 2, seconds(120)));
        assertThat(pool().background())
                .isEqualTo(new Background(new Lease("second", 2, seconds(120)), Background.NONE.aliveUntil(), NOW));
    }

    @Test
    void whoever_takes_it_sees_the_pool_as_it_is() {
        pools.recordSilence(id, seconds(3), seconds(4));

        Taking taking = leases.take(id, "first", NOW, seconds(60));

        assertThat(taking).isEqualTo(new Taking.Taken(pool(), 0));
    }

    @Test
    void an_unknown_pool_has_no_lease() {
        PoolId nobody = PoolId.of(new TenantId("nobody"));

        assertThat(leases.take(nobody, "first", NOW, seconds(60))).isEqualTo(new Taking.NoPool());
        assertThat(leases.complete(nobody, new Lease("first", 1, seconds(60)), NOW, seconds(180)))
                .isFalse();
        assertThat(pools.read(nobody)).isEmpty();
    }

    @Test
    void of_32_takers_exactly_one_gets_it() {
        List<Taking> taken = AtOnce.run(32, n -> leases.take(id, "taker " + n, NOW, seconds(60)));

        assertThat(taken.stream().filter(Taking.Taken.class::isInstance)).hasSize(1);
        assertThat(pool().background().lease().generation()).isEqualTo(1);
    }

    @Test
    void a_lease_that_was_given_back_is_free_at_once_and_leaves_no_heartbeat() {
        Lease lease = take("first", 0);

        assertThat(leases.giveBack(id, lease, seconds(2))).isTrue();

        assertThat(take("second", 2).generation()).isEqualTo(2);
        assertThat(pool().background().aliveUntil()).isEqualTo(Background.NONE.aliveUntil());
    }

    @Test
    void a_complete_visit_is_the_controllers_heartbeat() {
        Lease lease = take("first", 0);

        assertThat(leases.complete(id, lease, seconds(2), minutes(3))).isTrue();

        assertThat(pool().background()).isEqualTo(new Background(lease.until(seconds(2)), minutes(3), NOW));
    }

    @Test
    void a_holder_that_another_has_followed_neither_ends_the_lease_nor_counts_as_a_heartbeat() {
        Lease old = take("old", 0);
        Lease fresh = take("fresh", 60);

        assertThat(leases.complete(id, old, seconds(61), minutes(9))).isFalse();
        assertThat(leases.giveBack(id, old, seconds(61))).isFalse();

        assertThat(pool().background()).isEqualTo(new Background(fresh, Background.NONE.aliveUntil(), NOW));
    }

    private int unfinished(String holder, long atSecond) {
        return ((Taking.Taken) leases.take(id, holder, seconds(atSecond), seconds(atSecond + 60))).unfinished();
    }

    @Test
    void visits_that_were_not_completed_are_counted_for_each_work_whether_they_gave_the_lease_back_or_died() {
        assertThat(unfinished("sweeper 1", 0)).isZero();
        assertThat(unfinished("sweeper 2", 60)).isEqualTo(1);
        leases.giveBack(id, pool().background().lease(), seconds(61));
        assertThat(unfinished("reconciler 1", 61)).isZero();
        leases.complete(id, pool().background().lease(), seconds(62), minutes(3));
        assertThat(unfinished("sweeper 3", 62)).isEqualTo(2);
        assertThat(unfinished("sweeper 3", 62)).as("its own, asked again").isEqualTo(2);
        leases.complete(id, pool().background().lease(), seconds(63), minutes(3));

        assertThat(unfinished("sweeper 4", 63)).isZero();
    }

    @Test
    void of_all_who_want_to_alert_about_a_pool_one_a_minute_may() {
        List<Boolean> told = AtOnce.run(16, n -> leases.mayAlert(id, NOW, Duration.ofMinutes(1)));

        assertThat(told.stream().filter(may -> may)).hasSize(1);
        assertThat(leases.mayAlert(id, seconds(59), Duration.ofMinutes(1))).isFalse();
        assertThat(leases.mayAlert(id, seconds(60), Duration.ofMinutes(1))).isTrue();
        assertThat(leases.mayAlert(PoolId.of(new TenantId("nobody")), NOW, Duration.ofMinutes(1)))
                .isFalse();
    }

    // A holder that slept between its read and its write

    @Test
    void nothing_that_an_old_holder_writes_to_the_pool_takes_effect() {
        Pools old = pools.under(id, take("old", 0));
        take("fresh", 60);
        Pool before = pool();

        assertThat(old.desire(id, 7, 1, null, new Decision("scale", "late", NOW)))
                .isFalse();
        assertThat(old.desire(id, 0, 1, A1, new Decision("scale in", "late", NOW)))
                .isFalse();
        assertThat(old.lockScaleIn(id, seconds(61), seconds(91))).isFalse();
        old.note(id, new Decision("drain", "late", NOW));
        old.restartIdleWindow(id, minutes(9));
        old.forget(id, A1);
        old.recordLaunches(id, new Pool.Launches(3, "late", minutes(9)), minutes(9));
        old.recordSilence(id, NOW, NOW);

        assertThat(pool()).isEqualTo(before);
    }

    @Test
    void the_holder_writes_as_anyone_does() {
        Pools held = pools.under(id, take("first", 0));
        pools.desire(id, 3, 1, null, new Decision("scale", "calls wait", NOW));

        assertThat(held.desire(id, 2, 2, A1, new Decision("scale in", "idle", NOW)))
                .isTrue();
        assertThat(held.lockScaleIn(id, NOW, seconds(30))).isTrue();
        held.restartIdleWindow(id, minutes(9));
        held.recordSilence(id, NOW, seconds(5));
        held.recordLaunches(id, new Pool.Launches(3, "exit 1", minutes(9)), minutes(9));
        held.forget(id, A1);

        assertThat(pool().desired()).isEqualTo(2);
        assertThat(pool().scaleInLockedUntil()).isEqualTo(seconds(30));
        assertThat(pool().idleSince()).isEqualTo(minutes(9));
        assertThat(pool().silentSince()).isEqualTo(NOW);
        assertThat(pool().launches().failures()).isEqualTo(3);
        assertThat(pool().lowered()).isEmpty();
    }

    @Test
    void what_events_write_needs_no_lease() {
        take("first", 0);

        assertThat(pools.desire(id, 3, 1, null, new Decision("scale", "calls wait", NOW)))
                .isTrue();
        containers.register(in(ContainerState.DRAINING, id, "a1"));
        assertThat(become(containers, ContainerState.DRAINING, ContainerState.READY))
                .isTrue();
    }

    private boolean become(Containers writer, ContainerState from, ContainerState to) {
        return writer.become(id, A1, from, to, false, "because", NOW);
    }

    @Test
    void an_old_holder_that_saw_a_container_ready_does_not_drain_it_after_a_new_one_looked_after_it() {
        containers.register(ready(id, "a1"));
        Containers old = containers.under(id, take("old", 0));
        Containers fresh = containers.under(id, take("fresh", 60));
        assertThat(become(fresh, ContainerState.READY, ContainerState.DRAINING)).isTrue();
        assertThat(become(containers, ContainerState.DRAINING, ContainerState.READY))
                .isTrue();

        assertThat(become(old, ContainerState.READY, ContainerState.DRAINING)).isFalse();
        assertThat(become(old, ContainerState.READY, ContainerState.LOST)).isFalse();

        assertThat(containers.find(id, A1).orElseThrow().state()).isEqualTo(ContainerState.READY);
        assertThat(become(fresh, ContainerState.READY, ContainerState.DRAINING)).isTrue();
    }

    @Test
    void an_old_holder_neither_lets_a_container_exit_nor_removes_it_nor_takes_its_claims() {
        containers.register(ready(id, "a1"));
        Claim reserved = Claim.reserved(generation(1, 1), ACME, NOW, NOW);
        Claim connected = Claim.reserved(generation(1, 2), ACME, NOW, NOW);
        assertThat(containers.claim(id, A1, call(1), reserved, LIMIT, NOW)).isInstanceOf(ClaimResult.Claimed.class);
        assertThat(containers.claim(id, A1, call(2), connected, LIMIT, NOW)).isInstanceOf(ClaimResult.Claimed.class);
        containers.connect(id, A1, call(2), connected.generation());
        Containers old = containers.under(id, take("old", 0));
        Containers fresh = containers.under(id, take("fresh", 60));
        become(fresh, ContainerState.READY, ContainerState.LOST);

        old.allowExit(id, A1);
        old.remove(id, A1);
        assertThat(old.release(id, A1, call(1), reserved.generation())).isFalse();
        assertThat(old.end(id, A1, call(2), connected.generation())).isFalse();
        assertThat(old.coolDown(id, A1, call(2), connected.generation())).isFalse();

        assertThat(containers.find(id, A1).orElseThrow().mayExit()).isFalse();
        assertThat(containers.find(id, A1).orElseThrow().claims()).containsOnlyKeys(call(1), call(2));
        fresh.allowExit(id, A1);
        assertThat(fresh.release(id, A1, call(1), reserved.generation())).isTrue();
        assertThat(fresh.end(id, A1, call(2), connected.generation())).isTrue();
        assertThat(containers.find(id, A1).orElseThrow().mayExit()).isTrue();
        fresh.remove(id, A1);
        assertThat(containers.find(id, A1)).isEmpty();
    }

    @Test
    void a_fence_keeps_neither_calls_nor_the_container_itself_from_writing() {
        containers.register(ready(id, "a1"));
        Containers held = containers.under(id, take("first", 0));
        become(held, ContainerState.READY, ContainerState.DRAINING);
        become(containers, ContainerState.DRAINING, ContainerState.READY);
        Claim claim = Claim.reserved(generation(1, 1), ACME, NOW, NOW);

        assertThat(containers.claim(id, A1, call(1), claim, LIMIT, NOW)).isInstanceOf(ClaimResult.Claimed.class);
        assertThat(containers.connect(id, A1, call(1), claim.generation())).isPresent();
        assertThat(containers.heartbeat(id, A1, "boot-a1", Report.empty(NOW), seconds(90), NOW))
                .isPresent();
        assertThat(containers.end(id, A1, call(1), claim.generation())).isTrue();
        assertThat(become(held, ContainerState.READY, ContainerState.DRAINING)).isTrue();
    }

    @Test
    void a_shift_writes_to_its_own_pool_alone() {
        Lease lease = take("first", 0);

        assertThatThrownBy(() -> pools.under(id, lease).restartIdleWindow(PoolId.GATEWAY, minutes(9)))
                .isInstanceOf(IllegalArgumentException.class);
        PoolId other = PoolId.of(new TenantId("leases-" + NEXT.incrementAndGet()));
        containers.register(Sample.ready(other, "a1"));
        assertThatThrownBy(() -> containers.under(id, lease).allowExit(other, A1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
