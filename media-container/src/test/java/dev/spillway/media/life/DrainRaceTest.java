package dev.spillway.media.life;

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
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestStream;
import dev.spillway.media.rig.Webhook;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection arrives during a drain: each order of the two is forced. */
class DrainRaceTest {
    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);
    private final Rig rig = Rig.of(table, clock, ACME_POOL, "c1").start();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void a_webhook_whose_claim_is_written_first_keeps_the_container_from_draining() {
        table.operations()
                .on(
                        Operation.CONTAINERS_CLAIM,
                        1,
                        Moment.AFTER,
                        () -> assertThat(drain()).isFalse());
        assertThat(voice(1)).isEqualTo(200);
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.READY);
        assertThat(rig.item().claims()).containsOnlyKeys(call(1));
    }

    @Test
    void a_webhook_that_was_admitted_and_whose_claim_comes_after_the_drain_is_told_503_and_the_drain_ends() {
        table.operations().on(Operation.CONTAINERS_CLAIM, 1, Moment.BEFORE, () -> {
            assertThat(drain()).isTrue();
            rig.heart().beat();
            assertThat(rig.item().state())
                    .as("a setup is under way: not drained yet")
                    .isEqualTo(ContainerState.DRAINING);
        });
        assertThat(voice(1)).isEqualTo(503);
        assertThat(rig.item().claims()).isEmpty();
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINED);
    }

    @Test
    void a_claimed_stream_that_opens_before_the_gate_is_sealed_is_served_and_the_drain_waits() {
        place(1);
        deploy();
        TestStream stream = TestStream.open(uri(1));
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINING);
        stream.start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINING);
        stream.stop();
        await().until(() -> rig.admission().report(0).isQuiet());
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINED);
    }

    @Test
    void a_claimed_stream_that_comes_while_drained_is_being_written_is_refused_and_let_in_once_its_claim_has_won() {
        drain();
        AtomicInteger refused = new AtomicInteger();
        table.operations().on(Operation.CONTAINERS_BECOME, 1, Moment.BEFORE, () -> {
            // An earlier owner of the item gave this claim; it arrives between the seal and the write.
            table.put(rig.item().withClaims(Map.of(call(1), Claim.reserved(generation(1, 1), ACME, NOW, NOW))));
            table.put(Call.placedDirectly(ACME, call(1), answer(1)));
            refused.set(TestStream.refusal(uri(1)));
        });
        rig.heart().beat();
        assertThat(refused).hasValue(503);
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINING);
        TestStream stream = TestStream.open(uri(1)).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
    }

    @Test
    void a_claimed_stream_that_comes_after_drained_is_refused() {
        drain();
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINED);
        assertThat(TestStream.refusal(uri(1))).isEqualTo(503);
    }

    // The four kinds of work

    @Test
    void a_container_in_cleanup_takes_calls() throws Exception {
        TestStream first = talk(1);
        CountDownLatch put = new CountDownLatch(1);
        CountDownLatch cleaning = new CountDownLatch(1);
        table.operations().on(Operation.CONTAINERS_END, 1, Moment.BEFORE, () -> {
            cleaning.countDown();
            awaitLatch(put);
        });
        first.stop();
        cleaning.await();
        assertThat(rig.admission().report(0).cleanup()).isEqualTo(1);
        assertThat(Webhook.get(rig.http("/health")).statusCode()).isEqualTo(200);
        assertThat(voice(2)).isEqualTo(200);
        put.countDown();
    }

    @Test
    void a_drain_waits_for_a_setup() throws Exception {
        CountDownLatch claiming = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        table.operations().on(Operation.CONTAINERS_CLAIM, 1, Moment.BEFORE, () -> {
            claiming.countDown();
            awaitLatch(go);
        });
        var setup = CompletableFuture.supplyAsync(() -> voice(1));
        claiming.await();
        assertThat(rig.admission().report(0).setups()).isEqualTo(1);
        assertDrainWaits();
        go.countDown();
        assertThat(setup.get()).isEqualTo(503);
        assertDrainEnds();
    }

    @Test
    void a_drain_waits_for_a_live_call() {
        TestStream stream = talk(1);
        assertThat(rig.admission().report(0).live()).isEqualTo(1);
        assertDrainWaits();
        stream.stop();
        assertDrainEnds();
    }

    @Test
    void a_drain_waits_for_a_relay() {
        try (Rig addressee = Rig.of(table, clock, ACME_POOL, "c2").start()) {
            Answer.Stream there =
                    new Answer.Stream(ACME_POOL, addressee.id(), generation(1, 1), NOW.plusSeconds(60), NOW);
            table.containers()
                    .claim(
                            ACME_POOL,
                            addressee.id(),
                            call(1),
                            Claim.reserved(there.generation(), ACME, NOW, NOW),
                            6,
                            NOW);
            table.put(Call.placedDirectly(ACME, call(1), there));
            rig.admission().close("draining");
            TestStream stream =
                    TestStream.open(rig.ws(rig.path(ACME, call(1), there))).start(call(1).value(), "acme");
            await().until(() -> stream.marks().contains("persona:acme:greeting"));
            assertThat(rig.admission().report(0).relays()).isEqualTo(1);
            assertDrainWaits();
            stream.stop();
            assertDrainEnds();
        }
    }

    @Test
    void a_drain_waits_for_a_cleanup_even_when_the_claim_is_gone_already() throws Exception {
        TestStream stream = talk(1);
        CountDownLatch put = new CountDownLatch(1);
        CountDownLatch cleaning = new CountDownLatch(1);
        table.operations().on(Operation.CONTAINERS_END, 1, Moment.AFTER, () -> {
            cleaning.countDown();
            awaitLatch(put);
        });
        stream.stop();
        cleaning.await();
        assertThat(rig.item().claims()).isEmpty();
        assertThat(rig.admission().report(0).cleanup()).isEqualTo(1);
        assertDrainWaits();
        put.countDown();
        assertDrainEnds();
    }

    private void assertDrainWaits() {
        deploy();
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINING);
    }

    private void assertDrainEnds() {
        await().until(() -> rig.admission().report(0).isQuiet());
        rig.heart().beat();
        assertThat(rig.item().state()).isEqualTo(ContainerState.DRAINED);
    }

    /** For scale-in: only without claims. */
    private boolean drain() {
        return table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.READY, ContainerState.DRAINING, true, ScaleIn.IDLE, NOW);
    }

    /** For a deployment: with its calls. */
    private void deploy() {
        table.containers()
                .become(
                        ACME_POOL,
                        rig.id(),
                        ContainerState.READY,
                        ContainerState.DRAINING,
                        false,
                        ScaleIn.DEPLOYMENT,
                        NOW);
    }

    private int voice(int n) {
        return Webhook.post(rig.http("/voice"), Webhook.form(call(n).value())).statusCode();
    }

    private TestStream talk(int n) {
        String twiml =
                Webhook.post(rig.http("/voice"), Webhook.form(call(n).value())).body();
        TestStream stream = TestStream.open(rig.ws(Webhook.streamPath(twiml))).start(call(n).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        return stream;
    }

    /** What the fallback function does. */
    private void place(int n) {
        table.containers()
                .claim(ACME_POOL, rig.id(), call(n), Claim.reserved(generation(1, n), ACME, NOW, NOW), 6, NOW);
        table.put(Call.placedDirectly(ACME, call(n), answer(n)));
    }

    private Answer.Stream answer(int n) {
        return new Answer.Stream(ACME_POOL, rig.id(), generation(1, n), NOW.plusSeconds(60), NOW);
    }

    private URI uri(int n) {
        return rig.ws(rig.path(ACME, call(n), answer(n)));
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
