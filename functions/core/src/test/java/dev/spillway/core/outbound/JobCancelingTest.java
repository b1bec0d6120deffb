package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.outbound.OutboundWorld.job;
import static dev.spillway.core.outbound.OutboundWorld.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.MemoryDials.Weather;
import dev.spillway.core.memory.Sample;
import org.junit.jupiter.api.Test;

class JobCancelingTest {
    private static final JobId JOB = Sample.job(1);

    private final OutboundWorld world = new OutboundWorld(policy(3, 0));

    @Test
    void a_waiting_job_that_is_canceled_is_never_dialled() {
        world.table.put(job(1));

        world.canceling.cancel(Sample.tenant(ACME), JOB, NOW);
        world.ready("a1");
        world.run(seconds(1));

        assertThat(world.twilio.made()).isEmpty();
        assertThat(world.job(JOB).state())
                .isInstanceOfSatisfying(
                        JobState.Ended.class,
                        ended -> assertThat(ended.outcome()).isEqualTo(Outcome.CANCELED));
    }

    @Test
    void a_dialled_job_that_is_canceled_is_hung_up() {
        world.ready("a1");
        world.table.put(job(1));
        world.run(NOW);

        world.canceling.cancel(Sample.tenant(ACME), JOB, seconds(2));
        assertThat(world.twilio.hungUp()).containsExactly(world.made(0));
        world.ending.status(JOB, world.dialOf(JOB), world.made(0), "completed", seconds(3));

        assertThat(world.job(JOB).state())
                .isInstanceOfSatisfying(
                        JobState.Ended.class,
                        ended -> assertThat(ended.outcome()).isEqualTo(Outcome.CANCELED));
        assertThat(world.claims()).isEmpty();
    }

    @Test
    void a_job_canceled_while_twilio_is_being_asked_is_hung_up_when_it_has_a_name() {
        world.ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REPLY_LOST);
        world.run(NOW);

        world.canceling.cancel(Sample.tenant(ACME), JOB, seconds(1));

        assertThat(world.answering.answer(JOB, world.dialOf(JOB), world.made(0), seconds(2)))
                .isEqualTo(new DialAnswering.Said.Told(new Answer.HangUp(seconds(2))));
    }

    private void isCanceledAndHoldsNothing() {
        assertThat(world.job(JOB).state())
                .isInstanceOfSatisfying(
                        JobState.Ended.class,
                        ended -> assertThat(ended.outcome()).isEqualTo(Outcome.CANCELED));
        assertThat(world.claims()).isEmpty();
        assertThat(world.outbound().calls()).isEmpty();
    }

    @Test
    void a_job_canceled_after_a_request_that_never_reached_twilio_is_not_dialled_again() {
        world.ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REQUEST_LOST);
        world.run(NOW);
        assertThat(world.canceling
                        .cancel(Sample.tenant(ACME), JOB, seconds(1))
                        .orElseThrow()
                        .state()
                        .isInFlight())
                .isTrue();
        world.twilio.weather(Weather.FINE);

        for (int second = 100; second <= 400; second += 20) {
            world.keepAlive(second);
            world.run(seconds(second));
        }

        assertThat(world.twilio.made()).isEmpty();
        isCanceledAndHoldsNothing();
    }

    @Test
    void a_job_canceled_while_twilio_refuses_for_now_ends_at_once() {
        world.ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REFUSED);
        world.twilio.whileDialling(() -> world.canceling.cancel(Sample.tenant(ACME), JOB, NOW));

        world.run(NOW);

        isCanceledAndHoldsNothing();
    }

    @Test
    void a_call_that_twilios_list_shows_is_hung_up_if_its_job_was_canceled() {
        world.ready("a1");
        world.table.put(job(1));
        world.twilio.weather(Weather.REPLY_LOST);
        world.run(NOW);
        world.canceling.cancel(Sample.tenant(ACME), JOB, seconds(1));

        world.keepAlive(40);
        world.run(seconds(40));

        assertThat(world.job(JOB).state().callSid()).contains(world.made(0));
        assertThat(world.twilio.hungUp()).containsExactly(world.made(0));
    }

    @Test
    void a_call_whose_hang_up_failed_is_hung_up_later() {
        world.ready("a1");
        world.table.put(job(1));
        world.run(NOW);
        world.twilio.down(true);
        assertThatThrownBy(() -> world.canceling.cancel(Sample.tenant(ACME), JOB, seconds(1)))
                .isInstanceOf(DependencyException.class);
        world.twilio.down(false);

        world.keepAlive(100);
        world.run(seconds(100));

        assertThat(world.twilio.hungUp()).containsExactly(world.made(0));
    }

    @Test
    void a_job_that_waits_again_though_it_was_canceled_is_ended_by_whoever_sees_it_first() {
        JobState.Dial dial = new JobState.Dial(container("a1"), generation(1, 9), NOW);
        Job waiting = job(1)
                .dialling(dial, "a slot")
                .cancelRequested(NOW)
                .deferred(Cause.FULL, Sample.NO_SLOTS, "full", NOW, NOW);
        world.ready("a1");
        world.table.put(waiting);

        world.dialer.step(ACME, world.lead(NOW), NOW);
        isCanceledAndHoldsNothing();

        world.table.put(waiting);
        world.upkeep.visit(ACME, NOW);
        isCanceledAndHoldsNothing();
        assertThat(world.twilio.made()).isEmpty();
    }
}
