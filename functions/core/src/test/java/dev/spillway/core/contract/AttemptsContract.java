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
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
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
    private Attempts attempts;
    private TenantId tenant;

    /** The calls that are listed. */
    protected abstract Calls calls();

    /** The port to test. */
    protected abstract Attempts attempts();

    @BeforeEach
    void freshTenant() {
        calls = calls();
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
        assertThat(attempt.story().steps()).extracting(Step::kind).containsExactly(Step.Kind.CONNECTED);
        assertThat(attempt.story().caller()).isNull();
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
        assertThat(listed.summary().offered()).isEqualTo(1);
        assertThat(listed.summary().inbound().retries()).isEqualTo(1);
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
                    var summary =
                            listing.list(tenant, NOW, null, 5, seconds(99)).summary();
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

        var summary = listing.list(tenant, NOW, null, 5, seconds(99)).summary();
        assertThat(summary.offered()).isEqualTo(offered.get()).isEqualTo(40);
        assertThat(summary.open()).isEqualTo(14);
        assertThat(summary.outcomes()).containsEntry(Outcome.REFUSED, 13).containsEntry(Outcome.COMPLETED, 13);
    }
}
