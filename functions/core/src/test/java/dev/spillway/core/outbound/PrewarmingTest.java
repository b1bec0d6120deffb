package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.withCalls;
import static dev.spillway.core.outbound.OutboundWorld.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.background.Lease;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.OutboundPolicy.Warmth;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.Backlog.Work;
import dev.spillway.core.scaling.Retirement;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.core.scaling.ScaleOut;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A batch whose start is known: cold start 60 s, margin 2 min, so that its pool is made ready from 3 min before it. */
class PrewarmingTest {
    private static final Duration COLD_START = Timing.STANDARD.coldStart();

    private static Job at(int n, String batch, Instant notBefore) {
        return Job.accepted(
                Sample.job(n),
                "+1500555%04d".formatted(1000 + n),
                "+15005550006",
                "scripted",
                new Job.Batch(batch, 1),
                notBefore,
                notBefore.plus(Duration.ofHours(1)),
                Duration.ofMinutes(15),
                NOW);
    }

    private static List<Job> batch(int count, Instant notBefore) {
        List<Job> jobs = new ArrayList<>();
        for (int n = 1; n <= count; n++) {
            jobs.add(at(n, "a", notBefore));
        }
        return jobs;
    }

    private static Work plan(List<Job> jobs, OutboundPolicy policy, Instant now) {
        return Prewarming.plan(jobs, policy, policy.outboundLimit(), COLD_START, now);
    }

    @Test
    void a_batch_of_forty_with_a_limit_of_eight_wants_eight_slots_from_three_minutes_before_its_start() {
        List<Job> jobs = batch(40, minutes(30));

        assertThat(plan(jobs, policy(8, 0), seconds(30 * 60 - 181))).isEqualTo(new Work(0, 0, 8));
        assertThat(plan(jobs, policy(8, 0), seconds(30 * 60 - 180))).isEqualTo(new Work(0, 8, 8));
        assertThat(plan(jobs, policy(8, 0), minutes(30))).isEqualTo(new Work(8, 0, 0));
    }

    @Test
    void what_is_due_already_leaves_the_coming_batch_the_rest_of_the_limit() {
        List<Job> jobs = new ArrayList<>(batch(5, NOW));
        for (int n = 100; n < 110; n++) {
            jobs.add(at(n, "b", minutes(2)));
        }

        assertThat(plan(jobs, policy(8, 0), NOW)).isEqualTo(new Work(5, 3, 8));
    }

    @Test
    void of_a_batch_with_a_job_each_ten_seconds_those_of_the_first_cold_start_are_its_first_wave() {
        List<Job> jobs = new ArrayList<>();
        for (int n = 0; n < 60; n++) {
            jobs.add(at(n, "a", seconds(60 + 10L * n)));
        }

        assertThat(plan(jobs, policy(20, 0), NOW).firstWave()).isEqualTo(7);
    }

    @Test
    void a_job_at_night_starts_when_calls_may_begin() {
        OutboundPolicy nightly = new OutboundPolicy(
                8,
                0,
                100,
                1,
                1000,
                Map.of(),
                List.of(new Country(
                        "+1", Set.of(ZoneId.of("America/New_York")), LocalTime.of(9, 0), LocalTime.of(20, 0))),
                Set.of(),
                Warmth.USUAL);
        List<Job> jobs = List.of(Job.accepted(
                Sample.job(1),
                "+15005551001",
                "+15005550006",
                "scripted",
                new Job.Batch("a", 1),
                NOW,
                minutes(600),
                Duration.ofMinutes(15),
                NOW));
        Instant opening = Instant.parse("2026-11-29T14:00:00Z");

        assertThat(plan(jobs, nightly, opening.minusSeconds(181)).firstWave()).isZero();
        assertThat(plan(jobs, nightly, opening.minusSeconds(180)).firstWave()).isEqualTo(1);
        assertThat(Prewarming.nextStart(jobs, nightly, NOW)).contains(opening);
    }

    private static PoolView view(Pool pool, OutboundPolicy policy, Container... containers) {
        return new PoolView(
                Sample.desired(pool, containers.length).withOutbound(Outbound.of(policy)), List.of(containers));
    }

    @ParameterizedTest
    @EnumSource(ScaleOutRule.class)
    void under_both_rules_the_first_wave_and_the_reserve_are_asked_for_at_once(ScaleOutRule rule) {
        // 20 jobs and 4 reserved slots need four containers of six
        assertThat(ScaleOut.plan(
                        view(acme(rule, 0), policy(20, 4)), 0, new Work(0, 20, 20), false, Timing.STANDARD, NOW))
                .isInstanceOfSatisfying(
                        ScaleOut.Grow.class, grow -> assertThat(grow.desired()).isEqualTo(4));
    }

    @ParameterizedTest
    @EnumSource(ScaleOutRule.class)
    void the_first_wave_never_asks_for_more_than_the_tenants_maximum(ScaleOutRule rule) {
        // maximum 10 containers of 6
        assertThat(ScaleOut.plan(
                        view(acme(rule, 0), policy(500, 0)), 0, new Work(0, 500, 500), false, Timing.STANDARD, NOW))
                .isInstanceOfSatisfying(
                        ScaleOut.Grow.class, grow -> assertThat(grow.desired()).isEqualTo(10));
    }

    @ParameterizedTest
    @EnumSource(ScaleOutRule.class)
    void callers_that_are_there_keep_their_slots_beside_the_first_wave(ScaleOutRule rule) {
        PoolView busy = view(acme(rule, 1), policy(20, 0), withCalls(ready(ACME_POOL, "a1"), ACME, 1, 5));

        assertThat(ScaleOut.plan(busy, 0, new Work(0, 1, 1), false, Timing.STANDARD, NOW))
                .isInstanceOf(ScaleOut.Stay.class);
        assertThat(ScaleOut.plan(busy, 0, new Work(0, 8, 8), false, Timing.STANDARD, NOW))
                .isInstanceOfSatisfying(
                        ScaleOut.Grow.class, grow -> assertThat(grow.desired()).isEqualTo(3));
    }

    private static Pool idleForAnHour(int desired) {
        return acme(ScaleOutRule.PLUS_ONE, desired);
    }

    @Test
    void what_jobs_need_that_come_within_the_keep_warm_time_is_not_retired_and_the_rest_is() {
        PoolView three = view(
                idleForAnHour(3), policy(8, 1), ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2"), ready(ACME_POOL, "a3"));

        // 8 jobs and 1 reserved slot: two of three containers
        assertThat(ScaleIn.plan(three, 0, new Work(0, 0, 8), Timing.STANDARD, NOW))
                .isInstanceOf(ScaleIn.Drain.class);
        PoolView two = view(idleForAnHour(2), policy(8, 1), ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2"));
        assertThat(ScaleIn.plan(two, 0, new Work(0, 0, 8), Timing.STANDARD, NOW))
                .isEqualTo(new ScaleIn.Keep("kept warm: 8 jobs come soon and need 2 containers"));
        assertThat(ScaleIn.plan(two, 0, Work.NONE, Timing.STANDARD, NOW)).isInstanceOf(ScaleIn.Drain.class);
    }

    @Test
    void between_two_calls_that_are_close_together_the_container_stays() {
        OutboundWorld world = new OutboundWorld(policy(3, 0));
        Retirement retirement = new Retirement(world.table.fleet(), world.growth, world.table.journal(), world.timing);
        world.table.put(ready(ACME_POOL, "a1"));
        world.table.put(at(1, "a", minutes(10)));

        retirement.sweep(world.table.shift(ACME_POOL, NOW), NOW);
        assertThat(state(world)).isEqualTo(ContainerState.READY);

        world.canceling.cancel(Sample.tenant(ACME), Sample.job(1), NOW);
        world.table.put(at(2, "a", minutes(11)));
        retirement.sweep(world.table.shift(ACME_POOL, NOW), NOW);
        assertThat(state(world)).isEqualTo(ContainerState.DRAINING);
    }

    private static ContainerState state(OutboundWorld world) {
        return world.table.look(ACME_POOL, Sample.container("a1")).state();
    }

    @Test
    void the_pool_is_asked_for_before_the_start_and_nobody_is_dialled_before_it() {
        OutboundWorld world = new OutboundWorld(policy(3, 0));
        world.table.put(at(1, "a", minutes(10)));
        world.table.put(at(2, "a", minutes(10)));
        Lease lease = world.lead(NOW);

        assertThat(world.dialer.step(ACME, lease, seconds(419))).isEqualTo(new Dialer.Next.Rest("no job is due"));
        assertThat(world.table.fleet().desired(ACME_SERVICE)).isZero();

        assertThat(world.dialer.step(ACME, lease, seconds(420))).isEqualTo(new Dialer.Next.Later(minutes(10)));
        assertThat(world.table.fleet().desired(ACME_SERVICE)).isEqualTo(1);

        world.table.put(Sample.aliveUntil(ready(ACME_POOL, "a1"), minutes(20)));
        assertThat(world.dialer.step(ACME, lease, seconds(599))).isEqualTo(new Dialer.Next.Later(minutes(10)));
        assertThat(world.twilio.made()).isEmpty();

        world.dialer.step(ACME, lease, seconds(600));
        assertThat(world.twilio.made()).hasSize(1);
    }

    @Test
    void where_a_provider_has_no_conversation_left_no_container_is_started() {
        OutboundPolicy one = new OutboundPolicy(
                8,
                0,
                100,
                1,
                1000,
                Map.of("speech", 40, "model", 1),
                List.of(Country.always("+1")),
                Set.of(),
                Warmth.USUAL);
        OutboundWorld world = new OutboundWorld(one);
        batch(8, minutes(1)).forEach(world.table::put);
        DueJobs jobs = new DueJobs(world.table.jobs(), world.timing);

        assertThat(jobs.of(world.table.look(ACME_POOL), NOW)).isEqualTo(new Work(0, 1, 8));
        world.table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1));
        assertThat(jobs.of(world.table.look(ACME_POOL), NOW)).isEqualTo(new Work(0, 0, 8));
    }
}
