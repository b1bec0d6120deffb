package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.outbound.OutboundWorld.job;
import static dev.spillway.core.outbound.OutboundWorld.policy;
import static org.assertj.core.api.Assertions.assertThat;

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
}
