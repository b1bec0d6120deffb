package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.outbound.OutboundWorld.job;
import static dev.spillway.core.outbound.OutboundWorld.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.event.Announcement;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.JobCheck.Checked;
import dev.spillway.core.outbound.JobCheck.Problem;
import dev.spillway.core.outbound.JobIntake.Intake;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class IntakeTest {
    private final MemoryTable table = new MemoryTable();
    private final JobIntake intake = new JobIntake(table.jobs(), table.announcements(), table.journal());
    private final JobCheck check = new JobCheck((tenant, number) -> "hash of " + number);

    private static List<Job> jobs(int from, int count) {
        return IntStream.range(from, from + count).mapToObj(OutboundWorld::job).toList();
    }

    private Intake accept(List<Job> made, @Nullable String key, String hash) {
        return intake.accept(ACME, policy(3, 0), made, key, hash, NOW);
    }

    @Test
    void jobs_are_written_and_the_dialer_is_told() {
        assertThat(accept(jobs(1, 3), null, "h"))
                .isEqualTo(new Intake.Accepted(List.of(Sample.job(1), Sample.job(2), Sample.job(3))));

        assertThat(table.jobs().atHand(ACME)).hasSize(3);
        assertThat(table.announced()).containsExactly(new Announcement.JobsWaiting(ACME, NOW));
    }

    @Test
    void the_same_request_under_its_key_makes_no_second_job() {
        accept(jobs(1, 2), "k", "h");

        assertThat(accept(jobs(10, 2), "k", "h")).isEqualTo(new Intake.Accepted(List.of(Sample.job(1), Sample.job(2))));
        assertThat(intake.repeated(ACME, "k", "h"))
                .contains(new Intake.Accepted(List.of(Sample.job(1), Sample.job(2))));
        assertThat(table.jobs().atHand(ACME)).hasSize(2);
    }

    @Test
    void another_body_under_the_same_key_is_a_conflict_and_writes_nothing() {
        accept(jobs(1, 2), "k", "h");

        assertThat(accept(jobs(10, 2), "k", "other")).isEqualTo(new Intake.Conflict());
        assertThat(intake.repeated(ACME, "k", "other")).contains(new Intake.Conflict());
        assertThat(table.jobs().atHand(ACME)).hasSize(2);
    }

    @Test
    void a_request_that_died_half_way_is_completed_by_its_repeat() {
        table.operations().fail(Operation.JOBS_CREATE, 2, Moment.BEFORE);
        try {
            accept(jobs(1, 3), "k", "h");
        } catch (dev.spillway.core.DependencyException e) {
            assertThat(e).isNotNull();
        }
        assertThat(table.jobs().atHand(ACME)).hasSize(1);

        assertThat(accept(jobs(10, 3), "k", "h"))
                .isEqualTo(new Intake.Accepted(List.of(Sample.job(1), Sample.job(2), Sample.job(3))));
        assertThat(table.jobs().atHand(ACME)).hasSize(3);
    }

    @Test
    void more_waiting_jobs_than_the_bound_are_refused_with_a_reason_and_nothing_is_written() {
        accept(jobs(1, 98), null, "h");

        assertThat(accept(jobs(200, 3), "k", "h"))
                .isEqualTo(new Intake.TooManyWaiting(
                        "98 jobs are waiting, and 3 more would be over 100, the most of this tenant"));
        assertThat(table.jobs().atHand(ACME)).hasSize(98);
        assertThat(table.jobs().submission(ACME, "k")).isEmpty();
        assertThat(accept(jobs(200, 2), "k", "h")).isInstanceOf(Intake.Accepted.class);
    }

    @Test
    void of_requests_at_the_same_moment_all_but_one_may_come_on_top_of_the_bound_and_no_more() {
        accept(jobs(1, 98), null, "h");
        // two more requests come while the first one has looked and not yet written
        table.operations().on(Operation.JOBS_CREATE, 1, Moment.BEFORE, () -> {
            assertThat(accept(jobs(300, 2), null, "h2")).isInstanceOf(Intake.Accepted.class);
            assertThat(accept(jobs(400, 1), null, "h3")).isInstanceOf(Intake.TooManyWaiting.class);
        });

        assertThat(accept(jobs(200, 2), null, "h1")).isInstanceOf(Intake.Accepted.class);

        assertThat(table.jobs().atHand(ACME)).hasSize(100 + 2);
        assertThat(accept(jobs(500, 1), null, "h4")).isInstanceOf(Intake.TooManyWaiting.class);
    }

    private static JobWish wish(@Nullable String to, @Nullable String from, @Nullable Instant deadline) {
        return new JobWish(ACME, to, from, null, null, null, null, deadline, null);
    }

    private Checked check(JobWish wish) {
        return check.check(wish, Sample.tenant(ACME), policy(3, 0), Sample.job(1), NOW);
    }

    @Test
    void what_is_not_said_is_usual() {
        assertThat(check(wish("+15005551001", null, minutes(60))))
                .isEqualTo(new Checked.Sound(job(1, new Job.Batch("default", 1))));
    }

    @Test
    void every_fault_is_named_at_once() {
        JobWish wish = new JobWish(
                ACME,
                "12345",
                "+15005559999",
                "someone else",
                "no spaces",
                0,
                null,
                NOW.minusSeconds(1),
                Duration.ofSeconds(-1));

        assertThat(check(wish))
                .isInstanceOfSatisfying(
                        Checked.Faulty.class,
                        faulty -> assertThat(faulty.problems())
                                .extracting(Problem::field)
                                .containsExactly("to", "from", "agent", "batch", "weight", "maximumWait", "deadline"));
    }

    @Test
    void a_window_that_never_opens_and_numbers_that_may_not_be_dialled_are_refused() {
        OutboundPolicy nightly = new OutboundPolicy(
                3,
                0,
                100,
                1,
                100,
                Map.of(),
                List.of(new Country(
                        "+1", Set.of(ZoneId.of("America/New_York")), LocalTime.of(9, 0), LocalTime.of(20, 0))),
                Set.of("hash of +15005551009"),
                OutboundPolicy.Warmth.USUAL);

        // 09:00 to 10:00 UTC is night in New York
        assertThat(check.check(
                        wish("+15005551001", null, minutes(60)), Sample.tenant(ACME), nightly, Sample.job(1), NOW))
                .isInstanceOfSatisfying(
                        Checked.Faulty.class,
                        faulty -> assertThat(faulty.problems())
                                .containsExactly(
                                        new Problem(
                                                "deadline",
                                                "the window never opens: calls begin from 09:00 to 20:00 where the number is")));
        assertThat(check.check(
                        wish("+15005551009", null, minutes(900)), Sample.tenant(ACME), nightly, Sample.job(1), NOW))
                .isEqualTo(new Checked.Faulty(List.of(new Problem("to", "the number is on the suppression list"))));
        assertThat(check(wish("+442079460000", null, minutes(60))))
                .isEqualTo(new Checked.Faulty(List.of(new Problem("to", "no number of that country may be dialled"))));
    }

    @Test
    void no_number_is_in_any_text() {
        assertThat(job(1).toString()).doesNotContain("+1500");
        assertThat(wish("+15005551001", "+15005550006", null).toString()).doesNotContain("+1500");
    }
}
