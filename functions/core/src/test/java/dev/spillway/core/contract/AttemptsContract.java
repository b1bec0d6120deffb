package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.AttemptListing;
import dev.spillway.core.attempt.AttemptListing.Listing;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.attempt.Attempts.Cursor;
import dev.spillway.core.attempt.Attempts.Page;
import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Outline;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobState;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link Attempts} keeps. Each test has a tenant of its own, so that a table may be shared by all of them. */
@SuppressWarnings("NullAway.Init")
public abstract class AttemptsContract {
    private static final AtomicInteger TENANTS = new AtomicInteger();
    private static final CallerHash ANN = new CallerHash("ann_ann_ann_ann_ann_an");
    private static final Slots FULL = new Slots(ACME_POOL, 5, 1, 1, 0, 6);

    private Calls calls;
    private Jobs jobs;
    private Attempts attempts;
    private TenantId tenant;

    /** The calls that are listed. */
    protected abstract Calls calls();

    /** The jobs that are listed. */
    protected abstract Jobs jobs();

    /** The port to test. */
    protected abstract Attempts attempts();

    @BeforeEach
    void freshTenant() {
        calls = calls();
        jobs = jobs();
        attempts = attempts();
        tenant = new TenantId("listed-" + TENANTS.incrementAndGet());
    }

    private CallSid begin(int n, long second) {
        calls.begin(Call.arrived(tenant, Sample.call(n), ANN, seconds(second)));
        return Sample.call(n);
    }

    private static Step held() {
        return Step.held(1, container("gw1"), Cause.FULL, FULL, "no free slot in the tenant's pool", NOW);
    }

    private static List<String> ids(List<Attempt> attempts) {
        return attempts.stream().map(Attempt::id).toList();
    }

    @Test
    void attempts_are_listed_in_the_order_of_their_arrival_from_an_instant_on() {
        begin(3, 30);
        begin(1, 10);
        begin(2, 20);

        Page page = attempts.page(tenant, seconds(20), null, 10);

        assertThat(ids(page.attempts()))
                .containsExactly(Sample.call(2).value(), Sample.call(3).value());
        assertThat(page.next()).isNull();
    }

    @Test
    void another_tenants_attempts_are_not_listed() {
        begin(1, 10);

        TenantId other = new TenantId("listed-" + TENANTS.incrementAndGet());
        assertThat(attempts.page(other, NOW, null, 10).attempts()).isEmpty();
        assertThat(attempts.outlines(other, NOW, seconds(99))).isEmpty();
        assertThat(attempts.find(other, Sample.call(1).value())).isEmpty();
    }

    @Test
    void pages_give_every_attempt_once_even_when_many_arrived_at_the_same_instant() {
        for (int n = 1; n <= 7; n++) {
            begin(n, n <= 5 ? 10 : 20);
        }
        List<String> seen = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        Cursor after = null;
        do {
            Page page = attempts.page(tenant, NOW, after, 3);
            seen.addAll(ids(page.attempts()));
            sizes.add(page.attempts().size());
            after = page.next();
        } while (after != null);

        assertThat(sizes).containsExactly(3, 3, 1);
        assertThat(seen).hasSize(7).doesNotHaveDuplicates();
    }

    @Test
    void a_page_that_holds_the_last_attempt_has_no_next() {
        begin(1, 10);
        begin(2, 20);

        assertThat(attempts.page(tenant, NOW, null, 2).next()).isNull();
        assertThat(attempts.page(tenant, NOW, null, 1).next()).isNotNull();
    }

    @Test
    void a_call_that_is_over_when_it_is_written_down_is_listed_with_its_end_and_ends_once() {
        CallSid sid = Sample.call(1);
        Step ended = Step.ended(1, Outcome.LOST, "nobody could write it down", seconds(9));
        assertThat(calls.begin(Call.ended(tenant, sid, 1, Outcome.LOST, ended, seconds(9))))
                .isTrue();

        assertThat(calls.end(tenant, sid, Outcome.SETUP_FAILED, seconds(20), List.of()))
                .isFalse();
        assertThat(attempts.outlines(tenant, NOW, seconds(99)))
                .singleElement()
                .satisfies(outline -> assertThat(outline.outcome()).isEqualTo(Outcome.LOST));
        assertThat(attempts.find(tenant, sid.value())).hasValueSatisfying(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(Outcome.LOST);
            assertThat(attempt.story().steps()).containsExactly(ended);
        });
    }

    @Test
    void an_attempt_is_listed_with_its_story_and_its_outcome() {
        CallSid sid = begin(1, 0);
        calls.place(tenant, sid, 0, stream(PoolId.GATEWAY, "gw1", 1, 1, NOW), List.of(held()));
        calls.connect(
                tenant,
                sid,
                generation(1, 1),
                List.of(Step.connected(stream(PoolId.GATEWAY, "gw1", 1, 1, seconds(2)), "as sent")));
        Step ended = Step.ended(1, Outcome.COMPLETED, "call status COMPLETED", seconds(9));
        calls.end(tenant, sid, Outcome.COMPLETED, seconds(9), List.of(ended));

        Attempt attempt = attempts.page(tenant, NOW, null, 1).attempts().getFirst();

        assertThat(attempt.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(attempt.kind()).isEqualTo(Attempt.Kind.INBOUND);
        assertThat(attempt.story().caller()).isEqualTo(ANN);
        assertThat(attempt.cause()).contains(Cause.FULL);
        assertThat(attempt.slots()).contains(FULL);
        assertThat(attempt.story().steps())
                .containsExactly(
                        held(), Step.connected(stream(PoolId.GATEWAY, "gw1", 1, 1, seconds(2)), "as sent"), ended);
        assertThat(attempts.find(tenant, sid.value())).contains(attempt);
    }

    @Test
    void outlines_tell_what_the_summary_needs_and_end_where_they_are_asked_to() {
        CallSid refused = begin(1, 0);
        Step door = Step.refused(0, PoolId.of(tenant), Cause.STARTING, FULL, "503", NOW);
        calls.place(tenant, refused, 0, stream(PoolId.GATEWAY, "gw1", 1, 1, NOW), List.of(door, held()));
        calls.end(tenant, refused, Outcome.ABANDONED, seconds(9), List.of());
        CallSid open = begin(2, 10);
        begin(3, 20);

        assertThat(attempts.outlines(tenant, NOW, seconds(10)))
                .containsExactly(
                        new Outline(
                                refused.value(),
                                Attempt.Kind.INBOUND,
                                NOW,
                                Outcome.ABANDONED,
                                Cause.FULL,
                                ANN,
                                true,
                                0),
                        new Outline(open.value(), Attempt.Kind.INBOUND, seconds(10), null, null, ANN, false, 0));
    }

    @Test
    void a_call_that_a_container_took_in_without_a_record_is_listed_too() {
        calls.adopt(tenant, Sample.call(1), stream(PoolId.GATEWAY, "gw1", 1, 1, NOW), NOW);

        Attempt attempt = attempts.page(tenant, NOW, null, 1).attempts().getFirst();
        assertThat(attempt.isOpen()).isTrue();
        assertThat(attempt.story().steps()).extracting(Step::kind).containsExactly(Step.Kind.HELD, Step.Kind.CONNECTED);
        assertThat(attempt.cause()).contains(Cause.DEPENDENCY);
        assertThat(attempt.story().caller()).isNull();
    }

    private Job accept(int n, long second) {
        Job job = Job.accepted(
                        new JobId(tenant, "%020d".formatted(n)),
                        "+1500555%04d".formatted(1000 + n),
                        "+15005550006",
                        "scripted",
                        new Job.Batch("spring", 1),
                        seconds(second),
                        seconds(3600),
                        Duration.ofMinutes(15),
                        seconds(second))
                .calling(ANN);
        assertThat(jobs.create(job)).isTrue();
        return job;
    }

    private Job write(Job next) {
        assertThat(jobs.replace(next)).isTrue();
        return next;
    }

    /** Dialled and answered at second 20, by call {@code n}. */
    private Job talk(Job accepted, int n) {
        JobState.Dial dial = new JobState.Dial(container("a1"), generation(1, n), seconds(20));
        Job dialling = write(accepted.dialling(dial, "call out 1 of 3"));
        calls.begin(Call.dialled(accepted.id(), Sample.call(n), seconds(20)));
        Job dialled = write(dialling.dialled(Sample.call(n), "Twilio's reply", seconds(20)));
        Answer.Stream there = stream(PoolId.of(tenant), "a1", 1, n, seconds(25));
        calls.place(tenant, Sample.call(n), 0, there, List.of(Step.answered(there, "pinned")));
        calls.connect(tenant, Sample.call(n), generation(1, n), List.of(Step.connected(there, "as sent")));
        return dialled;
    }

    @Test
    void a_job_is_an_attempt_with_the_steps_of_its_call_which_is_none_of_its_own() {
        begin(7, 5);
        Job waiting = accept(1, 10);
        Job deferred = write(waiting.deferred(Cause.RESERVE, FULL, "2 reserved", seconds(19), seconds(11)));
        Job dialled = talk(deferred, 1);

        Page page = attempts.page(tenant, NOW, null, 10);

        assertThat(ids(page.attempts()))
                .containsExactly(Sample.call(7).value(), dialled.id().value());
        Attempt job = page.attempts().getLast();
        assertThat(job.kind()).isEqualTo(Attempt.Kind.OUTBOUND);
        assertThat(job.isOpen()).isTrue();
        assertThat(job.call()).isEqualTo(Sample.call(1));
        assertThat(job.cause()).contains(Cause.RESERVE);
        assertThat(job.slots()).contains(FULL);
        assertThat(job.story().steps())
                .extracting(Step::kind)
                .containsExactly(
                        Step.Kind.ACCEPTED,
                        Step.Kind.DEFERRED,
                        Step.Kind.ADMITTED,
                        Step.Kind.DIALLED,
                        Step.Kind.ANSWERED,
                        Step.Kind.CONNECTED);
        assertThat(attempts.find(tenant, dialled.id().value())).contains(job);
        assertThat(attempts.find(tenant, Sample.call(1).value())).contains(job);
        assertThat(attempts.outlines(tenant, NOW, seconds(99)))
                .extracting(Outline::id)
                .containsExactly(Sample.call(7).value(), dialled.id().value());
    }

    @Test
    void a_job_that_is_put_by_is_listed_once_with_its_end() {
        Job dialled = talk(accept(1, 10), 1);
        calls.end(tenant, Sample.call(1), Outcome.COMPLETED, seconds(30), List.of());
        Job ended = write(dialled.ended(Outcome.COMPLETED, "call status COMPLETED", seconds(30)));
        jobs.putBy(ended);

        Attempt job = attempts.page(tenant, NOW, null, 10).attempts().getFirst();

        assertThat(attempts.page(tenant, NOW, null, 10).attempts()).hasSize(1);
        assertThat(job.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(job.story().steps()).extracting(Step::kind).endsWith(Step.Kind.CONNECTED, Step.Kind.ENDED);
        assertThat(attempts.find(tenant, Sample.call(1).value())).contains(job);
        assertThat(attempts.outlines(tenant, NOW, seconds(99)))
                .containsExactly(ended.attempt().outline());
    }

    @Test
    void a_dialled_call_that_somebody_took_in_without_knowing_is_no_attempt_once_its_job_is_known() {
        Job accepted = accept(1, 10);
        calls.adopt(tenant, Sample.call(1), stream(PoolId.GATEWAY, "gw1", 1, 1, NOW), seconds(20));
        assertThat(attempts.outlines(tenant, NOW, seconds(99))).hasSize(2);

        JobState.Dial dial = new JobState.Dial(container("a1"), generation(1, 1), seconds(19));
        Job job = write(write(accepted.dialling(dial, "call out 1 of 3"))
                .dialled(Sample.call(1), "its TwiML was asked for", seconds(20)));
        assertThat(calls.belong(tenant, Sample.call(1), job.id())).isTrue();
        assertThat(calls.belong(tenant, Sample.call(1), job.id())).isFalse();
        assertThat(calls.belong(tenant, Sample.call(2), job.id())).isFalse();

        assertThat(attempts.outlines(tenant, NOW, seconds(99)))
                .extracting(Outline::id)
                .containsExactly(job.id().value());
        assertThat(calls.find(tenant, Sample.call(1)).orElseThrow().story().job())
                .isEqualTo(job.id());
        assertThat(attempts.find(tenant, Sample.call(1).value()).orElseThrow().id())
                .isEqualTo(job.id().value());
    }

    @Test
    void a_later_page_links_to_a_first_try_of_the_page_before_and_has_no_summary() {
        CallerHash caller = new CallerHash("0123456789abcdef012345");
        calls.begin(Call.arrived(tenant, Sample.call(1), caller, NOW));
        calls.end(tenant, Sample.call(1), Outcome.REFUSED, seconds(1), List.of());
        calls.begin(Call.arrived(tenant, Sample.call(2), caller, seconds(5)));
        AttemptListing listing = new AttemptListing(attempts);

        var first = listing.list(tenant, NOW, null, 1, seconds(99));
        var second = listing.list(tenant, NOW, first.next(), 1, seconds(99));

        assertThat(second.attempts())
                .singleElement()
                .satisfies(
                        one -> assertThat(one.first()).isEqualTo(Sample.call(1).value()));
        assertThat(second.summary()).isEmpty();
        assertThat(second.next()).isNull();
    }

    @Test
    void the_latest_attempts_are_listed_in_their_order_with_the_summary_of_all() {
        AttemptListing listing = new AttemptListing(attempts);
        for (int n = 1; n <= 5; n++) {
            begin(n, n);
        }

        Listing three = listing.latest(tenant, NOW, 3, seconds(90));
        assertThat(three.attempts())
                .extracting(listed -> listed.attempt().id())
                .containsExactly(
                        Sample.call(3).value(),
                        Sample.call(4).value(),
                        Sample.call(5).value());
        assertThat(three.summary().orElseThrow().offered()).isEqualTo(5);
        assertThat(listing.latest(tenant, NOW, 5, seconds(90)).attempts()).hasSize(5);
        assertThat(listing.latest(tenant, seconds(5), 3, seconds(90)).attempts())
                .hasSize(1);
        assertThat(listing.latest(tenant, seconds(6), 3, seconds(90)).attempts())
                .isEmpty();
    }

    @Test
    void a_job_to_a_person_whom_another_one_did_not_reach_points_to_that_one() {
        AttemptListing listing = new AttemptListing(attempts);
        Job first = accept(1, 0);
        write(first.ended(Outcome.DEFERRED_EXPIRED, "its deadline has passed", seconds(5)));
        Job second = accept(2, 60);

        Listing listed = listing.list(tenant, seconds(30), null, 10, seconds(90));

        assertThat(listed.attempts().getFirst().first()).isEqualTo(first.id().value());
        assertThat(listed.summary().orElseThrow().outbound().retries()).isEqualTo(1);
        assertThat(listing.find(tenant, second.id().value()).orElseThrow().first())
                .isEqualTo(first.id().value());
    }

    @Test
    void a_second_try_of_a_refused_caller_points_to_the_first() {
        AttemptListing listing = new AttemptListing(attempts);
        CallSid first = begin(1, 0);
        calls.end(tenant, first, Outcome.REFUSED, seconds(5), List.of());
        CallSid second = begin(2, 60);

        Listing listed = listing.list(tenant, seconds(30), null, 10, seconds(90));

        assertThat(listed.attempts()).hasSize(1);
        assertThat(listed.attempts().getFirst().first()).isEqualTo(first.value());
        assertThat(listed.summary().orElseThrow().offered()).isEqualTo(1);
        assertThat(listed.summary().orElseThrow().inbound().retries()).isEqualTo(1);
        assertThat(listing.find(tenant, second.value()).orElseThrow().first()).isEqualTo(first.value());
    }

    @Test
    void at_every_instant_offered_is_what_ended_and_what_is_open() {
        AttemptListing listing = new AttemptListing(attempts);
        AtomicInteger offered = new AtomicInteger();
        List<Callable<Integer>> everybody = new ArrayList<>();
        for (int writer = 0; writer < 4; writer++) {
            int from = writer * 10;
            everybody.add(() -> {
                for (int n = from; n < from + 10; n++) {
                    CallSid sid = begin(n, n);
                    offered.incrementAndGet();
                    calls.place(tenant, sid, 0, stream(PoolId.GATEWAY, "gw1", 1, n, NOW), List.of(held()));
                    if (n % 3 != 0) {
                        calls.end(tenant, sid, n % 2 == 0 ? Outcome.REFUSED : Outcome.COMPLETED, seconds(n), List.of());
                    }
                }
                return 0;
            });
        }
        for (int reader = 0; reader < 2; reader++) {
            everybody.add(() -> {
                int last = 0;
                while (last < 40) {
                    var summary = listing.list(tenant, NOW, null, 5, seconds(99))
                            .summary()
                            .orElseThrow();
                    int terminals = summary.outcomes().values().stream()
                            .mapToInt(Integer::intValue)
                            .sum();
                    assertThat(summary.offered()).isEqualTo(terminals + summary.open());
                    assertThat(summary.offered()).isGreaterThanOrEqualTo(last);
                    last = summary.offered();
                }
                return last;
            });
        }

        AtOnce.run(everybody);

        var summary = listing.list(tenant, NOW, null, 5, seconds(99)).summary().orElseThrow();
        assertThat(summary.offered()).isEqualTo(offered.get()).isEqualTo(40);
        assertThat(summary.open()).isEqualTo(14);
        assertThat(summary.outcomes()).containsEntry(Outcome.REFUSED, 13).containsEntry(Outcome.COMPLETED, 13);
    }
}
