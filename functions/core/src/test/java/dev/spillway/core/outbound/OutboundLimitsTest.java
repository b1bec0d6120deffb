package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.withCalls;
import static dev.spillway.core.outbound.OutboundWorld.job;
import static dev.spillway.core.outbound.OutboundWorld.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.background.Lease;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.contract.AtOnce;
import dev.spillway.core.memory.MemoryDials.Weather;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderId;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.tenant.Principal;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Whom and how many a dialer may dial. */
class OutboundLimitsTest {
    private static final JobId JOB = Sample.job(1);

    private final OutboundWorld world = new OutboundWorld(policy(3, 0));

    @Test
    void one_second_lies_between_two_dials() {
        world.ready("a1");
        world.table.put(job(1));
        world.table.put(job(2));
        Lease lease = world.lead(NOW);

        assertThat(world.dialer.step(ACME, lease, NOW)).isEqualTo(new Dialer.Next.StepAt(NOW));
        assertThat(world.dialer.step(ACME, lease, NOW)).isEqualTo(new Dialer.Next.StepAt(seconds(1)));
        world.dialer.step(ACME, lease, seconds(1));

        assertThat(world.twilio.made()).hasSize(2);
    }

    @Test
    void never_more_calls_out_than_the_limit_wherever_their_claims_have_gone() {
        world.ready("a1", "a2");
        for (int n = 1; n <= 6; n++) {
            world.table.put(job(n));
        }
        for (int second = 0; second < 5; second++) {
            world.run(seconds(second));
        }
        assertThat(world.twilio.made()).hasSize(3);

        // the first one's claim has moved to another container
        JobId first = world.twilio.made().getFirst().job();
        CallSid sid = world.made(0);
        world.answering.answer(first, world.dialOf(first), sid, seconds(6));
        world.table
                .containers()
                .end(
                        ACME_POOL,
                        world.job(first).state().lastDial().orElseThrow().container(),
                        sid,
                        world.dialOf(first));
        world.run(seconds(7));
        assertThat(world.twilio.made()).hasSize(3);

        world.ending.status(first, world.dialOf(first), sid, "completed", seconds(8));
        world.run(seconds(9));
        assertThat(world.twilio.made()).hasSize(4);
    }

    @Test
    void the_inbound_reserve_is_left_alone() {
        OutboundWorld reserved = new OutboundWorld(policy(10, 2));
        reserved.table.put(withCalls(Sample.ready(ACME_POOL, "a1"), ACME, 100, 3));
        for (int n = 1; n <= 4; n++) {
            reserved.table.put(job(n));
        }
        for (int second = 0; second < 5; second++) {
            reserved.run(seconds(second));
        }
        // 6 slots, 3 callers, 2 reserved: one call out
        assertThat(reserved.twilio.made()).hasSize(1);
        assertThat(reserved.job(Sample.job(2)).cause()).contains(Cause.RESERVE);
    }

    @Test
    void a_caller_who_comes_between_the_plan_and_the_dial_keeps_the_reserve() {
        OutboundWorld reserved = new OutboundWorld(policy(10, 2));
        reserved.table.put(withCalls(Sample.ready(ACME_POOL, "a1"), ACME, 100, 3));
        reserved.table.put(job(1));
        // when a caller takes a slot right after the dialer claimed the last one above the reserve
        reserved.table
                .operations()
                .on(
                        Operation.CONTAINERS_CLAIM,
                        1,
                        Moment.AFTER,
                        () -> reserved.table
                                .containers()
                                .claim(
                                        ACME_POOL,
                                        container("a1"),
                                        call(200),
                                        Claim.reserved(generation(1, 200), ACME, NOW, NOW),
                                        6,
                                        NOW));
        reserved.run(NOW);
        assertThat(reserved.twilio.made()).isEmpty();
        assertThat(reserved.outbound().calls()).isEmpty();
        assertThat(reserved.table.look(ACME_POOL, container("a1")).claims())
                .hasSize(4)
                .containsKey(call(200));
    }

    @Test
    void of_a_caller_and_a_dialer_exactly_one_gets_the_last_slot() {
        for (int round = 0; round < 200; round++) {
            OutboundWorld small = new OutboundWorld(policy(3, 0));
            small.table.put(withCalls(Sample.ready(ACME_POOL, "a1"), ACME, 100, 5));
            small.table.put(job(1));
            Lease lease = small.lead(NOW);
            List<Callable<Boolean>> race = List.of(
                    () -> {
                        small.dialer.step(ACME, lease, NOW);
                        return !small.twilio.made().isEmpty();
                    },
                    () -> small.table
                                    .containers()
                                    .claim(
                                            ACME_POOL,
                                            container("a1"),
                                            call(200),
                                            Claim.reserved(generation(1, 200), ACME, NOW, NOW),
                                            6,
                                            NOW)
                            instanceof Containers.ClaimResult.Claimed);

            List<Boolean> won = AtOnce.run(race);

            assertThat(won).as("round " + round).containsOnlyOnce(true);
            assertThat(small.claims()).hasSize(6);
            assertThat(small.outbound().calls()).hasSize(won.get(0) ? 1 : 0);
        }
    }

    @Test
    void a_job_ends_as_deferred_expired_at_its_deadline_and_nobody_is_dialled() {
        world.table.put(job(1));
        world.run(NOW);

        world.run(seconds(3600));

        assertThat(world.job(JOB).state())
                .isInstanceOfSatisfying(
                        JobState.Ended.class,
                        ended -> assertThat(ended.outcome()).isEqualTo(Outcome.DEFERRED_EXPIRED));
        assertThat(world.twilio.made()).isEmpty();
    }

    @Test
    void two_jobs_to_one_number_are_dialled_one_after_the_other() {
        world.ready("a1");
        Job first = job(1);
        world.table.put(first);
        world.table.put(Job.accepted(
                Sample.job(2),
                first.to(),
                first.from(),
                "scripted",
                first.batch(),
                NOW,
                first.deadline(),
                first.maximumWait(),
                NOW));
        world.run(NOW);
        world.run(seconds(2));
        assertThat(world.twilio.made()).hasSize(1);

        world.ending.status(JOB, world.dialOf(JOB), world.made(0), "completed", seconds(3));
        world.run(seconds(4));
        assertThat(world.twilio.made()).hasSize(2);
    }

    @Test
    void a_number_that_was_suppressed_meanwhile_is_not_dialled() {
        OutboundPolicy before = policy(3, 0);
        OutboundWorld strict = new OutboundWorld(new OutboundPolicy(
                3, 0, 100, 1, 1000, Map.of(), before.countries(), Set.of("hash of " + job(1).to()), before.warmth()));
        strict.table.put(Sample.ready(ACME_POOL, "a1"));
        strict.table.put(job(1));

        strict.run(NOW);

        assertThat(strict.twilio.made()).isEmpty();
        assertThat(strict.job(JOB).state())
                .isInstanceOfSatisfying(
                        JobState.Ended.class,
                        ended -> assertThat(ended.outcome()).isEqualTo(Outcome.REFUSED));
    }

    private static OutboundPolicy wide(int dailyCap, List<Country> countries) {
        return new OutboundPolicy(3, 0, 1000, 1, dailyCap, Map.of(), countries, Set.of(), OutboundPolicy.Warmth.USUAL);
    }

    @Test
    void a_dial_that_twilio_did_not_take_is_not_counted_and_one_that_nobody_knows_of_is() {
        OutboundWorld capped = new OutboundWorld(wide(2, List.of(Country.always("+1"))));
        capped.ready("a1");
        capped.table.put(job(1));
        capped.twilio.weather(Weather.REFUSED);
        for (int second = 0; second <= 600; second += 60) {
            capped.keepAlive(second);
            capped.run(seconds(second));
        }
        assertThat(capped.outbound().pace().dialsOfDay()).isZero();
        assertThat(capped.outbound().pace().lastDialAt()).isAfter(NOW);

        capped.twilio.weather(Weather.REPLY_LOST);
        capped.keepAlive(700);
        capped.run(seconds(700));
        assertThat(capped.outbound().pace().dialsOfDay()).isEqualTo(1);

        capped.twilio.weather(Weather.FINE);
        capped.table.put(job(2));
        capped.run(seconds(702));
        assertThat(capped.twilio.made()).hasSize(2);
        capped.table.put(job(3));
        capped.run(seconds(704));
        assertThat(capped.job(Sample.job(3)).cause()).contains(Cause.DAILY_CAP);
    }

    @Test
    void a_slot_that_is_lost_to_a_caller_is_no_dial_of_the_day() {
        world.ready("a1");
        world.table.put(job(1));
        world.table
                .operations()
                .on(
                        Operation.CONTAINERS_CLAIM,
                        1,
                        Moment.BEFORE,
                        () -> world.table.put(withCalls(Sample.ready(ACME_POOL, "a1"), ACME, 200, 6)));

        world.run(NOW);

        assertThat(world.twilio.made()).isEmpty();
        assertThat(world.outbound().pace().dialsOfDay()).isZero();
    }

    @Test
    void an_order_to_stop_that_comes_between_the_plan_and_the_dial_dials_nobody() {
        world.ready("a1");
        world.table.put(job(1));
        world.table
                .operations()
                .on(
                        Operation.CONTAINERS_CLAIM,
                        1,
                        Moment.AFTER,
                        () -> world.table
                                .pools()
                                .order(
                                        ACME_POOL,
                                        new Order(
                                                new OrderId("%020d".formatted(1)),
                                                new Order.StopOutbound(),
                                                new Principal("arn:aws:iam::123456789012:user/ann"),
                                                "the wrong list",
                                                NOW,
                                                seconds(600)),
                                        null));

        world.run(NOW);

        assertThat(world.twilio.made()).isEmpty();
        assertThat(world.job(JOB).cause()).contains(Cause.OPERATOR);
        assertThat(world.claims()).isEmpty();
        assertThat(world.outbound().calls()).isEmpty();
    }

    private static OutboundWorld with150Jobs(List<Country> countries) {
        OutboundWorld large = new OutboundWorld(wide(1000, countries));
        for (int n = 1; n <= 150; n++) {
            large.table.put(job(n));
        }
        large.table.operations().clearLog();
        return large;
    }

    @Test
    void one_step_writes_down_a_hundred_refusals_or_deferrals_and_the_next_the_others() {
        Country closed =
                new Country("+1", Set.of(ZoneId.of("America/New_York")), LocalTime.of(9, 0), LocalTime.of(20, 0));
        for (List<Country> countries : List.of(List.<Country>of(), List.of(closed))) {
            OutboundWorld large = with150Jobs(countries);
            Lease lease = large.lead(NOW);

            large.dialer.step(ACME, lease, NOW);
            assertThat(large.table.operations().count(Operation.JOBS_REPLACE)).isEqualTo(100);

            large.dialer.step(ACME, lease, NOW);
            assertThat(large.table.operations().count(Operation.JOBS_REPLACE)).isEqualTo(150);
        }
    }

    @Test
    void one_visit_writes_down_a_hundred_deadlines_and_the_next_the_others() {
        OutboundWorld large = with150Jobs(List.of());

        large.upkeep.visit(ACME, seconds(3600));
        assertThat(large.table.operations().count(Operation.JOBS_REPLACE)).isEqualTo(100);

        large.upkeep.visit(ACME, seconds(3600));
        assertThat(large.table.operations().count(Operation.JOBS_REPLACE)).isEqualTo(150);
    }

    @Test
    void the_end_of_a_conversation_wakes_a_job_that_waits_for_its_provider() {
        OutboundWorld limited = new OutboundWorld(new OutboundPolicy(
                3,
                0,
                100,
                1,
                1000,
                java.util.Map.of("model", 1),
                java.util.List.of(Country.always("+1")),
                java.util.Set.of(),
                OutboundPolicy.Warmth.USUAL));
        limited.ready("a1");
        limited.table.put(job(1));
        limited.table.put(job(2));
        limited.run(NOW);
        limited.run(seconds(1));
        assertThat(limited.twilio.made()).hasSize(1);
        JobState.Waiting waiting = (JobState.Waiting) limited.job(Sample.job(2)).state();
        assertThat(waiting.nextTryAt()).isAfter(seconds(1).plusMillis(500));

        limited.ending.status(Sample.job(1), limited.dialOf(Sample.job(1)), limited.made(0), "busy", seconds(1));
        limited.run(seconds(1).plusMillis(500)); // before its own next try

        assertThat(limited.twilio.made()).hasSize(2);
    }
}
