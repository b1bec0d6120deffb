package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
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
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.contract.AtOnce;
import dev.spillway.core.memory.MemoryDials;
import dev.spillway.core.memory.MemoryDials.Weather;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Outbound.Lease;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Containers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

class DialerTest {
    private static final JobId JOB = Sample.job(1);

    private final OutboundWorld world = new OutboundWorld(policy(3, 0));

    private void ready(String... names) {
        for (String name : names) {
            world.table.put(Sample.ready(ACME_POOL, name));
        }
    }

    private CallSid made(int n) {
        return world.twilio.made().get(n).call();
    }

    private Generation dialOf(JobId id) {
        return world.job(id).state().lastDial().orElseThrow().generation();
    }

    @Test
    void a_job_on_a_pool_at_zero_dials_nobody_and_starts_a_container() {
        world.table.put(job(1));

        world.run(NOW);

        assertThat(world.twilio.made()).isEmpty();
        assertThat(world.job(JOB).cause()).contains(Cause.STARTING);
        assertThat(world.table.look(ACME_POOL).pool().desired()).isEqualTo(1);
        assertThat(world.table.fleet().desired(ACME_SERVICE)).isEqualTo(1);
        assertThat(world.outbound().calls()).isEmpty();
    }

    @Test
    void once_a_container_is_ready_the_job_is_dialled_before_its_own_next_try() {
        world.table.put(job(1));
        world.run(NOW);
        ready("a1");

        world.run(seconds(1));

        assertThat(world.twilio.made()).extracting(MemoryDials.Made::job).containsExactly(JOB);
        assertThat(world.job(JOB).state()).isInstanceOf(JobState.Dialled.class);
        assertThat(world.outbound().calls()).containsOnlyKeys(JOB);
        assertThat(world.table.look(ACME_POOL, container("a1")).claims()).containsOnlyKeys(JOB);
    }

    @Test
    void the_one_who_answers_gets_a_stream_pinned_to_the_claim_that_now_is_the_calls() {
        ready("a1");
        world.table.put(job(1));
        world.run(NOW);

        DialAnswering.Said said = world.answering.answer(JOB, dialOf(JOB), made(0), seconds(5));

        assertThat(said)
                .isEqualTo(new DialAnswering.Said.Told(
                        new Answer.Stream(ACME_POOL, container("a1"), dialOf(JOB), seconds(65), seconds(5))));
        assertThat(world.table.look(ACME_POOL, container("a1")).claims()).containsOnlyKeys(made(0));
        assertThat(world.answering.answer(JOB, dialOf(JOB), made(0), seconds(6)))
                .isEqualTo(said);
    }

    @Test
    void a_call_that_talked_ends_completed_and_frees_line_and_slot() {
        ready("a1");
        world.table.put(job(1));
        world.run(NOW);
        Generation generation = dialOf(JOB);
        world.answering.answer(JOB, generation, made(0), seconds(5));
        world.table.containers().connect(ACME_POOL, container("a1"), made(0), generation);
        world.table.calls().connect(ACME, made(0), generation);
        world.table.containers().end(ACME_POOL, container("a1"), made(0), generation);

        world.ending.status(JOB, generation, made(0), "completed", seconds(60));

        assertThat(world.job(JOB).state())
                .isInstanceOfSatisfying(
                        JobState.Ended.class,
                        ended -> assertThat(ended.outcome()).isEqualTo(Outcome.COMPLETED));
        assertThat(world.outbound().calls()).isEmpty();
        assertThat(world.claims()).isEmpty();
    }

    @Test
    void a_call_that_nobody_answers_frees_its_slot_at_its_final_status() {
        for (String status : List.of("busy", "no-answer", "failed", "canceled")) {
            OutboundWorld fresh = new OutboundWorld(policy(3, 0));
            fresh.table.put(Sample.ready(ACME_POOL, "a1"));
            fresh.table.put(job(1));
            fresh.run(NOW);
            CallSid sid = fresh.twilio.made().getFirst().call();
            Generation generation =
                    fresh.job(JOB).state().lastDial().orElseThrow().generation();
            assertThat(fresh.claims()).hasSize(1);

            fresh.ending.status(JOB, generation, sid, "initiated", seconds(1));
            fresh.ending.status(JOB, generation, sid, status, seconds(30));

            assertThat(fresh.claims()).as(status).isEmpty();
            assertThat(fresh.outbound().calls()).isEmpty();
            assertThat(fresh.job(JOB).state().text()).isEqualTo("ended");
        }
    }

    @Test
    void a_late_or_repeated_status_changes_nothing() {
        ready("a1");
        world.table.put(job(1));
        world.run(NOW);
        Generation generation = dialOf(JOB);
        world.ending.status(JOB, generation, made(0), "busy", seconds(10));
        Job ended = world.job(JOB);

        world.ending.status(JOB, generation, made(0), "busy", seconds(11));
        world.ending.status(JOB, generation, made(0), "completed", seconds(12));
        world.ending.status(JOB, generation, call(77), "completed", seconds(13));
        world.ending.status(JOB, generation(1, 9), made(0), "completed", seconds(14));

        assertThat(world.job(JOB)).isEqualTo(ended);
    }

    @Test
    void a_late_status_of_an_old_generation_leaves_the_new_dial_alone() {
        ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REQUEST_LOST);
        world.run(NOW);
        Generation old = dialOf(JOB);
        world.twilio.weather(Weather.FINE);
        keepAlive(world, 120);
        world.run(seconds(120)); // Twilio's list shows no such call: dialled again
        assertThat(world.twilio.made()).hasSize(1);
        Job redialled = world.job(JOB);
        assertThat(dialOf(JOB)).isNotEqualTo(old);

        world.ending.status(JOB, old, call(77), "failed", seconds(121));
        DialAnswering.Said said = world.answering.answer(JOB, old, call(77), seconds(122));

        assertThat(said).isEqualTo(new DialAnswering.Said.Told(new Answer.HangUp(seconds(122))));
        assertThat(world.job(JOB)).isEqualTo(redialled);
        assertThat(world.claims()).hasSize(1);
    }

    @Test
    void a_dial_whose_reply_is_lost_is_not_made_again_and_settled_by_twilios_list() {
        ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REPLY_LOST);
        world.run(NOW);
        assertThat(world.job(JOB).state()).isInstanceOf(JobState.DialUnknown.class);
        world.twilio.weather(Weather.FINE);

        world.twilio.down(true);
        for (int second = 10; second < 600; second += 60) {
            world.run(seconds(second));
        }
        assertThat(world.twilio.made()).hasSize(1);
        assertThat(world.job(JOB).state()).isInstanceOf(JobState.DialUnknown.class);
        world.twilio.down(false);
        world.run(seconds(660));

        assertThat(world.twilio.made()).hasSize(1);
        assertThat(world.job(JOB).state().callSid()).contains(made(0));
    }

    @Test
    void a_dial_whose_reply_is_lost_is_settled_by_the_request_for_its_twiml() {
        ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REPLY_LOST);
        world.run(NOW);

        DialAnswering.Said said = world.answering.answer(JOB, dialOf(JOB), made(0), seconds(3));

        assertThat(said).isInstanceOf(DialAnswering.Said.Told.class);
        assertThat(world.job(JOB).state().callSid()).contains(made(0));
        assertThat(world.table.look(ACME_POOL, container("a1")).claims()).containsOnlyKeys(made(0));
    }

    @Test
    void a_dial_that_surely_did_not_take_place_gives_its_slot_back_and_waits() {
        ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REFUSED);

        world.run(NOW);

        assertThat(world.job(JOB).cause()).contains(Cause.DEPENDENCY);
        assertThat(world.claims()).isEmpty();
        assertThat(world.outbound().calls()).isEmpty();
    }

    @Test
    void a_number_that_twilio_refuses_ends_the_job() {
        ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REFUSED_FOR_GOOD);

        world.run(NOW);

        assertThat(world.job(JOB).state())
                .isInstanceOfSatisfying(
                        JobState.Ended.class,
                        ended -> assertThat(ended.outcome()).isEqualTo(Outcome.SETUP_FAILED));
        assertThat(world.claims()).isEmpty();
        assertThat(world.outbound().calls()).isEmpty();
    }

    @Test
    void one_second_lies_between_two_dials() {
        ready("a1");
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
        ready("a1", "a2");
        for (int n = 1; n <= 6; n++) {
            world.table.put(job(n));
        }
        for (int second = 0; second < 5; second++) {
            world.run(seconds(second));
        }
        assertThat(world.twilio.made()).hasSize(3);

        // the first one's claim has moved to another container
        JobId first = world.twilio.made().getFirst().job();
        CallSid sid = made(0);
        world.answering.answer(first, dialOf(first), sid, seconds(6));
        world.table
                .containers()
                .end(
                        ACME_POOL,
                        world.job(first).state().lastDial().orElseThrow().container(),
                        sid,
                        dialOf(first));
        world.run(seconds(7));
        assertThat(world.twilio.made()).hasSize(3);

        world.ending.status(first, dialOf(first), sid, "completed", seconds(8));
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
    void a_dialer_that_slept_past_its_lease_dials_nobody() {
        ready("a1");
        world.table.put(job(1));
        Lease old = world.lead(NOW);
        // the old holder sleeps between its look and its line; meanwhile another takes over, and rests
        world.table.operations().on(Operation.LINES_ENTER, 1, Moment.BEFORE, () -> {
            Lease taken = world.lead(seconds(31));
            world.dialer.giveUp(ACME, taken);
        });

        Dialer.Next next = world.dialer.step(ACME, old, NOW);

        assertThat(next).isInstanceOf(Dialer.Next.Rest.class);
        assertThat(world.twilio.made()).isEmpty();
        assertThat(world.claims()).isEmpty();
    }

    @Test
    void a_dialer_that_slept_between_claim_and_dial_dials_nobody_once_another_took_over() {
        ready("a1");
        world.table.put(job(1));
        Lease old = world.lead(NOW);
        world.table.operations().on(Operation.JOBS_REPLACE, 1, Moment.BEFORE, () -> {
            keepAlive(world, 31);
            world.run(seconds(31));
        });

        world.dialer.step(ACME, old, NOW);

        // the other one gave its line and slot back, and dialled in its own name
        assertThat(world.twilio.made()).hasSize(1);
        assertThat(world.outbound().calls()).hasSize(1);
        assertThat(world.claims()).hasSize(1);
        assertThat(world.outbound().calls().get(JOB)).isEqualTo(dialOf(JOB));
    }

    @Test
    void while_one_dialer_leads_there_is_no_other() {
        ready("a1");
        world.table.put(job(1));
        world.lead(NOW);

        assertThat(world.dialer.lead(ACME, "another", seconds(29))).isEmpty();
        assertThat(world.dialer.lead(ACME, "another", seconds(30))).isPresent();
    }

    @Test
    void of_32_dialers_exactly_one_leads() {
        world.table.put(job(1));

        assertThat(AtOnce.run(
                        32,
                        n -> world.dialer.lead(ACME, "one of many " + n, NOW).isPresent()))
                .containsOnlyOnce(true);
    }

    @Test
    void whatever_write_a_dialer_dies_at_nobody_is_dialled_twice_and_nothing_stays_held() {
        for (Moment moment : Moment.values()) {
            for (int write = 1; write <= 6; write++) {
                OutboundWorld fresh = new OutboundWorld(policy(3, 0));
                fresh.table.put(Sample.ready(ACME_POOL, "a1"));
                fresh.table.put(job(1));
                fresh.table.operations().crashAtWrite(write, moment);
                try {
                    fresh.run(NOW);
                } catch (dev.spillway.core.memory.Crash crash) {
                    assertThat(crash).isNotNull();
                }
                fresh.table.operations().heal();
                for (int second = 40; second <= 300; second += 20) {
                    keepAlive(fresh, second);
                    fresh.run(seconds(second));
                }
                String where = moment + " write " + write;
                assertThat(fresh.twilio.made()).as(where).hasSize(1);
                MemoryDials.Made only = fresh.twilio.made().getFirst();
                fresh.ending.status(JOB, only.generation(), only.call(), "no-answer", seconds(310));
                assertThat(fresh.job(JOB).state().text()).as(where).isEqualTo("ended");
                assertThat(fresh.claims()).as(where).isEmpty();
                assertThat(fresh.outbound().calls()).as(where).isEmpty();
            }
        }
    }

    private static void keepAlive(OutboundWorld world, int second) {
        world.table
                .containers()
                .heartbeat(
                        ACME_POOL,
                        container("a1"),
                        "boot-a1",
                        world.table.look(ACME_POOL, container("a1")).report(),
                        seconds(second + 30),
                        seconds(second + 3600));
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
    void a_final_status_that_never_came_is_asked_of_twilio() {
        ready("a1");
        world.table.put(job(1));
        world.run(NOW);
        world.twilio.status(made(0), "no-answer");

        keepAlive(world, 100);
        world.run(seconds(100));

        assertThat(world.job(JOB).state().text()).isEqualTo("ended");
        assertThat(world.claims()).isEmpty();
        assertThat(world.outbound().calls()).isEmpty();
    }

    @Test
    void a_waiting_job_that_is_canceled_is_never_dialled() {
        world.table.put(job(1));

        world.canceling.cancel(Sample.tenant(ACME), JOB, NOW);
        ready("a1");
        world.run(seconds(1));

        assertThat(world.twilio.made()).isEmpty();
        assertThat(world.job(JOB).state())
                .isInstanceOfSatisfying(
                        JobState.Ended.class,
                        ended -> assertThat(ended.outcome()).isEqualTo(Outcome.CANCELED));
    }

    @Test
    void a_dialled_job_that_is_canceled_is_hung_up() {
        ready("a1");
        world.table.put(job(1));
        world.run(NOW);

        world.canceling.cancel(Sample.tenant(ACME), JOB, seconds(2));
        assertThat(world.twilio.hungUp()).containsExactly(made(0));
        world.ending.status(JOB, dialOf(JOB), made(0), "completed", seconds(3));

        assertThat(world.job(JOB).state())
                .isInstanceOfSatisfying(
                        JobState.Ended.class,
                        ended -> assertThat(ended.outcome()).isEqualTo(Outcome.CANCELED));
        assertThat(world.claims()).isEmpty();
    }

    @Test
    void a_job_canceled_while_twilio_is_being_asked_is_hung_up_when_it_has_a_name() {
        ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REPLY_LOST);
        world.run(NOW);

        world.canceling.cancel(Sample.tenant(ACME), JOB, seconds(1));

        assertThat(world.answering.answer(JOB, dialOf(JOB), made(0), seconds(2)))
                .isEqualTo(new DialAnswering.Said.Told(new Answer.HangUp(seconds(2))));
    }

    @Test
    void two_jobs_to_one_number_are_dialled_one_after_the_other() {
        ready("a1");
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

        world.ending.status(JOB, dialOf(JOB), made(0), "completed", seconds(3));
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
}
