package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.background.Lease;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.Outbound.Pace;
import dev.spillway.core.outbound.OutboundLines;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link OutboundLines} keeps. Each test has a pool of its own. */
@SuppressWarnings("NullAway.Init")
public abstract class OutboundLinesContract {
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final Pace PACE = Pace.FRESH.dialled(NOW, Map.of("spring", 7L));
    private static final OutboundPolicy POLICY = new OutboundPolicy(
            3,
            2,
            100,
            0.5,
            50,
            Map.of("speech", 40, "model", 25),
            List.of(new Country(
                    "+1",
                    Set.of(ZoneId.of("America/New_York"), ZoneId.of("America/Denver")),
                    LocalTime.of(9, 0),
                    LocalTime.of(20, 30))),
            Set.of("hash"),
            new OutboundPolicy.Warmth(Duration.ofSeconds(90), Duration.ofMinutes(7)));

    private OutboundLines lines;
    private Pools pools;
    private PoolId pool;

    /** The port to test. */
    protected abstract OutboundLines lines();

    /** The pools of the same table. */
    protected abstract Pools pools();

    /** Puts the pool's item as it is. */
    protected abstract void put(Pool pool);

    @BeforeEach
    void freshPool() {
        lines = lines();
        pools = pools();
        pool = PoolId.of(new TenantId("lines-" + NEXT.incrementAndGet()));
        put(Pool.fresh(
                        pool,
                        new Policy(1, 10, LIMIT, 0, ScaleOutRule.PLUS_ONE, ScaleInRule.IDLE),
                        "service-" + pool,
                        "wss://streams.example.com",
                        NOW)
                .withOutbound(Outbound.of(POLICY)));
    }

    private Outbound outbound() {
        return pools.read(pool).orElseThrow().pool().outbound();
    }

    private JobId job(int n) {
        return new JobId(pool.tenant().orElseThrow(), "%020d".formatted(n));
    }

    private Lease lead() {
        return lines.lead(pool, "first", NOW, seconds(30)).orElseThrow();
    }

    @Test
    void everything_reads_back_as_it_was_put() {
        Outbound put = new Outbound(
                POLICY,
                new Lease("me", 7, seconds(9)),
                Map.of(job(1), generation(1, 1)),
                new Pace(seconds(3), LocalDate.of(2026, 11, 29), 12, Map.of("a.b", 5L, "c", 6L)));
        put(pools.read(pool).orElseThrow().pool().withOutbound(put));

        assertThat(outbound()).isEqualTo(put);
    }

    @Test
    void the_lease_is_taken_when_it_has_run_out_and_its_generation_rises() {
        assertThat(lines.lead(pool, "first", NOW, seconds(30))).contains(new Lease("first", 1, seconds(30)));
        assertThat(lines.lead(pool, "second", seconds(29), seconds(60))).isEmpty();
        assertThat(lines.lead(pool, "second", seconds(30), seconds(60))).contains(new Lease("second", 2, seconds(60)));
        assertThat(outbound().lease()).isEqualTo(new Lease("second", 2, seconds(60)));
        assertThat(lines.lead(PoolId.of(new TenantId("nobody")), "first", NOW, seconds(30)))
                .isEmpty();
    }

    @Test
    void of_32_takers_exactly_one_leads() {
        assertThat(AtOnce.run(32, n -> lines.lead(pool, "taker " + n, NOW, seconds(30))).stream()
                        .filter(Optional::isPresent))
                .hasSize(1);
    }

    @Test
    void a_lease_is_extended_and_given_up_by_its_own_generation_only() {
        Lease first = lead();
        assertThat(lines.extend(pool, first, seconds(50))).isTrue();
        assertThat(lines.lead(pool, "second", seconds(49), seconds(99))).isEmpty();
        Lease second = lines.lead(pool, "second", seconds(50), seconds(80)).orElseThrow();

        assertThat(lines.extend(pool, first, seconds(99))).isFalse();
        assertThat(outbound().lease()).isEqualTo(second);
    }

    @Test
    void a_line_is_entered_with_the_pace_and_left_again() {
        Lease lease = lead();

        assertThat(lines.enter(pool, lease, job(1), generation(1, 1), 3, PACE)).isTrue();
        assertThat(outbound().calls()).isEqualTo(Map.of(job(1), generation(1, 1)));
        assertThat(outbound().pace()).isEqualTo(PACE);

        assertThat(lines.leave(pool, job(1), generation(1, 9))).isFalse();
        assertThat(lines.leave(pool, job(1), generation(1, 1))).isTrue();
        assertThat(lines.leave(pool, job(1), generation(1, 1))).isFalse();
        assertThat(outbound().calls()).isEmpty();
    }

    @Test
    void a_line_that_is_withdrawn_is_taken_back_out_of_its_days_count() {
        Lease lease = lead();
        lines.enter(pool, lease, job(1), generation(1, 1), 3, PACE);
        lines.enter(pool, lease, job(2), generation(1, 2), 3, PACE.dialled(seconds(1), Map.of("spring", 8L)));

        assertThat(lines.withdraw(pool, job(2), generation(1, 9), NOW)).isFalse();
        assertThat(lines.withdraw(pool, job(2), generation(1, 2), NOW)).isTrue();
        assertThat(lines.withdraw(pool, job(2), generation(1, 2), NOW)).isFalse();

        assertThat(outbound().calls()).isEqualTo(Map.of(job(1), generation(1, 1)));
        assertThat(outbound().pace())
                .isEqualTo(new Pace(seconds(1), LocalDate.of(2026, 11, 29), 1, Map.of("spring", 8L)));

        // entered yesterday: there is nothing to take back today
        assertThat(lines.withdraw(pool, job(1), generation(1, 1), NOW.minus(Duration.ofDays(1))))
                .isTrue();
        assertThat(outbound().calls()).isEmpty();
        assertThat(outbound().pace().dialsOfDay()).isEqualTo(1);
    }

    @Test
    void an_old_holder_enters_nothing() {
        Lease old = lead();
        lines.lead(pool, "second", seconds(30), seconds(60));

        assertThat(lines.enter(pool, old, job(1), generation(1, 1), 3, PACE)).isFalse();
        assertThat(outbound().calls()).isEmpty();
    }

    @Test
    void a_job_has_one_line() {
        Lease lease = lead();
        lines.enter(pool, lease, job(1), generation(1, 1), 3, PACE);

        assertThat(lines.enter(pool, lease, job(1), generation(1, 2), 3, PACE)).isFalse();
        assertThat(outbound().calls()).isEqualTo(Map.of(job(1), generation(1, 1)));
    }

    @Test
    void of_32_entrants_never_more_than_the_limit_enter() {
        Lease lease = lead();

        List<Boolean> entered = AtOnce.run(32, n -> lines.enter(pool, lease, job(n), generation(1, n), 3, PACE));

        assertThat(entered.stream().filter(Boolean::booleanValue)).hasSize(3);
        assertThat(outbound().calls()).hasSize(3);
    }

    @Test
    void of_many_runs_one_watches_until_its_time_is_over() {
        assertThat(AtOnce.run(8, n -> lines.watch(pool, NOW, seconds(20)))).containsOnlyOnce(true);
        assertThat(lines.watch(pool, seconds(19), seconds(40))).isFalse();
        assertThat(lines.watch(pool, seconds(20), seconds(40))).isTrue();
        assertThat(lines.watch(PoolId.of(new TenantId("nobody")), NOW, seconds(20)))
                .isFalse();
    }

    @Test
    void whoever_wakes_the_dialer_sooner_does_not_rely_on_who_watches_for_a_later_time() {
        assertThat(lines.watch(pool, NOW, seconds(20))).isTrue();
        assertThat(lines.watch(pool, seconds(1), seconds(6))).isTrue();
        assertThat(lines.watch(pool, seconds(1), seconds(6))).isFalse();
        assertThat(lines.watch(pool, seconds(2), seconds(20))).isFalse();
        assertThat(AtOnce.run(8, n -> lines.watch(pool, seconds(3), seconds(5))))
                .containsOnlyOnce(true);
    }
}
