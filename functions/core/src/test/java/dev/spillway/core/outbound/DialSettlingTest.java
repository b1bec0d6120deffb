package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.outbound.OutboundWorld.job;
import static dev.spillway.core.outbound.OutboundWorld.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.MemoryDials.Weather;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.JobState.Dial;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.PoolId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What becomes of a dial: how it is told that it took place, and how it ends. */
class DialSettlingTest {
    private static final JobId JOB = Sample.job(1);

    private final OutboundWorld world = new OutboundWorld(policy(3, 0));

    @Test
    void a_call_that_talked_ends_completed_and_frees_line_and_slot() {
        world.ready("a1");
        world.table.put(job(1));
        world.run(NOW);
        Generation generation = world.dialOf(JOB);
        world.answering.answer(JOB, generation, world.made(0), seconds(5));
        world.table.containers().connect(ACME_POOL, container("a1"), world.made(0), generation);
        world.table.calls().connect(ACME, world.made(0), generation);
        world.table.containers().end(ACME_POOL, container("a1"), world.made(0), generation);

        world.ending.status(JOB, generation, world.made(0), "completed", seconds(60));

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
        world.ready("a1");
        world.table.put(job(1));
        world.run(NOW);
        Generation generation = world.dialOf(JOB);
        world.ending.status(JOB, generation, world.made(0), "busy", seconds(10));
        Job ended = world.job(JOB);

        world.ending.status(JOB, generation, world.made(0), "busy", seconds(11));
        world.ending.status(JOB, generation, world.made(0), "completed", seconds(12));
        world.ending.status(JOB, generation, call(77), "completed", seconds(13));
        world.ending.status(JOB, generation(1, 9), world.made(0), "completed", seconds(14));

        assertThat(world.job(JOB)).isEqualTo(ended);
    }

    @Test
    void a_late_status_of_an_old_generation_leaves_the_new_dial_alone() {
        world.ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REQUEST_LOST);
        world.run(NOW);
        Generation old = world.dialOf(JOB);
        world.twilio.weather(Weather.FINE);
        world.keepAlive(120);
        world.run(seconds(120)); // Twilio's list shows no such call
        world.run(seconds(121)); // dialled again
        assertThat(world.twilio.made()).hasSize(1);
        Job redialled = world.job(JOB);
        assertThat(world.dialOf(JOB)).isNotEqualTo(old);

        world.ending.status(JOB, old, call(77), "failed", seconds(122));
        DialAnswering.Said said = world.answering.answer(JOB, old, call(77), seconds(123));

        assertThat(said).isEqualTo(new DialAnswering.Said.Told(new Answer.HangUp(seconds(123))));
        assertThat(world.job(JOB)).isEqualTo(redialled);
        assertThat(world.claims()).hasSize(1);
    }

    @Test
    void a_dial_whose_reply_is_lost_is_not_made_again_and_settled_by_twilios_list() {
        world.ready("a1");
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
        assertThat(world.job(JOB).state().callSid()).contains(world.made(0));
    }

    @Test
    void a_dial_whose_reply_is_lost_is_settled_by_the_request_for_its_twiml() {
        world.ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REPLY_LOST);
        world.run(NOW);

        DialAnswering.Said said = world.answering.answer(JOB, world.dialOf(JOB), world.made(0), seconds(3));

        assertThat(said).isInstanceOf(DialAnswering.Said.Told.class);
        assertThat(world.job(JOB).state().callSid()).contains(world.made(0));
        assertThat(world.table.look(ACME_POOL, container("a1")).claims()).containsOnlyKeys(world.made(0));
    }

    @Test
    void a_dial_that_surely_did_not_take_place_gives_its_slot_back_and_waits() {
        world.ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REFUSED);

        world.run(NOW);

        assertThat(world.job(JOB).cause()).contains(Cause.DEPENDENCY);
        assertThat(world.claims()).isEmpty();
        assertThat(world.outbound().calls()).isEmpty();
    }

    @Test
    void a_number_that_twilio_refuses_ends_the_job() {
        world.ready("a1");
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
    void a_final_status_that_never_came_is_asked_of_twilio() {
        world.ready("a1");
        world.table.put(job(1));
        world.run(NOW);
        world.twilio.status(world.made(0), "no-answer");

        world.keepAlive(100);
        world.run(seconds(100));

        assertThat(world.job(JOB).state().text()).isEqualTo("ended");
        assertThat(world.claims()).isEmpty();
        assertThat(world.outbound().calls()).isEmpty();
    }

    @Test
    void a_call_that_twilio_does_not_know_is_lost_and_frees_line_and_slot() {
        world.ready("a1");
        world.table.put(job(1));
        world.run(NOW);
        world.twilio.forget(world.made(0));

        world.keepAlive(100);
        world.run(seconds(100));

        assertThat(world.job(JOB).state())
                .isInstanceOfSatisfying(
                        JobState.Ended.class,
                        ended -> assertThat(ended.outcome()).isEqualTo(Outcome.LOST));
        assertThat(world.table.look(ACME, world.made(0)).outcome()).isEqualTo(Outcome.LOST);
        assertThat(world.claims()).isEmpty();
        assertThat(world.outbound().calls()).isEmpty();
    }

    @Test
    void a_call_that_the_last_resort_sent_to_the_gateway_gives_back_the_slot_claimed_for_it() {
        world.ready("a1");
        world.table.put(Sample.ready(PoolId.GATEWAY, "g1"));
        world.table.put(job(1));
        world.table.put(job(2));
        world.run(NOW);
        world.run(seconds(1));
        CallSid sent = world.made(0);
        Generation taken = generation(1, 9);
        world.table
                .containers()
                .claim(PoolId.GATEWAY, container("g1"), sent, Claim.reserved(taken, ACME, NOW, NOW), 6, NOW);
        Answer.Stream there = new Answer.Stream(PoolId.GATEWAY, container("g1"), taken, seconds(65), seconds(5));
        world.table.calls().adopt(ACME, sent, there, NOW);
        assertThat(world.claims()).hasSize(2);

        world.run(seconds(10));

        // that of the call which still rings stays, and both count as calls out
        assertThat(world.table.look(ACME_POOL, container("a1")).claims()).containsOnlyKeys(Sample.job(2));
        assertThat(world.outbound().calls()).containsOnlyKeys(JOB, Sample.job(2));
    }

    @Test
    void a_round_of_questions_has_a_bound_and_an_end_and_the_next_goes_on_from_there() {
        for (int n = 1; n <= 60; n++) {
            Dial dial = new Dial(container("a1"), generation(1, n), NOW);
            world.table.put(job(n).dialling(dial, "a slot").dialled(call(n), "Twilio's reply", NOW));
            world.twilio.status(call(n), "in-progress");
        }

        world.inquiry.ask(ACME, () -> seconds(120), seconds(120));
        assertThat(world.twilio.questions()).isZero();

        world.inquiry.ask(ACME, () -> seconds(120), seconds(125));
        assertThat(world.twilio.questions()).isEqualTo(50);

        world.inquiry.ask(ACME, () -> seconds(180), seconds(185));
        assertThat(Set.copyOf(world.twilio.askedAbout())).hasSize(60);
    }
}
