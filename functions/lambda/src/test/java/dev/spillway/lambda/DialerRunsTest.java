package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobState;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.PoolId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How a run of the dialer waits for a job whose time is known; the clock stands still at {@code NOW}. */
class DialerRunsTest {
    private final World world = new World().withGateway();

    DialerRunsTest() {
        world.table.put(Sample.acme()
                .withOutbound(Outbound.of(new OutboundPolicy(
                        3,
                        0,
                        1_000,
                        1,
                        100,
                        Map.of(),
                        List.of(Country.always("+1")),
                        Set.of(),
                        OutboundPolicy.Warmth.USUAL))));
    }

    private void job(Instant notBefore) {
        world.table.put(Job.accepted(
                Sample.job(1),
                "+15005551001",
                World.NUMBER,
                "scripted",
                new Job.Batch("a", 1),
                notBefore,
                notBefore.plus(Duration.ofHours(1)),
                Duration.ofMinutes(15),
                NOW));
    }

    private void run() {
        world.functions().outbound().runs().run(ACME);
    }

    @Test
    void one_run_waits_for_a_job_that_comes_soon_and_wakes_the_dialer_at_its_time() {
        job(seconds(5));

        run();
        run();

        assertThat(world.slept).containsExactly(Duration.ofMillis(5_001));
        assertThat(world.table.announced()).containsExactly(new Announcement.JobsWaiting(ACME, NOW));
        assertThat(world.table.fleet().desired(ACME_SERVICE)).isEqualTo(1);
        assertThat(world.twilio.made()).isEmpty();
    }

    @Test
    void nobody_is_kept_out_while_a_run_waits() {
        job(seconds(5));
        world.whileSleeping = () -> assertThat(
                        world.table.look(ACME_POOL).pool().outbound().lease().isFree(NOW))
                .isTrue();

        run();

        assertThat(world.slept).hasSize(1);
    }

    @Test
    void a_job_that_comes_later_is_waited_for_by_one_run_after_another() {
        job(seconds(100));

        run();

        assertThat(world.slept).containsExactly(Duration.ofMillis(20_001));
        assertThat(world.table.announced()).hasSize(1);
    }

    @Test
    void a_job_that_starts_sooner_than_what_a_run_watches_for_is_waited_for_by_a_run_of_its_own() {
        job(seconds(100));
        world.whileSleeping = () -> {
            world.whileSleeping = () -> {};
            job(seconds(5));
            run();
        };

        run();

        assertThat(world.slept).containsExactlyInAnyOrder(Duration.ofMillis(20_001), Duration.ofMillis(5_001));
        assertThat(world.table.announced()).hasSize(2);
    }

    @Test
    void a_job_of_tomorrow_is_not_waited_for() {
        job(NOW.plus(Duration.ofDays(1)));

        run();

        assertThat(world.slept).isEmpty();
        assertThat(world.table.announced()).isEmpty();
        assertThat(world.table.fleet().desired(ACME_SERVICE)).isZero();
    }

    @Test
    void a_job_that_was_deferred_is_looked_at_again_at_its_own_time_and_not_only_at_the_minute() {
        job(NOW); // no container: its first retry is due within two seconds, and a run is not worth less than five

        run();

        assertThat(world.twilio.made()).isEmpty();
        assertThat(world.slept).containsExactly(Duration.ofMillis(5_001));
        assertThat(world.table.announced()).contains(new Announcement.JobsWaiting(ACME, NOW));
    }

    @Test
    void at_the_minute_a_wait_is_left_to_a_run_of_its_own() {
        job(seconds(5));

        world.functions().outbound().runs().tick(ACME);

        assertThat(world.slept).isEmpty();
        assertThat(world.table.announced()).containsExactly(new Announcement.JobsWaiting(ACME, NOW));
    }

    @Test
    void twilio_is_asked_about_older_dials_at_the_minute_only_and_after_the_dials() {
        CallSid old = new CallSid("CA%032x".formatted(77));
        Job waiting = Job.accepted(
                Sample.job(2),
                "+15005551002",
                World.NUMBER,
                "scripted",
                new Job.Batch("a", 1),
                seconds(-300),
                seconds(3600),
                Duration.ofMinutes(15),
                seconds(-300));
        world.table.put(waiting.dialling(
                        new JobState.Dial(Sample.container("a1"), Sample.generation(1, 7), seconds(-200)), "a slot")
                .dialled(old, "Twilio's reply", seconds(-199)));
        world.twilio.status(old, "in-progress");
        world.table.put(Sample.ready(ACME_POOL, "a1"));
        job(NOW);

        run();
        assertThat(world.twilio.made()).hasSize(1);
        assertThat(world.twilio.questions()).isZero();

        world.functions().outbound().runs().tick(ACME);
        assertThat(world.twilio.questions()).isEqualTo(1);
    }

    @Test
    void at_the_minute_every_pools_gauges_are_written() {
        new DialerHandler(world.functions()).handleRequest(Fixtures.bus("schedule"), null);

        assertThat(world.table.written("gauges"))
                .extracting(entry -> entry.fields().get("tenant"))
                .containsExactlyInAnyOrder(PoolId.GATEWAY.value(), "acme", "bloom");
    }
}
