package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobState;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.PoolId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A call out whose own webhook failed, so that Twilio asks its fallback: it has a slot already, and takes no other. */
class DialFallbackTest {
    private static final JobId JOB = Sample.job(1);
    private static final Generation GENERATION = generation(1, 7);
    private static final String FAILED =
            "https://api.example.com/twilio/dial/acme/" + JOB + "/" + GENERATION + "#ct=1000&rt=3000&tt=5000&rc=0";

    private final World world = new World().withGateway();

    DialFallbackTest() {
        world.table.put(Sample.ready(ACME_POOL, "a1"));
        world.table
                .containers()
                .claim(ACME_POOL, container("a1"), JOB, Claim.reserved(GENERATION, JOB.tenant(), NOW, NOW), 6, NOW);
        world.table.put(job().dialling(new JobState.Dial(container("a1"), GENERATION, NOW), "a slot"));
    }

    private static Job job() {
        return Job.accepted(
                JOB,
                "+15005551001",
                World.NUMBER,
                "scripted",
                new Job.Batch("a", 1),
                NOW,
                NOW.plus(Duration.ofHours(1)),
                Duration.ofMinutes(15),
                NOW);
    }

    private static Request fallback(String errorUrl) {
        return Request.fallback()
                .with("Direction", "outbound-api")
                .with("From", World.NUMBER)
                .with("To", "+15005551001")
                .with("ErrorCode", "11200")
                .with("ErrorUrl", errorUrl);
    }

    @Test
    void it_is_answered_with_the_slot_that_was_claimed_before_the_dial_and_with_no_other() {
        String answer = world.fallback(fallback(FAILED)).getBody();

        assertThat(answer).contains("/stream/acme/a1/" + World.call() + "/" + GENERATION + "/");
        assertThat(world.table.look(ACME_POOL, container("a1")).claims()).containsOnlyKeys(World.call());
        assertThat(claims()).isEqualTo(1);
        assertThat(world.table.look(JOB).state().callSid()).contains(World.call());
    }

    @Test
    void without_the_fragment_it_is_the_same_and_a_repeat_gets_the_same_answer() {
        String first = world.fallback(fallback(FAILED.substring(0, FAILED.indexOf('#'))))
                .getBody();

        assertThat(world.fallback(fallback(FAILED)).getBody()).isEqualTo(first);
        assertThat(claims()).isEqualTo(1);
    }

    @Test
    void one_that_is_canceled_meanwhile_is_hung_up() {
        world.table.put(world.table.look(JOB).cancelRequested(NOW));

        assertThat(world.fallback(fallback(FAILED)).getBody()).contains("<Hangup");
        assertThat(claims()).isEqualTo(1); // goes with the call's final status
    }

    @Test
    void what_names_no_dial_of_this_tenants_is_a_first_placement() {
        for (String url : List.of(
                "https://api.example.com/twilio/dial/bloom/" + JOB + "/" + GENERATION,
                "https://evil.example.com/twilio/dial/acme/" + JOB + "/" + GENERATION,
                "https://api.example.com/twilio/dial/acme/" + JOB,
                "https://api.example.com/twilio/dial/acme/" + JOB + "/" + GENERATION + "/more",
                "https://api.example.com/twilio/dial/acme/" + JOB + "/1")) {
            assertThat(world.fallback(fallback(url)).getBody())
                    .contains("<Stream")
                    .doesNotContain(GENERATION.toString());
        }
    }

    private int claims() {
        return world.table.look(ACME_POOL).containers().stream()
                        .mapToInt(container -> container.claims().size())
                        .sum()
                + world.table.look(PoolId.GATEWAY).containers().stream()
                        .mapToInt(container -> container.claims().size())
                        .sum();
    }
}
