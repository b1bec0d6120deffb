package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.outbound.OutboundWorld.job;
import static dev.spillway.core.outbound.OutboundWorld.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.background.Lease;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.JobId;
import dev.spillway.core.contract.AtOnce;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.memory.MemoryDials;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who dials, and when. */
class DialerTest {
    private static final JobId JOB = Sample.job(1);

    private final OutboundWorld world = new OutboundWorld(policy(3, 0));

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
        world.ready("a1");

        world.run(seconds(1));

        assertThat(world.twilio.made()).extracting(MemoryDials.Made::job).containsExactly(JOB);
        assertThat(world.job(JOB).state()).isInstanceOf(JobState.Dialled.class);
        assertThat(world.outbound().calls()).containsOnlyKeys(JOB);
        assertThat(world.table.look(ACME_POOL, container("a1")).claims()).containsOnlyKeys(JOB);
    }

    @Test
    void a_slot_that_was_given_back_is_counted_as_taken_again_by_the_job_it_is_claimed_for() {
        world.table.put(Sample.withCalls(Sample.ready(ACME_POOL, "a1"), ACME, 9, 1));
        world.table.time(seconds(2));
        world.table
                .look(ACME_POOL, container("a1"))
                .claims()
                .forEach((call, claim) ->
                        world.table.containers().end(ACME_POOL, container("a1"), (CallSid) call, claim.generation()));
        world.table.put(job(1));

        world.run(seconds(5));

        assertThat(world.table.written("slot-reused")).singleElement().satisfies(entry -> {
            assertThat(entry.fields()).containsEntry("job", JOB.value());
            assertThat(entry.metrics()).isEqualTo(Map.of(Metric.SLOT_REUSE_SECONDS, 3.0));
        });
        assertThat(world.table.written("dial"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.metrics()).containsOnlyKeys(Metric.OUTBOUND_WAIT_SECONDS));
    }

    @Test
    void a_deferred_job_wants_the_dialer_again_at_its_next_try_or_at_its_deadline_if_that_is_sooner() {
        Job patient = job(1);
        for (int i = 0; i < 5; i++) {
            patient = patient.deferred(Cause.STARTING, Sample.NO_SLOTS, "no slot", NOW, NOW);
        }
        world.table.put(patient);
        Lease lease = world.lead(NOW);

        // half of a cold start, by the chance of this world
        assertThat(world.dialer.step(ACME, lease, NOW)).isEqualTo(new Dialer.Next.Later(seconds(30)));

        // after the day's cap, for example, it asks again at its deadline
        world.table.put(until(2, 20).deferred(Cause.STARTING, Sample.NO_SLOTS, "no slot", seconds(20), NOW));
        assertThat(world.dialer.step(ACME, lease, seconds(1))).isEqualTo(new Dialer.Next.Later(seconds(20)));
    }

    @Test
    void the_dialer_is_wanted_for_deferred_jobs_every_five_seconds_at_most() {
        for (int n = 1; n <= 50; n++) {
            world.table.put(job(n));
        }

        assertThat(world.dialer.step(ACME, world.lead(NOW), NOW)).isEqualTo(new Dialer.Next.Later(seconds(5)));
    }

    @Test
    void a_job_that_asks_again_tomorrow_is_left_to_the_minutes_run() {
        OutboundWorld capped = new OutboundWorld(new OutboundPolicy(
                3, 0, 100, 1, 0, Map.of(), List.of(Country.always("+1")), Set.of(), OutboundPolicy.Warmth.USUAL));
        capped.ready("a1");
        capped.table.put(job(1));

        assertThat(capped.dialer.step(ACME, capped.lead(NOW), NOW)).isInstanceOf(Dialer.Next.Rest.class);
    }

    /** As {@link OutboundWorld#job(int)}, until that second. */
    private static Job until(int n, int second) {
        Job job = job(n);
        return Job.accepted(
                job.id(), job.to(), job.from(), job.agent(), job.batch(), NOW, seconds(second), job.maximumWait(), NOW);
    }

    @Test
    void the_one_who_answers_gets_a_stream_pinned_to_the_claim_that_now_is_the_calls() {
        world.ready("a1");
        world.table.put(job(1));
        world.run(NOW);

        DialAnswering.Said said = world.answering.answer(JOB, world.dialOf(JOB), world.made(0), seconds(5));

        assertThat(said)
                .isEqualTo(new DialAnswering.Said.Told(
                        new Answer.Stream(ACME_POOL, container("a1"), world.dialOf(JOB), seconds(65), seconds(5))));
        assertThat(world.table.look(ACME_POOL, container("a1")).claims()).containsOnlyKeys(world.made(0));
        assertThat(world.table.look(ACME_POOL, container("a1")).claims().values())
                .extracting(Claim::job)
                .containsExactly(JOB);
        assertThat(world.answering.answer(JOB, world.dialOf(JOB), world.made(0), seconds(6)))
                .isEqualTo(said);
    }

    @Test
    void a_dialer_that_slept_past_its_lease_dials_nobody() {
        world.ready("a1");
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
        world.ready("a1");
        world.table.put(job(1));
        Lease old = world.lead(NOW);
        world.table.operations().on(Operation.JOBS_REPLACE, 1, Moment.BEFORE, () -> {
            world.keepAlive(31);
            world.run(seconds(31));
        });

        world.dialer.step(ACME, old, NOW);

        // the other one gave its line and slot back, and dialled in its own name
        assertThat(world.twilio.made()).hasSize(1);
        assertThat(world.outbound().calls()).hasSize(1);
        assertThat(world.claims()).hasSize(1);
        assertThat(world.outbound().calls().get(JOB)).isEqualTo(world.dialOf(JOB));
    }

    @Test
    void while_one_dialer_leads_there_is_no_other() {
        world.ready("a1");
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
                    fresh.keepAlive(second);
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
}
