package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.BLOOM_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.background.Leases.Taking;
import dev.spillway.core.background.Shifts;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Pool;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BackgroundVisitsTest {
    private final MemoryTable table = new MemoryTable();
    private final List<Duration> slept = new ArrayList<>();
    private Instant now = NOW;
    private Runnable whileSleeping = () -> {};

    private final BackgroundVisits visits = new BackgroundVisits(
            new Rounds(table.tenants(), table.journal()),
            new Shifts(table.leases(), table.pools(), table.containers(), table.journal(), Timing.STANDARD),
            new FailureAlarm(table.pools(), table.journal(), () -> now),
            table.journal(),
            () -> now,
            duration -> {
                slept.add(duration);
                now = now.plus(duration);
                whileSleeping.run();
            },
            Timing.STANDARD);

    private int done;

    @BeforeEach
    void pools() {
        table.put(Sample.acme());
        table.put(Sample.gateway());
        table.put(Sample.tenant(ACME));
    }

    private Pool pool() {
        return table.look(ACME_POOL).pool();
    }

    private void visit() {
        visits.visit("sweeper", ACME_POOL, (shift, at) -> done++);
    }

    private void failingVisit() {
        assertThatThrownBy(() -> visits.visit("sweeper", ACME_POOL, (shift, at) -> {
                    throw new DependencyException("ecs", "down", new IllegalStateException("as the test says"));
                }))
                .isInstanceOf(DependencyException.class);
    }

    @Test
    void a_visit_has_the_lease_while_it_lasts_and_leaves_its_heartbeat() {
        visits.visit("sweeper", ACME_POOL, (shift, at) -> {
            assertThat(at).isEqualTo(NOW);
            assertThat(shift.lease()).isEqualTo(pool().background().lease());
            assertThat(pool().background().lease().isFree(NOW)).isFalse();
            done++;
        });

        assertThat(done).isEqualTo(1);
        assertThat(pool().background().lease().isFree(NOW)).isTrue();
        assertThat(pool().background().aliveUntil()).isEqualTo(NOW.plusSeconds(180));
    }

    @Test
    void a_pool_that_is_not_there_is_not_visited() {
        visits.visit("sweeper", BLOOM_POOL, (shift, at) -> done++);

        assertThat(done).isZero();
        assertThat(table.written()).isEmpty();
    }

    @Test
    void a_visit_waits_for_another_to_end_and_is_made_then() {
        Taking.Taken other = (Taking.Taken) table.leases().take(ACME_POOL, "other", NOW, NOW.plusSeconds(60));
        whileSleeping = () -> table.leases().complete(ACME_POOL, other.lease(), now, now.plusSeconds(180));

        visit();

        assertThat(done).isEqualTo(1);
        assertThat(slept).containsExactly(Duration.ofMillis(2_500));
    }

    @Test
    void after_10_seconds_the_pool_is_left_to_whoever_has_it_and_the_journal_says_so() {
        table.leases().take(ACME_POOL, "other", NOW, NOW.plusSeconds(60));

        visit();

        assertThat(done).isZero();
        assertThat(now).isEqualTo(NOW.plusSeconds(10));
        assertThat(table.written("visit-left")).hasSize(1);
        assertThat(table.written("visit-left").getFirst().fields())
                .containsEntry("pool", "acme")
                .containsEntry("holder", "other")
                .containsEntry("round", "sweeper");
    }

    @Test
    void a_lease_whose_holder_died_is_taken_when_it_has_run_out() {
        table.leases().take(ACME_POOL, "dead", NOW.minusSeconds(55), NOW.plusSeconds(5));

        visit();

        assertThat(done).isEqualTo(1);
        assertThat(pool().background().lease().generation()).isEqualTo(2);
    }

    @Test
    void a_visit_that_failed_is_no_heartbeat_and_gives_the_lease_back() {
        failingVisit();

        assertThat(pool().background().aliveUntil()).isEqualTo(Instant.EPOCH);
        assertThat(pool().background().lease().isFree(now)).isTrue();
    }

    @Test
    void a_round_visits_every_pool_though_one_is_another_s() {
        table.leases().take(ACME_POOL, "other", NOW, NOW.plusSeconds(60));

        visits.visitAll("sweeper", (shift, at) -> done++);

        assertThat(done).as("the gateway alone").isEqualTo(1);
    }

    // Alerts

    @Test
    void one_failure_is_no_alert_and_of_many_in_a_row_there_is_one_a_minute_with_the_attempts_it_touched() {
        table.put(Sample.withCalls(Sample.ready(ACME_POOL, "a1"), ACME, 1, 3));
        failingVisit();
        assertThat(table.written("alert")).isEmpty();

        failingVisit();
        failingVisit();
        failingVisit();
        assertThat(table.written("alert")).hasSize(1);
        assertThat(table.written("alert").getFirst().fields())
                .containsEntry("alert", "background-failing")
                .containsEntry("attempts", "3")
                .containsEntry("failures", "2")
                .containsEntry("pools", "acme");
        assertThat(table.written("alert").getFirst().metrics()).containsEntry(Metric.ALERTS, 1.0);

        now = NOW.plusSeconds(59);
        failingVisit();
        assertThat(table.written("alert")).hasSize(1);

        now = NOW.plusSeconds(60);
        failingVisit();
        assertThat(table.written("alert")).hasSize(2);
        assertThat(table.written("alert").getLast().fields()).containsEntry("failures", "6");
    }

    @Test
    void a_success_begins_the_count_anew() {
        failingVisit();
        visit();
        failingVisit();

        assertThat(table.written("alert")).isEmpty();
    }

    @Test
    void with_the_table_down_the_alert_touches_no_attempt_that_anyone_could_name() {
        table.operations().failAll(Operation.LEASES_TAKE::equals);
        table.operations().failAll(Operation.POOLS_READ::equals);
        assertThatThrownBy(this::visit).isInstanceOf(DependencyException.class);
        assertThatThrownBy(this::visit).isInstanceOf(DependencyException.class);

        assertThat(table.written("alert").getFirst().fields()).containsEntry("attempts", "0");
    }
}
