package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobState;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.outbound.Jobs.Submission;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link Jobs} keeps. Each test has a tenant of its own, so that a table may be shared by all of them. */
@SuppressWarnings("NullAway.Init")
public abstract class JobsContract {
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final CallSid CALL = Sample.call(1);

    private Jobs jobs;
    private TenantId tenant;

    /** The port to test. */
    protected abstract Jobs jobs();

    @BeforeEach
    void freshTenant() {
        jobs = jobs();
        tenant = new TenantId("jobs-" + NEXT.incrementAndGet());
    }

    private Job job(int n) {
        return Job.accepted(
                new JobId(tenant, "%020d".formatted(n)),
                "+15005551001",
                "+15005550006",
                "scripted",
                new Job.Batch("spring", 3),
                seconds(10),
                seconds(3600),
                Duration.ofMinutes(15),
                NOW);
    }

    private static JobState.Dial dial() {
        return new JobState.Dial(new ContainerId("a1"), generation(1, 1), seconds(20));
    }

    @Test
    void a_job_is_created_once_and_reads_back_as_it_was() {
        assertThat(jobs.create(job(1))).isTrue();
        assertThat(jobs.create(job(1).deferred(Cause.FULL, Sample.NO_SLOTS, "full", NOW, NOW)))
                .isFalse();

        assertThat(jobs.find(job(1).id())).contains(job(1));
        assertThat(jobs.find(job(2).id())).isEmpty();
        assertThat(jobs.atHand(tenant)).containsExactly(job(1));
        assertThat(jobs.atHand(new TenantId("nobody"))).isEmpty();
        assertThat(jobs.isAnyAtHand(tenant)).isTrue();
        assertThat(jobs.isAnyAtHand(new TenantId("nobody"))).isFalse();
    }

    @Test
    void every_state_reads_back() {
        Job waiting = job(1).deferred(Cause.RESERVE, Sample.NO_SLOTS, "2 reserved", seconds(12), seconds(11));
        Job dialling = waiting.dialling(dial(), "slot");
        Job unknown = dialling.dialUnknown("no answer", seconds(21));
        Job dialled = unknown.dialled(CALL, "status ringing", seconds(22));
        Job canceled = dialled.cancelRequested(seconds(23));
        Job ended = canceled.ended(Outcome.CANCELED, "by request", seconds(24));
        jobs.create(job(1));

        for (Job next : List.of(waiting, dialling, unknown, dialled, canceled, ended)) {
            assertThat(jobs.replace(next)).isTrue();
            assertThat(jobs.find(next.id())).contains(next);
        }
    }

    @Test
    void only_the_version_before_is_replaced() {
        jobs.create(job(1));
        Job second = job(1).deferred(Cause.FULL, Sample.NO_SLOTS, "full", seconds(12), seconds(11));
        Job third = second.deferred(Cause.FULL, Sample.NO_SLOTS, "full", seconds(14), seconds(13));

        assertThat(jobs.replace(third)).isFalse();
        assertThat(jobs.replace(second)).isTrue();
        assertThat(jobs.replace(job(1).dialling(dial(), "slot"))).isFalse();
        assertThat(jobs.replace(job(2).dialling(dial(), "slot"))).isFalse();

        assertThat(jobs.find(job(1).id())).contains(second);
    }

    @Test
    void of_32_changes_exactly_one_is_written() {
        jobs.create(job(1));

        List<Boolean> done = AtOnce.run(
                32,
                n -> jobs.replace(job(1).deferred(Cause.FULL, Sample.NO_SLOTS, "by " + n, seconds(12), seconds(11))));

        assertThat(done).containsOnlyOnce(true);
        assertThat(jobs.find(job(1).id()).orElseThrow().steps().getLast().reason())
                .isEqualTo("by " + done.indexOf(true));
    }

    @Test
    void a_job_that_is_put_by_is_still_found_but_not_at_hand() {
        jobs.create(job(1));
        jobs.create(job(2));
        Job ended = job(1).ended(Outcome.CANCELED, "by request", seconds(24));
        jobs.replace(ended);

        jobs.putBy(ended);
        jobs.putBy(ended);

        assertThat(jobs.atHand(tenant)).containsExactly(job(2));
        assertThat(jobs.find(ended.id())).contains(ended);
    }

    @Test
    void what_was_sent_first_under_a_key_stands() {
        Submission first = new Submission(tenant, "key 1/ü", "h1", List.of(job(1).id(), job(2).id()));
        Submission second = new Submission(tenant, "key 1/ü", "h2", List.of(job(3).id()));

        assertThat(jobs.submission(tenant, "key 1/ü")).isEmpty();
        assertThat(jobs.remember(first)).isEqualTo(first);
        assertThat(jobs.remember(second)).isEqualTo(first);
        assertThat(jobs.submission(tenant, "key 1/ü")).contains(first);
        assertThat(jobs.submission(new TenantId("nobody"), "key 1/ü")).isEmpty();
    }

    @Test
    void of_16_requests_under_one_key_all_are_told_of_the_same_jobs() {
        List<Submission> stands = AtOnce.run(
                16,
                n -> jobs.remember(
                        new Submission(tenant, "k", "h", List.of(job(100 + n).id()))));

        assertThat(stands.stream().distinct()).hasSize(1);
    }
}
