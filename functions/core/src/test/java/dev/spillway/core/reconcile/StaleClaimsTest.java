package dev.spillway.core.reconcile;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;
import static dev.spillway.core.memory.Sample.tenant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallStatus;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.MemoryTelephony;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Claim.Phase;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Call 1 has a claim of generation 1 on hop 1, made at NOW on a1. A stream may be opened for 60 s. */
class StaleClaimsTest {
    private final MemoryTable table = new MemoryTable();
    private final MemoryTelephony twilio = new MemoryTelephony();
    private final StaleClaims claims = new StaleClaims(
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
        claims.visit(table.shift(ACME_POOL, seconds(second)), table.look(ACME_POOL), seconds(second));
    }

    private void holds(Container container, Claim claim) {
        table.put(container.withClaims(Map.of(call(1), claim)));
    }

    private void holdsReserved(Container container) {
        holds(container, Claim.reserved(generation(1, 1), ACME, NOW, NOW));
    }

    private static Container busy(Container container, int live) {
        return container.heard(new Report(0, live, 0, 0, 0, NOW), container.aliveUntil(), container.protectedUntil());
    }

    /** a1, heard until minute 30, with that many live calls by its own report. */
    private static Container alive(int live) {
        return busy(aliveUntil(ready(ACME_POOL, "a1"), minutes(30)), live);
    }

    private static Container silent() {
        return aliveUntil(ready(ACME_POOL, "a1"), NOW);
    }

    private void placed(int hop, int n, int connectedHop, @Nullable Outcome outcome) {
        table.put(new Call(
                ACME,
                call(1),
                NOW,
                hop,
                Map.of(hop, stream(ACME_POOL, n == 1 ? "a1" : "a2", hop, n, NOW)),
                null,
                connectedHop,
                false,
                outcome));
    }

    private boolean isFreed() {
        return table.look(ACME_POOL, container("a1")).claims().isEmpty();
    }

    private String decidedBy() {
        assertThat(table.written("orphan")).hasSize(1);
        return String.valueOf(table.written("orphan").getFirst().fields().get("decidedBy"));
    }

    // By reference

    @Test
    void a_reserved_claim_of_a_call_that_is_over_is_freed_by_the_calls_record() {
        placed(1, 1, 0, Outcome.ABANDONED);
        holdsReserved(alive(3));

        visit(1);

        assertThat(isFreed()).isTrue();
        assertThat(decidedBy()).isEqualTo("call-record");
        assertThat(twilio.asked()).isEmpty();
    }

    @Test
    void a_reserved_claim_that_its_call_does_not_name_is_freed_by_the_calls_record_once_the_call_reached_its_hop() {
        placed(1, 9, 0, null);
        holds(alive(3), Claim.reserved(generation(2, 1), ACME, NOW, NOW));
        visit(1);
        assertThat(isFreed()).as("the placement of hop 2 is just being written").isFalse();

        holdsReserved(alive(3));
        visit(1);

        assertThat(isFreed()).isTrue();
        assertThat(decidedBy()).isEqualTo("call-record");
    }

    @Test
    void a_claim_for_a_placement_that_was_never_written_is_freed_once_no_stream_could_be_opened_for_it() {
        // given a function that wrote the attempt, claimed a slot for hop 1 and died before the placement
        table.put(Call.arrived(ACME, call(1), NOW));
        holdsReserved(alive(0));

        visit(90);
        assertThat(isFreed())
                .as("the placement of hop 1 may still be on its way")
                .isFalse();
        visit(91);

        assertThat(isFreed()).isTrue();
        assertThat(decidedBy()).isEqualTo("container-report");
        assertThat(twilio.asked()).isEmpty();
    }

    @Test
    void a_claim_ahead_of_its_calls_record_is_kept_while_its_container_talks_and_twilio_says_that_the_call_goes_on() {
        // given a container that let the call in while the table was away, and could not write the record yet
        table.put(Call.arrived(ACME, call(1), NOW));
        holdsReserved(alive(1));

        visit(1500);

        assertThat(isFreed()).isFalse();
        assertThat(twilio.asked()).isNotEmpty();
    }

    @Test
    void a_slot_offered_to_a_call_that_was_told_busy_is_taken_back_once_no_hand_off_can_be_under_way() {
        // given a call whose repeated webhook left a claim on the gateway, by which it was taken for a held one
        Offer offer = new Offer(container("a1"), generation(2, 1), NOW);
        table.put(new Call(ACME, call(1), NOW, 1, Map.of(1, new Answer.Busy(NOW)), offer, 0, false, null));
        holds(alive(3), Claim.reserved(generation(2, 1), ACME, NOW, NOW));

        visit(60);
        assertThat(isFreed()).isFalse();
        visit(61);

        assertThat(isFreed()).isTrue();
        assertThat(decidedBy()).isEqualTo("call-record");
        assertThat(table.look(ACME, call(1)).offer()).isNull();
    }

    // By the container's report or Twilio's status, and never by age

    @Test
    void a_claim_whose_stream_can_still_be_opened_is_left_alone() {
        placed(1, 1, 0, null);
        holdsReserved(alive(0));

        visit(90);

        assertThat(isFreed()).isFalse();
        assertThat(table.written()).isEmpty();
    }

    @Test
    void a_live_container_without_any_call_decides_by_its_report() {
        placed(1, 1, 0, null);
        holdsReserved(alive(0));

        visit(91);

        assertThat(isFreed()).isTrue();
        assertThat(decidedBy()).isEqualTo("container-report");
        assertThat(twilio.asked()).isEmpty();
    }

    @Test
    void of_a_busy_container_twilio_decides_and_a_call_that_goes_on_keeps_its_claim_whatever_its_age() {
        placed(1, 1, 0, null);
        holdsReserved(alive(2));

        visit(1500);

        assertThat(twilio.asked()).containsExactly(call(1));
        assertThat(isFreed()).isFalse();
        assertThat(table.look(ACME, call(1)).outcome()).isNull();
    }

    @Test
    void of_a_silent_container_twilio_decides_and_a_call_that_is_over_ends_with_its_outcome() {
        placed(1, 1, 0, null);
        holdsReserved(silent());
        twilio.put(call(1), new CallStatus.Over(FinalStatus.COMPLETED));

        visit(91);

        assertThat(isFreed()).isTrue();
        assertThat(decidedBy()).isEqualTo("twilio-status");
        assertThat(table.look(ACME, call(1)).outcome()).isEqualTo(Outcome.ABANDONED);
        assertThat(table.written("call-asked").getFirst().fields())
                .containsEntry("decidedBy", "twilio-status")
                .containsEntry("status", "COMPLETED");
    }

    @Test
    void while_twilio_does_not_answer_nothing_is_freed() {
        placed(1, 1, 0, null);
        holdsReserved(silent());
        twilio.fail(call(1));

        visit(1500);

        assertThat(isFreed()).isFalse();
        assertThat(table.look(ACME, call(1)).outcome()).isNull();
    }

    @Test
    void a_claim_without_a_record_of_its_call_is_kept_until_its_stream_is_past_and_then_asked_about() {
        holdsReserved(silent());
        twilio.put(call(1), new CallStatus.Unknown());

        visit(90);
        assertThat(isFreed()).isFalse();
        assertThat(twilio.asked()).isEmpty();

        visit(91);
        assertThat(isFreed()).isTrue();
        assertThat(decidedBy()).isEqualTo("twilio-status");
    }

    // Offers

    private void offered(Container gatewayContainer) {
        table.put(gatewayContainer);
        table.put(new Call(
                ACME,
                call(1),
                NOW,
                1,
                Map.of(1, stream(PoolId.GATEWAY, "gw1", 1, 5, NOW)),
                new Offer(container("a1"), generation(2, 1), NOW),
                1,
                false,
                null));
        holds(alive(3), Claim.reserved(generation(2, 1), ACME, NOW, NOW));
    }

    @Test
    void an_offer_to_a_call_that_a_live_gateway_container_no_longer_has_is_taken_back_by_that_containers_report() {
        offered(aliveUntil(ready(PoolId.GATEWAY, "gw1"), minutes(30)));

        visit(60);
        assertThat(isFreed()).as("it may be under way").isFalse();
        visit(61);

        assertThat(isFreed()).isTrue();
        assertThat(decidedBy()).isEqualTo("container-report");
        assertThat(table.look(ACME, call(1)).offer()).isNull();
    }

    @Test
    void when_the_gateway_container_died_twilio_says_whether_the_call_still_comes_for_its_offer() {
        offered(aliveUntil(ready(PoolId.GATEWAY, "gw1"), NOW));

        visit(61);
        assertThat(isFreed()).isFalse();

        twilio.put(call(1), new CallStatus.Over(FinalStatus.COMPLETED));
        visit(62);
        assertThat(isFreed()).isTrue();
        assertThat(decidedBy()).isEqualTo("twilio-status");
        assertThat(table.look(ACME, call(1)).outcome()).isEqualTo(Outcome.COMPLETED);
    }

    // What a lost container left

    private void lostWith(Phase phase) {
        holds(
                aliveUntil(in(ContainerState.LOST, ACME_POOL, "a1"), NOW),
                new Claim(generation(1, 1), phase, ACME, NOW, NOW, null));
    }

    @Test
    void a_connected_claim_on_a_lost_container_goes_when_its_call_went_on() {
        placed(2, 9, 2, null);
        lostWith(Phase.CONNECTED);

        visit(100);

        assertThat(isFreed()).isTrue();
        assertThat(decidedBy()).isEqualTo("call-record");
    }

    @Test
    void a_cooling_claim_on_a_lost_container_stays_while_twilio_says_that_the_call_goes_on() {
        placed(1, 1, 1, null);
        lostWith(Phase.COOLDOWN);
        visit(100);
        assertThat(isFreed()).isFalse();

        twilio.put(call(1), new CallStatus.Over(FinalStatus.FAILED));
        visit(160);

        assertThat(isFreed()).isTrue();
        assertThat(decidedBy()).isEqualTo("twilio-status");
        assertThat(table.look(ACME, call(1)).outcome()).isEqualTo(Outcome.LOST);
    }

    // A call at the wrong container

    private void connected() {
        holds(alive(1), Claim.connected(generation(1, 1), ACME, NOW, NOW));
    }

    @Test
    void a_call_at_another_container_than_its_record_says_is_an_alert_at_once_that_touches_one_attempt() {
        placed(1, 9, 1, null);
        connected();

        visit(1);

        assertThat(table.written("alert")).hasSize(1);
        assertThat(table.written("alert").getFirst().fields())
                .containsEntry("alert", "wrong-container")
                .containsEntry("attempts", "1")
                .containsEntry("container", "a1")
                .containsEntry("callSid", call(1).value());
        assertThat(isFreed()).isFalse();
    }

    @Test
    void a_call_on_its_way_to_its_next_hop_is_not_one_that_is_still_there_a_minute_later_is() {
        placed(2, 9, 2, null);
        connected();
        visit(60);
        assertThat(table.written("alert")).isEmpty();

        visit(61);
        assertThat(table.written("alert")).hasSize(1);
    }

    @Test
    void a_call_where_its_record_says_and_one_that_is_over_raise_none() {
        placed(1, 1, 1, null);
        connected();
        visit(1);
        placed(1, 9, 1, Outcome.COMPLETED);
        visit(1);
        table.put(new Call(ACME, call(1), NOW, 1, Map.of(1, new Answer.Busy(NOW)), null, 0, false, null));
        visit(1);

        assertThat(table.written("alert")).isEmpty();
    }
}
