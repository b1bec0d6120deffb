package dev.spillway.core.attempt;

import static dev.spillway.core.memory.Sample.minutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.Sample;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SummaryTest {
    private static final CallerHash ANN = new CallerHash("aaaaaaaaaaaaaaaaaaaaaa");
    private static final CallerHash BEN = new CallerHash("bbbbbbbbbbbbbbbbbbbbbb");

    private static Outline call(int n, long minute, @Nullable CallerHash caller, @Nullable Outcome outcome) {
        return new Outline(
                Sample.call(n).value(),
                Attempt.Kind.INBOUND,
                minutes(minute),
                outcome,
                outcome == Outcome.REFUSED ? Cause.FULL : null,
                caller,
                outcome == Outcome.REFUSED,
                0);
    }

    private static Outline job(String id, @Nullable Outcome outcome, int deferrals) {
        return new Outline(
                id,
                Attempt.Kind.OUTBOUND,
                minutes(1),
                outcome,
                deferrals > 0 ? Cause.RESERVE : null,
                ANN,
                false,
                deferrals);
    }

    private static String id(int n) {
        return Sample.call(n).value();
    }

    // Links to the first try

    @Test
    void whoever_was_refused_and_calls_again_within_ten_minutes_repeats_the_first_try() {
        FirstTries links = FirstTries.among(List.of(
                call(1, 0, ANN, Outcome.REFUSED),
                call(2, 4, ANN, Outcome.ABANDONED),
                call(3, 10, ANN, null),
                call(4, 5, BEN, null)));

        assertThat(links.of(id(1))).isEmpty();
        assertThat(links.of(id(2))).contains(id(1));
        assertThat(links.of(id(3))).contains(id(1));
        assertThat(links.of(id(4))).isEmpty();
    }

    @Test
    void after_ten_minutes_the_first_one_still_within_them_is_the_first_try() {
        FirstTries links = FirstTries.among(
                List.of(call(1, 0, ANN, Outcome.REFUSED), call(2, 9, ANN, Outcome.REFUSED), call(3, 15, ANN, null)));

        assertThat(links.of(id(3))).contains(id(2));
    }

    @Test
    void a_caller_who_was_served_calls_about_something_new() {
        for (Outcome served : List.of(Outcome.COMPLETED, Outcome.LOST, Outcome.SETUP_FAILED, Outcome.CANCELED)) {
            FirstTries links = FirstTries.among(List.of(call(1, 0, ANN, served), call(2, 1, ANN, null)));
            assertThat(links.of(id(2))).isEmpty();
        }
    }

    @Test
    void callers_who_are_not_known_are_not_taken_for_one_another() {
        FirstTries links =
                FirstTries.among(List.of(call(1, 0, null, Outcome.REFUSED), call(2, 1, null, Outcome.REFUSED)));

        assertThat(links.of(id(2))).isEmpty();
    }

    @Test
    void a_job_to_a_person_whom_a_job_before_did_not_reach_repeats_that_one_and_no_call_of_theirs() {
        FirstTries links = FirstTries.among(List.of(
                call(1, 0, ANN, Outcome.ABANDONED),
                job("job-1", Outcome.ABANDONED, 0),
                job("job-2", Outcome.COMPLETED, 0),
                job("job-3", null, 0)));

        assertThat(links.of("job-1")).isEmpty();
        assertThat(links.of("job-2")).contains("job-1");
        assertThat(links.of("job-3")).contains("job-1");
    }

    // The summary

    @Test
    void inbound_refusals_and_outbound_deferrals_are_counted_apart() {
        List<Outline> outlines = List.of(
                call(1, 0, ANN, Outcome.REFUSED),
                call(2, 1, ANN, Outcome.COMPLETED),
                call(3, 2, BEN, null),
                job("job-1", null, 3),
                job("job-2", Outcome.DEFERRED_EXPIRED, 2),
                job("job-3", Outcome.COMPLETED, 0));

        Summary summary = Summary.of(outlines, FirstTries.among(outlines));

        assertThat(summary.offered()).isEqualTo(6);
        assertThat(summary.open()).isEqualTo(2);
        assertThat(summary.outcomes())
                .containsEntry(Outcome.REFUSED, 1)
                .containsEntry(Outcome.COMPLETED, 2)
                .containsEntry(Outcome.DEFERRED_EXPIRED, 1)
                .containsEntry(Outcome.LOST, 0);
        assertThat(summary.inbound()).isEqualTo(new Summary.Inbound(3, 1, 1, 1, Map.of(Cause.FULL, 1)));
        assertThat(summary.outbound()).isEqualTo(new Summary.Outbound(3, 1, 2, 5, 1));
    }

    @Test
    void numbers_that_do_not_add_up_are_no_summary() {
        Summary.Inbound inbound = new Summary.Inbound(2, 0, 0, 0, Map.of());
        Summary.Outbound outbound = new Summary.Outbound(0, 0, 0, 0, 0);
        assertThatThrownBy(() -> new Summary(2, 0, Map.of(Outcome.COMPLETED, 1), inbound, outbound))
                .hasMessageContaining("2 attempts");
        assertThatThrownBy(() -> new Summary(3, 3, Map.of(), inbound, outbound)).hasMessageContaining("2 are inbound");
    }
}
