package dev.spillway.core.call;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;
import static dev.spillway.core.memory.Sample.tenant;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.StreamFailure.Kind;
import dev.spillway.core.contract.AtOnce;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.memory.Crash;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.MemoryTelephony;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.PoolId;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallEndingTest {
    private static final CallSid CALL = call(1);

    private final MemoryTable table = new MemoryTable();
    private final CallEnding ending = new CallEnding(
            table.calls(), table.containers(), table.announcements(), table.conversations(), table.journal());

    @BeforeEach
    void aGatewayContainerAndOneOfTheTenant() {
        table.put(acme());
        table.put(gateway());
        table.put(ready(PoolId.GATEWAY, "gw1"));
        table.put(ready(ACME_POOL, "a1"));
    }

    /** The call is placed on the gateway, with its claim. */
    private void placed(boolean connected) {
        Answer.Stream answer = stream(PoolId.GATEWAY, "gw1", 1, 1, NOW);
        table.put(new Call(ACME, CALL, NOW, 1, Map.of(1, answer), null, connected ? 1 : 0, false, null));
        Claim claim = connected
                ? Claim.connected(generation(1, 1), ACME, NOW, NOW)
                : Claim.reserved(generation(1, 1), ACME, NOW, NOW);
        table.put(ready(PoolId.GATEWAY, "gw1").withClaims(Map.of(CALL, claim)));
    }

    private Map<ClaimKey, Claim> gatewayClaims() {
        return table.look(PoolId.GATEWAY, container("gw1")).claims();
    }

    @ParameterizedTest
    @CsvSource({
        "true, COMPLETED, COMPLETED",
        "false, COMPLETED, ABANDONED",
        "true, CANCELED, CANCELED",
        "false, NO_ANSWER, ABANDONED",
        "false, BUSY, ABANDONED",
        "true, FAILED, LOST",
        "false, FAILED, SETUP_FAILED",
    })
    void a_call_with_a_stream_ends_as_twilio_says(boolean connected, FinalStatus status, Outcome outcome) {
        placed(connected);

        assertThat(ending.end(ACME, CALL, status, seconds(60))).isTrue();

        assertThat(table.look(ACME, CALL).outcome()).isEqualTo(outcome);
    }

    @Test
    void what_a_call_was_told_last_decides_when_it_had_no_stream() {
        assertThat(outcomeAfter(null, 0)).isEqualTo(Outcome.SETUP_FAILED);
        assertThat(outcomeAfter(new Answer.Busy(NOW), 0)).isEqualTo(Outcome.REFUSED);
        assertThat(outcomeAfter(new Answer.Apology(NOW), 0)).isEqualTo(Outcome.SETUP_FAILED);
        assertThat(outcomeAfter(new Answer.Apology(NOW), 1)).isEqualTo(Outcome.LOST);
        assertThat(outcomeAfter(new Answer.HangUp(NOW), 1)).isEqualTo(Outcome.COMPLETED);
    }

    @ParameterizedTest
    @CsvSource({
        "COMPLETED, LOST",
        "CANCELED, CANCELED",
        "NO_ANSWER, ABANDONED",
        "BUSY, ABANDONED",
        "FAILED, SETUP_FAILED"
    })
    void a_caller_whom_nobody_could_write_down_is_counted_when_twilio_says_that_he_is_gone(
            FinalStatus status, Outcome outcome) {
        assertThat(ending.endInbound(ACME, CALL, 1, status, seconds(60))).isTrue();

        assertThat(table.look(ACME, CALL).outcome()).isEqualTo(outcome);
        assertThat(table.look(ACME, CALL).arrivedAt()).isEqualTo(seconds(60));
        assertThat(ending.endInbound(ACME, CALL, 1, status, seconds(62)))
                .as("a second notice changes nothing")
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "COMPLETED, LOST",
        "CANCELED, CANCELED",
        "NO_ANSWER, ABANDONED",
        "BUSY, ABANDONED",
        "FAILED, SETUP_FAILED"
    })
    void whoever_dies_once_such_a_caller_is_written_down_leaves_no_other_end_to_the_next(
            FinalStatus status, Outcome outcome) {
        table.operations().on(Operation.CALLS_BEGIN, 1, Moment.AFTER, () -> {
            throw new Crash("after the record is begun");
        });
        assertThatThrownBy(() -> ending.endInbound(ACME, CALL, 1, status, seconds(60)))
                .isInstanceOf(Crash.class);

        ending.endInbound(ACME, CALL, 0, status, seconds(300));

        assertThat(table.look(ACME, CALL).outcome()).isEqualTo(outcome);
    }

    @Test
    void a_call_out_without_a_record_is_its_jobs_attempt_and_none_of_its_own() {
        assertThat(ending.end(ACME, CALL, FinalStatus.COMPLETED, seconds(60))).isFalse();

        assertThat(table.calls().find(ACME, CALL)).isEmpty();
    }

    @Test
    void a_call_that_was_connected_and_then_heard_busy_was_lost_and_not_refused() {
        assertThat(outcomeAfter(new Answer.Busy(NOW), 1)).isEqualTo(Outcome.LOST);
    }

    private Outcome outcomeAfter(@org.jspecify.annotations.Nullable Answer last, int connectedHop) {
        Map<Integer, Answer> answers =
                last == null ? Map.of() : Map.of(1, stream(PoolId.GATEWAY, "gw1", 1, 1, NOW), 2, last);
        table.put(new Call(ACME, CALL, NOW, answers.size(), answers, null, connectedHop, false, null));
        ending.end(ACME, CALL, FinalStatus.COMPLETED, seconds(60));
        return java.util.Objects.requireNonNull(table.look(ACME, CALL).outcome());
    }

    @Test
    void a_reserved_slot_is_free_at_once_and_a_connected_one_cools_down_for_its_container() {
        placed(false);
        ending.end(ACME, CALL, FinalStatus.CANCELED, seconds(60));
        assertThat(gatewayClaims()).isEmpty();
        assertThat(table.announced()).containsExactly(new SlotFreed(PoolId.GATEWAY, container("gw1"), seconds(60)));

        placed(true);
        ending.end(ACME, CALL, FinalStatus.COMPLETED, seconds(60));
        assertThat(table.announced()).as("its container will say so").hasSize(1);
        assertThat(gatewayClaims().values()).extracting(Claim::phase).containsExactly(Claim.Phase.COOLDOWN);
    }

    @Test
    void the_slot_that_was_offered_to_it_goes_too() {
        placed(true);
        Offer offer = new Offer(container("a1"), generation(2, 2), NOW);
        table.calls().offer(ACME, CALL, 1, offer);
        table.containers()
                .claim(ACME_POOL, container("a1"), CALL, Claim.reserved(generation(2, 2), ACME, NOW, NOW), LIMIT, NOW);

        ending.end(ACME, CALL, FinalStatus.COMPLETED, seconds(60));

        assertThat(table.look(ACME_POOL, container("a1")).claims()).isEmpty();
    }

    @Test
    void a_late_or_repeated_notice_changes_nothing() {
        placed(true);
        ending.end(ACME, CALL, FinalStatus.COMPLETED, seconds(60));

        assertThat(ending.end(ACME, CALL, FinalStatus.FAILED, seconds(61))).isFalse();

        assertThat(table.look(ACME, CALL).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(table.written("ended")).hasSize(1);
        assertThat(ending.end(ACME, call(99), FinalStatus.COMPLETED, seconds(61)))
                .isFalse();
        assertThat(table.attempts()).isEqualTo(1);
    }

    @Test
    void of_32_notices_exactly_one_ends_the_call() {
        placed(true);

        assertThat(AtOnce.run(32, n -> ending.end(ACME, CALL, FinalStatus.COMPLETED, seconds(60))))
                .containsOnlyOnce(true);
    }

    @Test
    void after_a_crash_between_outcome_and_release_the_repeated_notice_frees_the_slot() {
        placed(false);
        table.operations().crashAtWrite(1, Moment.AFTER);
        assertThatThrownBy(() -> ending.end(ACME, CALL, FinalStatus.CANCELED, seconds(60)))
                .isInstanceOf(Crash.class);
        table.operations().heal();

        ending.end(ACME, CALL, FinalStatus.CANCELED, seconds(62));

        assertThat(gatewayClaims()).isEmpty();
    }

    // A stream that could not be opened

    private final MemoryTelephony twilio = new MemoryTelephony();
    private final StreamFailure failure = new StreamFailure(table.calls(), twilio, table.journal());

    @Test
    void a_call_of_which_its_container_heard_nothing_more_is_sent_on_from_its_hop_and_from_no_earlier_one() {
        placed(true);

        assertThat(failure.move(tenant(ACME), CALL, 0, Kind.SILENT)).isFalse();
        assertThat(failure.move(tenant(ACME), CALL, 1, Kind.SILENT)).isTrue();

        assertThat(twilio.sent()).containsExactly("acme " + CALL + " 1");
    }

    @Test
    void a_call_whose_stream_was_never_accepted_is_sent_on_from_its_hop() {
        placed(false);

        assertThat(failure.isCurrent(tenant(ACME), CALL, 1, Kind.NEVER_OPENED)).isTrue();
        assertThat(failure.move(tenant(ACME), CALL, 1, Kind.NEVER_OPENED)).isTrue();

        assertThat(twilio.sent()).containsExactly("acme " + CALL + " 1");
        assertThat(table.written("stream-failed")).hasSize(1);
    }

    @Test
    void a_notice_about_a_connected_an_older_or_a_later_hop_moves_nothing() {
        placed(true);
        assertThat(failure.move(tenant(ACME), CALL, 1, Kind.NEVER_OPENED)).isFalse();

        placed(false);
        table.calls().place(ACME, CALL, 1, stream(ACME_POOL, "a1", 2, 2, NOW));
        assertThat(failure.move(tenant(ACME), CALL, 1, Kind.NEVER_OPENED)).isFalse();
        assertThat(failure.move(tenant(ACME), CALL, 3, Kind.NEVER_OPENED)).isFalse();

        assertThat(twilio.sent()).isEmpty();
        assertThat(table.written()).isEmpty();
    }

    @Test
    void a_notice_about_a_finished_ended_or_unknown_call_moves_nothing() {
        placed(false);
        table.calls().finish(ACME, CALL);
        assertThat(failure.move(tenant(ACME), CALL, 1, Kind.NEVER_OPENED)).isFalse();

        placed(false);
        table.calls().end(ACME, CALL, Outcome.ABANDONED, NOW);
        assertThat(failure.move(tenant(ACME), CALL, 1, Kind.NEVER_OPENED)).isFalse();
        assertThat(failure.move(tenant(ACME), call(99), 1, Kind.NEVER_OPENED)).isFalse();

        assertThat(twilio.sent()).isEmpty();
    }

    @Test
    void a_stream_that_broke_after_it_was_accepted_sends_its_call_on() {
        placed(true);

        assertThat(failure.move(tenant(ACME), CALL, 1, Kind.BROKE)).isTrue();
        assertThat(failure.move(tenant(ACME), CALL, 1, Kind.HARMLESS)).isFalse();

        assertThat(twilio.sent()).containsExactly("acme " + CALL + " 1");
    }

    @ParameterizedTest
    @CsvSource({
        "31901, NEVER_OPENED",
        "31902, NEVER_OPENED",
        "31920, NEVER_OPENED",
        "31903, BROKE",
        "31924, BROKE",
        "31921, HARMLESS",
        "stream-stopped, HARMLESS",
    })
    void twilios_stream_errors_are_of_three_kinds(String error, Kind kind) {
        assertThat(Kind.of(error)).isEqualTo(kind);
        assertThat(Kind.of("Stream - " + error + " - text")).isEqualTo(kind);
    }

    @Test
    void what_its_agent_kept_of_it_goes_with_the_call_whoever_says_that_it_ended() {
        for (int n = 41; n <= 42; n++) {
            table.put(Call.placedDirectly(ACME, call(n), stream(ACME_POOL, "a1", 1, n, NOW)));
            table.conversations().keep(ACME, call(n), 1, new byte[] {1, 2, 3}, NOW);
        }

        assertThat(ending.end(ACME, call(41), FinalStatus.COMPLETED, NOW)).isTrue();
        assertThat(ending.lose(ACME, call(42), "nobody knows", NOW)).isTrue();

        for (int n = 41; n <= 42; n++) {
            assertThat(table.conversations().find(ACME, call(n))).isEmpty();
            assertThat(table.conversations().keep(ACME, call(n), 1, new byte[] {4}, NOW))
                    .as("a late save")
                    .isFalse();
        }
    }
}
