package dev.spillway.core.reconcile;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;
import static dev.spillway.core.memory.Sample.tenant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.background.Shift;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallStatus;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.MemoryTelephony;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.PoolId;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that arrived at NOW and whose final status callback was lost. */
class OpenCallsTest {
    private final MemoryTable table = new MemoryTable();
    private final MemoryTelephony twilio = new MemoryTelephony();
    private final OpenCalls openCalls = new OpenCalls(
            table.listing(),
            table.calls(),
            new Inquiry(
                    table.tenants(),
                    twilio,
                    new CallEnding(
                            table.calls(),
                            table.containers(),
                            table.announcements(),
                            table.conversations(),
                            table.journal()),
                    table.journal()),
            table.journal(),
            Timing.STANDARD);

    @BeforeEach
    void pools() {
        table.put(acme());
        table.put(gateway());
        table.put(tenant(ACME));
    }

    private void visit(long second) {
        Shift shift = table.shift(ACME_POOL, seconds(second));
        openCalls.visit(shift, ACME, table.look(ACME_POOL), seconds(second));
    }

    /** Connected on a1 since NOW, whose claim of it is gone. */
    private void open(int n) {
        table.put(new Call(ACME, call(n), NOW, 1, Map.of(1, stream(ACME_POOL, "a1", 1, n, NOW)), null, 1, false, null));
    }

    private Outcome outcome(int n) {
        return java.util.Objects.requireNonNull(table.look(ACME, call(n)).outcome());
    }

    private boolean isOpen(int n) {
        return table.look(ACME, call(n)).outcome() == null;
    }

    @ParameterizedTest
    @CsvSource({"COMPLETED, COMPLETED", "FAILED, LOST", "CANCELED, CANCELED"})
    void after_four_minutes_a_call_that_is_over_ends_as_twilio_says(FinalStatus status, Outcome ends) {
        open(1);
        twilio.put(call(1), new CallStatus.Over(status));

        visit(239);
        assertThat(isOpen(1)).isTrue();
        assertThat(twilio.asked()).isEmpty();

        visit(240);
        assertThat(outcome(1)).isEqualTo(ends);
        assertThat(table.written("call-asked").getFirst().fields()).containsEntry("decidedBy", "twilio-status");
        assertThat(table.written("ended")).hasSize(1);
    }

    @Test
    void a_call_that_twilio_does_not_know_is_lost() {
        open(1);
        twilio.put(call(1), new CallStatus.Unknown());

        visit(240);

        assertThat(outcome(1)).isEqualTo(Outcome.LOST);
    }

    @Test
    void a_call_that_goes_on_or_that_twilio_says_nothing_about_stays_open() {
        open(1);
        open(2);
        twilio.fail(call(2));

        visit(240);

        assertThat(twilio.asked()).containsExactlyInAnyOrder(call(1), call(2));
        assertThat(isOpen(1)).isTrue();
        assertThat(isOpen(2)).isTrue();
    }

    @Test
    void a_call_that_the_agent_finished_is_ended_too() {
        open(1);
        table.calls().finish(ACME, call(1));
        twilio.put(call(1), new CallStatus.Over(FinalStatus.COMPLETED));

        visit(240);

        assertThat(outcome(1)).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void a_call_that_a_live_container_carries_is_not_asked_about_on_its_pool_or_on_the_gateway() {
        open(1);
        open(2);
        open(3);
        table.put(aliveUntil(ready(ACME_POOL, "a1"), seconds(250))
                .withClaims(Map.of(call(1), Claim.connected(generation(1, 1), ACME, NOW, NOW))));
        table.put(aliveUntil(ready(PoolId.GATEWAY, "gw1"), seconds(250))
                .withClaims(Map.of(call(2), Claim.connected(generation(1, 2), ACME, NOW, NOW))));
        table.put(aliveUntil(ready(PoolId.GATEWAY, "gw2"), seconds(30))
                .withClaims(Map.of(call(3), Claim.connected(generation(1, 3), ACME, NOW, NOW))));

        visit(240);

        assertThat(twilio.asked()).as("that of the dead container").containsExactly(call(3));
    }

    @Test
    void a_call_that_was_just_sent_elsewhere_is_on_its_way() {
        table.put(new Call(
                ACME, call(1), NOW, 2, Map.of(2, stream(ACME_POOL, "a1", 2, 1, seconds(200))), null, 1, false, null));

        visit(240);

        assertThat(twilio.asked()).isEmpty();
    }

    @Test
    void the_busy_message_was_heard_and_the_call_refused() {
        table.put(new Call(ACME, call(1), NOW, 1, Map.of(1, new Answer.Busy(NOW)), null, 0, false, null));
        twilio.put(call(1), new CallStatus.Over(FinalStatus.COMPLETED));

        visit(240);

        assertThat(outcome(1)).isEqualTo(Outcome.REFUSED);
    }

    @Test
    void a_call_out_ends_with_its_job() {
        table.put(Call.dialled(new JobId(ACME, "0123456789abcdefghij"), call(1), NOW));

        visit(240);

        assertThat(twilio.asked()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {240, 300, 360, 720, 2_880, 15_120, 86_400})
    void a_call_is_looked_at_around_4_12_and_48_minutes_4_hours_12_and_a_day(long second) {
        open(1);

        visit(second);

        assertThat(twilio.asked()).containsExactly(call(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 421, 719, 2_000, 10_000, 50_000, 90_000})
    void and_not_in_between(long second) {
        open(1);

        visit(second);

        assertThat(twilio.asked()).isEmpty();
        assertThat(table.operations().count(Operation.CALLS_FIND)).isZero();
    }

    @Test
    void twilio_is_asked_for_50_calls_in_a_visit_and_for_the_rest_in_the_next() {
        for (int n = 1; n <= 60; n++) {
            open(n);
            twilio.put(call(n), new CallStatus.Over(FinalStatus.COMPLETED));
        }

        visit(240);
        assertThat(twilio.asked()).hasSize(50);
        assertThat(table.written("open-calls-left").getFirst().fields()).containsEntry("left", "10");

        visit(300);
        assertThat(twilio.asked()).hasSize(60).doesNotHaveDuplicates();
        for (int n = 1; n <= 60; n++) {
            assertThat(isOpen(n)).isFalse();
        }
    }

    @Test
    void a_call_that_nobody_could_ask_about_at_its_last_age_is_asked_about_within_half_a_day() {
        open(1);
        twilio.fail(call(1));
        for (long second = 86_400; second <= 87_000; second += 60) {
            visit(second);
        }
        assertThat(isOpen(1)).isTrue();
        twilio.put(call(1), new CallStatus.Over(FinalStatus.COMPLETED));

        for (long second = 90_000; second < 90_000 + 60 * 735; second += 60) {
            visit(second);
        }

        assertThat(outcome(1)).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void with_nothing_open_a_visit_reads_the_list_and_nothing_else() {
        open(1);
        table.calls().end(ACME, call(1), Outcome.COMPLETED, NOW);
        table.operations().clearLog();

        visit(240);

        assertThat(table.operations().log()).hasSize(6).containsOnly(Operation.ATTEMPTS_OUTLINES);
    }

    @Test
    void a_late_final_status_changes_nothing_any_more() {
        open(1);
        twilio.put(call(1), new CallStatus.Over(FinalStatus.FAILED));
        visit(240);

        boolean again = new CallEnding(
                        table.calls(),
                        table.containers(),
                        table.announcements(),
                        table.conversations(),
                        table.journal())
                .end(ACME, call(1), FinalStatus.COMPLETED, seconds(300));

        assertThat(again).isFalse();
        assertThat(outcome(1)).isEqualTo(Outcome.LOST);
    }
}
