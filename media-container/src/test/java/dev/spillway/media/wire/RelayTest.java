package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestStream;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two containers of one pool: the load balancer brings c1's streams to c2. */
class RelayTest {
    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);
    private final Rig c1 = Rig.of(table, clock, ACME_POOL, "c1").start();
    private final Rig c2 = Rig.of(table, clock, ACME_POOL, "c2").start();

    @AfterEach
    void close() {
        c1.close();
        c2.close();
    }

    @Test
    void a_container_with_a_free_slot_adopts_the_call_and_the_other_claim_goes() {
        place(1);
        TestStream stream = TestStream.open(at(c2, 1)).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        Claim here = c2.claim(call(1));
        assertThat(here.phase()).isEqualTo(Claim.Phase.CONNECTED);
        assertThat(here.generation().hop()).isEqualTo(1);
        assertThat(here.generation()).isNotEqualTo(generation(1, 1));
        assertThat(table.look(ACME, call(1)).names(here.generation())).isTrue();
        await().until(() -> c1.item().claims().isEmpty());
        assertThat(TestStream.refusal(at(c1, 1)))
                .as("the stream again, at its addressee")
                .isEqualTo(101);
        stream.stop();
        await().until(() -> c2.item().claims().isEmpty());
    }

    @Test
    void the_claim_here_is_written_before_the_call_is_moved_and_the_other_claim_released() {
        place(1);
        table.operations().clearLog();
        TestStream stream = TestStream.open(at(c2, 1)).start(call(1).value(), "acme");
        await().until(() -> c1.item().claims().isEmpty());
        assertThat(table.operations().log())
                .containsSubsequence(
                        Operation.CONTAINERS_CLAIM,
                        Operation.CALLS_ADOPT,
                        Operation.CONTAINERS_CONNECT,
                        Operation.CONTAINERS_RELEASE);
        stream.close();
    }

    @Test
    void a_full_container_relays_the_stream_to_its_addressee() {
        fill(c2);
        place(1);
        TestStream stream = TestStream.open(at(c2, 1)).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        assertThat(c1.claim(call(1)).phase()).isEqualTo(Claim.Phase.CONNECTED);
        assertThat(c1.admission().report(0).live()).isEqualTo(1);
        assertThat(c2.admission().report(0).relays()).isEqualTo(1);
        assertThat(c2.admission().report(0).live()).isZero();

        stream.frames(20, true).frames(15, false);
        await().until(() -> stream.marks().contains("persona:acme:answer"));
        stream.press("#");
        assertThat(stream.awaitClosed().code()).isEqualTo(1000);
        await().until(() -> c2.admission().report(0).isQuiet());
        await().until(() -> c1.item().claims().isEmpty());
    }

    @Test
    void a_draining_container_relays_and_counts_that_as_work_for_the_drain() {
        place(1);
        table.containers().become(ACME_POOL, c2.id(), ContainerState.READY, ContainerState.DRAINING, true, "idle", NOW);
        c2.heart().beat();
        assertThat(c2.item().state()).isEqualTo(ContainerState.DRAINED);
        assertThat(TestStream.refusal(at(c2, 1))).as("drained: nothing more").isEqualTo(503);

        try (Rig c3 = Rig.of(table, clock, ACME_POOL, "c3").start()) {
            c3.admission().close("draining");
            TestStream stream = TestStream.open(at(c3, 1)).start(call(1).value(), "acme");
            await().until(() -> stream.marks().contains("persona:acme:greeting"));
            table.containers()
                    .become(ACME_POOL, c3.id(), ContainerState.READY, ContainerState.DRAINING, true, "idle", NOW);
            c3.heart().beat();
            assertThat(c3.item().state()).isEqualTo(ContainerState.DRAINING);
            stream.stop();
            await().until(() -> c3.admission().report(0).isQuiet());
            c3.heart().beat();
            assertThat(c3.item().state()).isEqualTo(ContainerState.DRAINED);
        }
    }

    @Test
    void a_relayed_stream_is_never_relayed_again() {
        place(1);
        String relayed = address(1).relayed().path(c1.key());
        assertThat(TestStream.refusal(c2.ws(relayed))).isEqualTo(403);
        assertThat(table.written("alert"))
                .singleElement()
                .satisfies(alert -> assertThat(alert.fields()).containsEntry("alert", "wrong-container"));
        assertThat(c2.admission().report(0).isQuiet()).isTrue();
        assertThat(TestStream.refusal(c1.ws(relayed.replace("/relay/", "/stream/"))))
                .as("the relay's MAC is its own")
                .isEqualTo(403);
    }

    @Test
    void the_addressees_refusal_reaches_the_caller_and_the_relay_ends() {
        fill(c2);
        place(1);
        TestStream.open(at(c1, 1)).start(call(1).value(), "acme");
        await().until(() -> c1.claim(call(1)).phase() == Claim.Phase.CONNECTED);
        assertThat(TestStream.refusal(at(c2, 1))).isEqualTo(410);
        await().until(() -> c2.admission().report(0).isQuiet());
    }

    @Test
    void an_addressee_that_cannot_be_reached_ends_the_relay_with_503() {
        fill(c2);
        place(1);
        c1.close();
        assertThat(TestStream.refusal(at(c2, 1))).isEqualTo(503);
        await().until(() -> c2.admission().report(0).isQuiet());
    }

    @Test
    void when_the_addressee_dies_the_callers_stream_ends_so_that_twilio_goes_on() {
        fill(c2);
        place(1);
        TestStream stream = TestStream.open(at(c2, 1)).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        c1.close();
        stream.awaitClosed();
        await().until(() -> c2.admission().report(0).isQuiet());
    }

    @Test
    void when_the_caller_goes_the_addressee_hears_of_it() {
        fill(c2);
        place(1);
        TestStream stream = TestStream.open(at(c2, 1)).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        stream.close();
        await().until(() -> c1.item().claims().isEmpty());
        await().until(() -> c2.admission().report(0).isQuiet());
    }

    @Test
    void a_stream_that_comes_to_both_containers_at_once_is_connected_once() throws Exception {
        place(1);
        TestStream there = TestStream.open(at(c1, 1));
        TestStream here = TestStream.open(at(c2, 1));
        var race = java.util.concurrent.CompletableFuture.runAsync(() -> there.start(call(1).value(), "acme"));
        here.start(call(1).value(), "acme");
        race.get();
        await().until(() -> there.isClosed() || here.isClosed());
        TestStream winner = there.isClosed() ? here : there;
        await().until(() -> winner.marks().contains("persona:acme:greeting"));
        await().until(() -> c1.item().claims().size() + c2.item().claims().size() == 1);
        assertThat(winner.isClosed()).isFalse();
    }

    @Test
    void an_adoption_that_the_call_refuses_leaves_no_claim() {
        place(1);
        table.operations()
                .on(
                        Operation.CALLS_ADOPT,
                        1,
                        Moment.BEFORE,
                        () -> table.calls().place(ACME, call(1), 1, new Answer.Busy(NOW)));
        TestStream stream = TestStream.open(at(c2, 1)).start(call(1).value(), "acme");
        assertThat(stream.awaitClosed().code()).isEqualTo(1008);
        await().until(() -> c2.item().claims().isEmpty());
        await().until(() -> c2.admission().report(0).isQuiet());
    }

    @Test
    void without_the_table_a_stream_for_another_container_is_taken_here_while_there_is_room() {
        place(1);
        TestStream.refusal(at(c2, 1));
        await().until(() -> c2.admission().report(0).isQuiet());
        place(2);
        table.operations().failAll(operation -> true);
        TestStream stream = TestStream.open(at(c2, 2)).start(call(2).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        table.operations().heal();
        c2.heart().beat();
        assertThat(c2.claim(call(2)).phase()).isEqualTo(Claim.Phase.CONNECTED);
        assertThat(stream.isClosed()).isFalse();
    }

    /** Six calls of which nobody here need know more than the table says. */
    private void fill(Rig rig) {
        table.put(Sample.withCalls(rig.item(), ACME, 101, 6));
        rig.admission().observe(rig.item().claims(), clock.instant(), clock.instant());
        clock.advance(Duration.ofMillis(1));
    }

    private void place(int n) {
        Answer.Stream answer = answer(n);
        table.containers()
                .claim(ACME_POOL, c1.id(), call(n), Claim.reserved(answer.generation(), ACME, NOW, NOW), 6, NOW);
        table.put(Call.placedDirectly(ACME, call(n), answer));
    }

    private Answer.Stream answer(int n) {
        return new Answer.Stream(ACME_POOL, c1.id(), generation(1, n), NOW.plusSeconds(60), NOW);
    }

    private StreamAddress address(int n) {
        return StreamAddress.of(ACME, call(n), answer(n));
    }

    private URI at(Rig rig, int n) {
        return rig.ws(address(n).path(c1.key()));
    }
}
