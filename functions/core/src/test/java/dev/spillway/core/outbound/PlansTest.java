package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.withCalls;
import static dev.spillway.core.outbound.OutboundWorld.job;
import static dev.spillway.core.outbound.OutboundWorld.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.Backlog;
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

/** The decisions, with the figures that they are made by. */
class PlansTest {
    private static final Job.Batch A = new Job.Batch("a", 2);
    private static final Job.Batch B = new Job.Batch("b", 1);

    private static List<String> turns(List<Job> jobs, int dials, Instant now) {
        List<Job> left = new ArrayList<>(jobs);
        Map<String, Long> turns = Map.of();
        List<String> order = new ArrayList<>();
        for (int i = 0; i < dials; i++) {
            Fairness.Pick pick = Fairness.pick(left, turns, now).orElseThrow();
            left.remove(pick.job());
            turns = pick.turns();
            order.add(pick.job().batch().name());
        }
        return order;
    }

    private static List<Job> jobs(Job.Batch batch, int from, int count) {
        List<Job> jobs = new ArrayList<>();
        for (int n = from; n < from + count; n++) {
            jobs.add(job(n, batch));
        }
        return jobs;
    }

    private static List<Job> both(List<Job> some, List<Job> others) {
        List<Job> all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }

    @Test
    void batches_of_weight_two_and_one_take_turns_two_to_one() {
        assertThat(turns(both(jobs(A, 1, 60), jobs(B, 100, 3)), 9, NOW))
                .containsExactly("a", "b", "a", "a", "b", "a", "a", "b", "a");
    }

    @Test
    void a_batch_that_comes_later_neither_waits_for_the_old_one_to_catch_up_nor_overtakes_it() {
        List<Job> old = jobs(new Job.Batch("a", 1), 1, 50);
        Map<String, Long> far = Map.of("a", 40_000_000L);

        Fairness.Pick first =
                Fairness.pick(both(old, jobs(B, 100, 5)), far, NOW).orElseThrow();
        Fairness.Pick second =
                Fairness.pick(both(old, jobs(B, 100, 5)), first.turns(), NOW).orElseThrow();

        assertThat(List.of(first.job().batch().name(), second.job().batch().name()))
                .containsExactly("a", "b");
    }

    private static Job impatient(int n, Job.Batch batch, Duration maximumWait) {
        Job job = job(n, batch);
        return Job.accepted(job.id(), job.to(), job.from(), job.agent(), batch, NOW, minutes(60), maximumWait, NOW);
    }

    @Test
    void a_job_beyond_its_maximum_wait_goes_first_in_its_batch() {
        Job patient = job(1, A);
        Job overdue = impatient(2, A, Duration.ofMinutes(5));

        assertThat(Fairness.pick(List.of(patient, overdue), Map.of(), minutes(4))
                        .orElseThrow()
                        .job())
                .isEqualTo(patient);
        assertThat(Fairness.pick(List.of(patient, overdue), Map.of(), minutes(5))
                        .orElseThrow()
                        .job())
                .isEqualTo(overdue);
    }

    @Test
    void a_large_batch_whose_jobs_are_all_beyond_their_maximum_wait_leaves_the_others_their_turns() {
        List<Job> large = new ArrayList<>();
        for (int n = 1; n <= 60; n++) {
            large.add(impatient(n, new Job.Batch("a", 1), Duration.ZERO));
        }

        assertThat(turns(both(large, jobs(B, 100, 3)), 7, minutes(1)))
                .containsExactly("a", "b", "a", "b", "a", "b", "a");
    }

    @Test
    void a_batch_of_weight_one_beside_ten_of_weight_hundred_waits_no_longer_than_its_maximum() {
        List<Job> due = new ArrayList<>();
        for (int n = 1; n <= 300; n++) {
            due.add(job(n, new Job.Batch("large-" + n % 10, 100)));
        }
        List<Job> small = List.of(
                impatient(301, new Job.Batch("small", 1), Duration.ofMinutes(5)),
                impatient(302, new Job.Batch("small", 1), Duration.ofMinutes(5)));

        // its first job has the turn that each batch has at the start; by weight the second would wait for 1,000 dials
        assertThat(turns(both(due, small), 200, minutes(4)).stream().filter("small"::equals))
                .hasSize(1);
        assertThat(turns(both(due, small), 4, minutes(5))).containsExactly("small", "large-0", "small", "large-1");
    }

    @Test
    void however_many_are_beyond_their_maximum_wait_every_second_turn_is_the_rounds() {
        List<Job> due = new ArrayList<>(jobs(B, 100, 20));
        for (int n = 1; n <= 60; n++) {
            due.add(impatient(n, new Job.Batch("x", 1), Duration.ZERO));
        }

        List<String> order = turns(due, 20, minutes(1));

        assertThat(order.stream().filter("x"::equals)).hasSize(10);
        assertThat(order).startsWith("x", "b", "x", "b");
    }

    @Test
    void the_job_furthest_beyond_its_maximum_wait_is_the_one_that_goes_ahead() {
        Job less = impatient(1, new Job.Batch("a", 1), Duration.ofMinutes(4));
        Job more = impatient(2, new Job.Batch("z", 1), Duration.ofMinutes(2));

        Fairness.Pick pick =
                Fairness.pick(List.of(less, more), Map.of(), minutes(5)).orElseThrow();

        assertThat(pick.job()).isEqualTo(more);
        assertThat(pick.reason()).isEqualTo("180 s beyond its maximum wait, ahead of the turn of batch a among 2");
    }

    @Test
    void the_first_retry_comes_within_two_seconds_and_later_ones_within_a_cold_start() {
        Duration coldStart = Duration.ofSeconds(60);
        Job first = job(1);
        Job later = first;
        for (int i = 0; i < 8; i++) {
            later = later.deferred(Cause.FULL, Sample.NO_SLOTS, "full", NOW, NOW);
        }

        assertThat(RetryTime.next(first, coldStart, NOW, 0)).isEqualTo(NOW);
        assertThat(RetryTime.next(first, coldStart, NOW, 0.5))
                .isEqualTo(NOW.plusMillis(937).plusNanos(500_000));
        assertThat(RetryTime.next(later, coldStart, NOW, 0.5)).isEqualTo(seconds(30));
    }

    @Test
    void a_retry_stays_inside_the_window() {
        Job job = job(1);
        for (int i = 0; i < 8; i++) {
            job = job.deferred(Cause.FULL, Sample.NO_SLOTS, "full", NOW, NOW);
        }

        assertThat(RetryTime.next(job, Duration.ofSeconds(60), seconds(3590), 0.9))
                .isEqualTo(seconds(3599));
        assertThat(RetryTime.next(job, Duration.ofSeconds(60), seconds(3700), 0.9))
                .isEqualTo(seconds(3600));
    }

    @Test
    void a_hundred_jobs_deferred_together_come_back_apart() {
        Job job = job(1);
        for (int i = 0; i < 8; i++) {
            job = job.deferred(Cause.FULL, Sample.NO_SLOTS, "full", NOW, NOW);
        }
        Set<Instant> times = new java.util.HashSet<>();
        for (int n = 0; n < 100; n++) {
            times.add(RetryTime.next(job, Duration.ofSeconds(60), NOW, n / 100.0));
        }

        assertThat(times).hasSize(100);
    }

    @Test
    void a_number_of_many_zones_is_called_when_it_is_a_good_time_in_all_of_them() {
        Country us = new Country(
                "+1",
                Set.of(ZoneId.of("America/New_York"), ZoneId.of("America/Los_Angeles")),
                LocalTime.of(9, 0),
                LocalTime.of(20, 0));

        // 09:00 UTC: night in both
        assertThat(us.isOpen(NOW)).isFalse();
        assertThat(us.nextOpening(NOW)).contains(Instant.parse("2026-11-29T17:00:00Z"));
        assertThat(us.isOpen(Instant.parse("2026-11-29T14:00:00Z"))).isFalse();
        assertThat(us.isOpen(Instant.parse("2026-11-29T17:00:00Z"))).isTrue();
        assertThat(us.isOpen(Instant.parse("2026-11-30T00:59:59Z"))).isTrue();
        assertThat(us.isOpen(Instant.parse("2026-11-30T01:00:00Z"))).isFalse();
    }

    @Test
    void zones_whose_days_never_meet_never_open() {
        Country nowhere = new Country(
                "+1",
                Set.of(ZoneId.of("Asia/Tokyo"), ZoneId.of("America/New_York")),
                LocalTime.of(9, 0),
                LocalTime.of(10, 0));

        assertThat(nowhere.nextOpening(NOW)).isEmpty();
    }

    @Test
    void the_longest_prefix_decides() {
        OutboundPolicy policy = new OutboundPolicy(
                1,
                0,
                1,
                1,
                1,
                Map.of(),
                List.of(Country.always("+4"), Country.always("+44")),
                Set.of(),
                OutboundPolicy.Warmth.USUAL);

        assertThat(policy.countryOf("+442079460000")).contains(Country.always("+44"));
        assertThat(policy.countryOf("+33100000000")).isEmpty();
    }

    private static PoolView view(OutboundPolicy policy, Container... containers) {
        return new PoolView(
                acme(ScaleOutRule.DEMAND, containers.length).withOutbound(Outbound.of(policy)), List.of(containers));
    }

    private static Cause cause(PoolView view, int held) {
        return ((Admission.Defer) Admission.plan(view, held, Set.of(), Timing.STANDARD, NOW)).cause();
    }

    @Test
    void a_slot_above_the_reserve_is_admitted_and_the_fullest_container_gives_it() {
        PoolView view = view(policy(3, 2), ready(ACME_POOL, "a1"), withCalls(ready(ACME_POOL, "a2"), ACME, 1, 4));

        assertThat(Admission.plan(view, 0, Set.of(), Timing.STANDARD, NOW))
                .isInstanceOfSatisfying(
                        Admission.Admit.class,
                        admit -> assertThat(admit.container().id().value()).isEqualTo("a2"));
    }

    @Test
    void held_callers_come_before_calls_out() {
        PoolView view = view(policy(3, 1), withCalls(ready(ACME_POOL, "a1"), ACME, 1, 3));

        assertThat(Admission.plan(view, 1, Set.of(), Timing.STANDARD, NOW)).isInstanceOf(Admission.Admit.class);
        assertThat(cause(view, 2)).isEqualTo(Cause.RESERVE);
    }

    @Test
    void each_limit_has_its_cause() {
        assertThat(cause(view(policy(0, 0), ready(ACME_POOL, "a1")), 0)).isEqualTo(Cause.OUTBOUND_LIMIT);
        assertThat(cause(view(policy(3, 0)), 0)).isEqualTo(Cause.STARTING);
        assertThat(cause(view(policy(3, 0), withCalls(ready(ACME_POOL, "a1"), ACME, 1, 6)), 0))
                .isEqualTo(Cause.FULL);
        OutboundPolicy none = limited(0, Map.of());
        assertThat(Admission.plan(view(none, ready(ACME_POOL, "a1")), 0, Set.of(), Timing.STANDARD, NOW))
                .isEqualTo(new Admission.Defer(
                        Cause.DAILY_CAP, "0 dials today of 0 allowed", Instant.parse("2026-11-30T00:00:00Z")));
    }

    private static OutboundPolicy limited(int dailyCap, Map<String, Integer> providers) {
        return new OutboundPolicy(3, 0, 9, 1, dailyCap, providers, List.of(), Set.of(), OutboundPolicy.Warmth.USUAL);
    }

    @Test
    void the_provider_that_allows_fewest_conversations_decides_and_is_named() {
        OutboundPolicy policy = limited(9, Map.of("speech", 40, "model", 2));
        PoolView one = view(policy, withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1));
        PoolView two = view(policy, withCalls(ready(ACME_POOL, "a1"), ACME, 1, 2));

        assertThat(Admission.plan(one, 0, Set.of(), Timing.STANDARD, NOW)).isInstanceOf(Admission.Admit.class);
        assertThat(Admission.plan(two, 0, Set.of(), Timing.STANDARD, NOW))
                .isEqualTo(new Admission.Defer(
                        Cause.of("provider-limit"), "2 conversations of 2 that provider model allows", NOW));
        // a held caller has a conversation, too
        assertThat(cause(one, 1).text()).isEqualTo("provider-limit");
    }

    @Test
    void due_jobs_are_demand_and_never_live_on_the_reserve() {
        PoolView empty = view(policy(3, 2));
        assertThat(ScaleOut.plan(empty, 0, Backlog.Work.due(1), false, Timing.STANDARD, NOW))
                .isInstanceOfSatisfying(
                        ScaleOut.Grow.class, grow -> assertThat(grow.desired()).isEqualTo(1));
        // 4 callers and 1 job with 2 reserved do not fit into 6 slots; 3 callers do
        PoolView four = view(policy(3, 2), withCalls(ready(ACME_POOL, "a1"), ACME, 1, 4));
        assertThat(ScaleOut.plan(four, 0, Backlog.Work.due(1), false, Timing.STANDARD, NOW))
                .isInstanceOfSatisfying(
                        ScaleOut.Grow.class, grow -> assertThat(grow.desired()).isEqualTo(2));
        PoolView three = view(policy(3, 2), withCalls(ready(ACME_POOL, "a1"), ACME, 1, 3));
        assertThat(ScaleOut.plan(three, 0, Backlog.Work.due(1), false, Timing.STANDARD, NOW))
                .isInstanceOf(ScaleOut.Stay.class);
    }
}
