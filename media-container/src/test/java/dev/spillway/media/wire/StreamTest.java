package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.BLOOM;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Offer;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.Placed;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.event.Announcement.SlotsTaken;
import dev.spillway.core.event.Announcement.StreamSilent;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestStream;
import dev.spillway.media.rig.TestStream.Closed;
import dev.spillway.media.rig.Webhook;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StreamTest {
    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);
    private final Rig gateway = Rig.of(table, clock, PoolId.GATEWAY, "g1").start();

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_claim_held_here_is_let_in_also_when_full_and_draining() {
        for (int n = 1; n <= 6; n++) {
            place(gateway, ACME, n, 1);
        }
        gateway.heart().beat();
        gateway.admission().close("draining");
        assertThat(Webhook.get(gateway.http("/health")).statusCode()).isEqualTo(503);
        TestStream stream = open(gateway, ACME, 3, 1).start(call(3).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
    }

    @Test
    void a_stream_is_opened_once() {
        place(gateway, ACME, 1, 1);
        TestStream first = open(gateway, ACME, 1, 1).start(call(1).value(), "acme");
        await().until(() -> first.marks().size() == 1);
        assertThat(TestStream.refusal(uri(gateway, ACME, 1, 1))).isEqualTo(410);
        assertThat(first.isClosed()).isFalse();
    }

    @Test
    void of_two_handshakes_for_one_stream_at_the_same_moment_one_wins() {
        place(gateway, ACME, 1, 1);
        List<CompletableFuture<Integer>> statuses = Stream.generate(
                        () -> CompletableFuture.supplyAsync(() -> TestStream.refusal(uri(gateway, ACME, 1, 1))))
                .limit(8)
                .toList();
        assertThat(statuses.stream().map(CompletableFuture::join).filter(status -> status == 101))
                .hasSize(1);
    }

    @Test
    void a_stream_without_a_good_address_is_refused_before_the_upgrade_and_asks_nobody() {
        place(gateway, ACME, 1, 1);
        String good = uri(gateway, ACME, 1, 1).getPath();
        table.operations().clearLog();
        assertThat(TestStream.refusal(gateway.ws("/stream/acme/g1"))).isEqualTo(401);
        assertThat(TestStream.refusal(gateway.ws(good.substring(0, good.length() - 1) + "!")))
                .isEqualTo(403);
        Answer.Stream answer = answer(gateway, 1, 1);
        StreamKey foreign = StreamKey.derive(new byte[32], ACME_POOL);
        assertThat(TestStream.refusal(
                        gateway.ws(StreamAddress.of(ACME, call(1), answer).path(foreign))))
                .isEqualTo(403);
        clock.advance(Duration.ofSeconds(62));
        assertThat(TestStream.refusal(gateway.ws(good))).isEqualTo(410);
        assertThat(table.operations().log()).isEmpty();
        assertThat(table.written("stream-refused")).hasSize(4);
    }

    @Test
    void a_stream_for_an_unknown_container_or_an_unknown_tenant_is_refused_before_the_upgrade() {
        Answer.Stream elsewhere =
                new Answer.Stream(PoolId.GATEWAY, new ContainerId("g9"), generation(1, 1), NOW.plusSeconds(60), NOW);
        assertThat(TestStream.refusal(gateway.ws(gateway.path(ACME, call(1), elsewhere))))
                .isEqualTo(403);
        assertThat(TestStream.refusal(gateway.ws(gateway.path(new TenantId("nobody"), call(1), answer(gateway, 1, 1)))))
                .isEqualTo(403);
        assertThat(gateway.admission().report(0).isQuiet()).isTrue();
    }

    @Test
    void a_stream_for_another_tenant_is_refused_by_a_tenants_container() {
        try (Rig acme = Rig.of(table, clock, ACME_POOL, "c1").start()) {
            assertThat(TestStream.refusal(acme.ws(acme.path(BLOOM, call(1), answer(acme, 1, 1)))))
                    .isEqualTo(403);
            Answer.Stream any = new Answer.Stream(ACME_POOL, null, generation(1, 1), NOW.plusSeconds(60), NOW);
            assertThat(TestStream.refusal(acme.ws(acme.path(ACME, call(1), any))))
                    .isEqualTo(403);
        }
    }

    /** Everything that a stream may do wrong once it is open; a call beside it goes on. */
    static final class BadInput {
        private final MemoryTable table = Rig.table();
        private final Rig gateway = Rig.of(table, new HandClock(NOW), PoolId.GATEWAY, "g1")
                .limits(new StreamLimits(
                        Duration.ofMillis(300), Duration.ofMillis(700), Duration.ofSeconds(5), 64 * 1024))
                .start();

        @AfterEach
        void close() {
            gateway.close();
        }

        Closed outcome(java.util.function.Consumer<TestStream> misdeed, boolean started) {
            place(table, gateway, BLOOM, 9, 1);
            TestStream bystander = TestStream.open(uri(gateway, BLOOM, 9, 1)).start(call(9).value(), "bloom");
            place(table, gateway, ACME, 1, 1);
            TestStream stream = TestStream.open(uri(gateway, ACME, 1, 1));
            if (started) {
                stream.start(call(1).value(), "acme");
                await().until(() -> stream.marks().size() == 1);
            }
            misdeed.accept(stream);
            CompletableFuture<Closed> closed = CompletableFuture.supplyAsync(stream::awaitClosed);
            await().pollInterval(Duration.ofMillis(20)).until(() -> {
                bystander.frames(1, false);
                return closed.isDone();
            });
            await().until(() -> !gateway.item().claims().containsKey(call(1)));
            assertThat(gateway.item().claims()).containsKey(call(9));
            assertThat(bystander.isClosed()).isFalse();
            bystander.stop();
            await().until(() -> gateway.admission().report(0).isQuiet());
            assertThat(table.written("stream-closed").stream()
                            .filter(entry -> entry.fields().containsValue(call(1).value())))
                    .hasSize(1);
            return closed.join();
        }
    }

    @org.junit.jupiter.api.Nested
    class Once_open {
        private BadInput bad = new BadInput();

        @BeforeEach
        void fresh() {
            bad = new BadInput();
        }

        @AfterEach
        void done() {
            bad.close();
        }

        @Test
        void a_start_for_another_call_is_closed() {
            Closed closed = bad.outcome(stream -> stream.start(call(2).value(), "acme"), false);
            assertThat(closed).isEqualTo(new Closed(1008, "a start for another call"));
        }

        @Test
        void a_start_for_another_tenant_is_closed() {
            Closed closed = bad.outcome(stream -> stream.start(call(1).value(), "bloom"), false);
            assertThat(closed).isEqualTo(new Closed(1008, "a start for another tenant"));
        }

        @Test
        void a_second_start_is_closed() {
            Closed closed = bad.outcome(stream -> stream.start(call(1).value(), "acme"), true);
            assertThat(closed).isEqualTo(new Closed(1008, "a second start"));
        }

        @Test
        void malformed_json_is_closed() {
            assertThat(bad.outcome(stream -> stream.send("{\"event\":"), true).code())
                    .isEqualTo(1007);
            assertThat(new BadInput()
                            .outcome(stream -> stream.send("[1]"), false)
                            .code())
                    .isEqualTo(1007);
        }

        @Test
        void a_binary_frame_is_closed() {
            Closed closed = bad.outcome(stream -> stream.sendBinary(new byte[160]), true);
            assertThat(closed).isEqualTo(new Closed(1003, "binary frame"));
        }

        @Test
        void a_frame_of_a_megabyte_is_closed() {
            Closed closed = bad.outcome(
                    stream -> {
                        try {
                            stream.send("x".repeat(1 << 20));
                        } catch (RuntimeException e) {
                            // The other side need not read all of it.
                        }
                    },
                    true);
            assertThat(closed.code()).isIn(1009, 1006);
        }

        @Test
        void media_before_start_is_closed() {
            Closed closed = bad.outcome(stream -> stream.frames(1, false), false);
            assertThat(closed).isEqualTo(new Closed(1008, "media before start"));
        }

        @Test
        void no_start_is_closed() {
            Closed closed = bad.outcome(stream -> {}, false);
            assertThat(closed).isEqualTo(new Closed(1008, "no start within 300 ms"));
        }

        @Test
        void no_frame_is_closed() {
            Closed closed = bad.outcome(stream -> {}, true);
            assertThat(closed).isEqualTo(new Closed(1008, "no frame for 700 ms"));
        }

        @Test
        void a_stream_that_falls_silent_is_announced_since_its_closing_may_reach_nobody() {
            bad.outcome(stream -> {}, true);
            StreamSilent silent = new StreamSilent(ACME, call(1), 1, new ContainerId("g1"), NOW);
            await().until(() -> bad.table.announced().contains(silent));
        }

        @Test
        void a_stream_that_never_starts_is_announced_too() {
            bad.outcome(stream -> {}, false);
            StreamSilent silent = new StreamSilent(ACME, call(1), 1, new ContainerId("g1"), NOW);
            await().until(() -> bad.table.announced().contains(silent));
        }

        @Test
        void a_stream_that_the_caller_ends_is_not() {
            bad.outcome(TestStream::stop, true);
            assertThat(bad.table.announced()).noneMatch(StreamSilent.class::isInstance);
        }

        @Test
        void a_connection_that_breaks_frees_its_slot() {
            bad.outcome(TestStream::close, true);
        }
    }

    @Test
    void a_call_without_a_claim_is_taken_by_any_gateway_container_and_scaling_hears_of_it() {
        Answer.Stream any = new Answer.Stream(PoolId.GATEWAY, null, generation(1, 1), NOW.plusSeconds(60), NOW);
        TestStream stream =
                TestStream.open(gateway.ws(gateway.path(ACME, call(1), any))).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        assertThat(gateway.claim(call(1)).phase()).isEqualTo(Claim.Phase.CONNECTED);
        assertThat(table.look(ACME, call(1)).names(generation(1, 1))).isTrue();
        await().until(() -> table.announced().contains(new CallOverflowed(ACME, call(1), 1, Placed.UNCLAIMED, NOW)));
        assertThat(TestStream.refusal(gateway.ws(gateway.path(ACME, call(1), any))))
                .isEqualTo(410);
    }

    @Test
    void a_call_without_a_claim_that_the_fallback_announced_is_not_announced_a_second_time() {
        Answer.Stream any = new Answer.Stream(PoolId.GATEWAY, null, generation(1, 1), NOW.plusSeconds(60), NOW);
        table.put(Call.arrived(ACME, call(1), NOW));
        table.calls().place(ACME, call(1), 0, any);
        TestStream known =
                TestStream.open(gateway.ws(gateway.path(ACME, call(1), any))).start(call(1).value(), "acme");
        await().until(() -> known.marks().contains("persona:acme:greeting"));
        // A second call, of which there is no record, shows that announcements get through.
        Answer.Stream other = new Answer.Stream(PoolId.GATEWAY, null, generation(1, 2), NOW.plusSeconds(60), NOW);
        TestStream unknown =
                TestStream.open(gateway.ws(gateway.path(ACME, call(2), other))).start(call(2).value(), "acme");
        await().until(() -> unknown.marks().contains("persona:acme:greeting"));
        await().until(() -> table.announced().contains(new CallOverflowed(ACME, call(2), 1, Placed.UNCLAIMED, NOW)));
        assertThat(table.announced()).hasSize(1);
        assertThat(table.look(ACME, call(1)).connectedHop()).isEqualTo(1);
    }

    @Test
    void a_full_gateway_container_takes_no_call_without_a_claim() {
        for (int n = 1; n <= 6; n++) {
            place(gateway, ACME, n, 1);
        }
        Answer.Stream any = new Answer.Stream(PoolId.GATEWAY, null, generation(1, 7), NOW.plusSeconds(60), NOW);
        assertThat(TestStream.refusal(gateway.ws(gateway.path(ACME, call(7), any))))
                .isEqualTo(503);
        assertThat(gateway.admission().report(0).isQuiet()).isTrue();
    }

    @Test
    void a_call_that_was_moved_meanwhile_is_closed_at_its_start() {
        place(gateway, ACME, 1, 1);
        TestStream stream = open(gateway, ACME, 1, 1);
        table.calls().place(ACME, call(1), 1, new Answer.Busy(NOW));
        stream.start(call(1).value(), "acme");
        assertThat(stream.awaitClosed().code()).isEqualTo(1008);
        await().until(() -> gateway.item().claims().isEmpty());
        assertThat(stream.marks()).isEmpty();
    }

    @Test
    void without_the_table_a_good_stream_is_let_in_once_and_written_before_the_next_heartbeat() {
        place(gateway, ACME, 1, 1);
        table.operations()
                .failAll(operation ->
                        operation.name().startsWith("CALLS") || operation.name().startsWith("CONT"));
        TestStream stream = open(gateway, ACME, 1, 1).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        assertThat(TestStream.refusal(uri(gateway, ACME, 1, 1))).isEqualTo(410);
        assertThat(gateway.claim(call(1)).phase()).isEqualTo(Claim.Phase.RESERVED);
        gateway.heart().beat();
        table.operations().heal();
        gateway.heart().beat();
        assertThat(gateway.claim(call(1)).phase()).isEqualTo(Claim.Phase.CONNECTED);
        assertThat(table.look(ACME, call(1)).connectedHop()).isEqualTo(1);
        assertThat(stream.isClosed()).isFalse();
    }

    @Test
    void a_call_let_in_without_the_table_is_closed_when_the_table_has_placed_it_elsewhere() {
        place(gateway, ACME, 1, 1);
        table.operations()
                .failAll(operation ->
                        operation.name().startsWith("CALLS") || operation.name().startsWith("CONT"));
        TestStream stream = open(gateway, ACME, 1, 1).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        table.operations().heal();
        table.calls().place(ACME, call(1), 1, new Answer.Busy(NOW));
        gateway.heart().beat();
        assertThat(stream.awaitClosed().code()).isEqualTo(1001);
        await().until(() -> gateway.item().claims().isEmpty());
    }

    @Test
    void a_lost_reply_to_the_connecting_write_does_not_lose_the_call() {
        place(gateway, ACME, 1, 1);
        table.operations().fail(Operation.CALLS_CONNECT, 1, Moment.AFTER);
        TestStream stream = open(gateway, ACME, 1, 1).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        gateway.heart().beat();
        assertThat(stream.isClosed()).isFalse();
        assertThat(gateway.claim(call(1)).phase()).isEqualTo(Claim.Phase.CONNECTED);
    }

    @Test
    void an_offer_closes_the_stream_at_a_turn_boundary_and_the_offered_slot_stays() {
        place(gateway, ACME, 1, 1);
        TestStream stream = open(gateway, ACME, 1, 1).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        Offer offer = offer(1);
        stream.frames(3, true); // the caller is in the middle of a sentence
        gateway.heart().beat();
        assertThat(stream.isClosed()).isFalse();
        stream.frames(15, false);
        assertThat(stream.awaitClosed().code()).isEqualTo(1000);
        await().until(() -> gateway.item().claims().isEmpty());
        assertThat(table.look(ACME, call(1)).offer()).isEqualTo(offer);
        assertThat(table.look(ACME_POOL, new ContainerId("c1")).claims()).containsKey(call(1));
    }

    @Test
    void an_offer_does_not_wait_longer_for_a_turn_boundary_than_it_may() {
        try (Rig hasty = Rig.of(table, clock, PoolId.GATEWAY, "g2")
                .limits(new StreamLimits(Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ZERO, 64 * 1024))
                .start()) {
            place(table, hasty, ACME, 1, 1);
            TestStream stream = open(hasty, ACME, 1, 1).start(call(1).value(), "acme");
            await().until(() -> stream.marks().contains("persona:acme:greeting"));
            stream.frames(5, true);
            offer(1, hasty);
            hasty.heart().beat();
            assertThat(stream.awaitClosed().code()).isEqualTo(1000);
        }
    }

    @Test
    void when_the_call_ends_both_claims_go() {
        place(gateway, ACME, 1, 1);
        TestStream stream = open(gateway, ACME, 1, 1).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        offer(1);
        stream.stop();
        await().until(() -> gateway.item().claims().isEmpty());
        await().until(() ->
                table.look(ACME_POOL, new ContainerId("c1")).claims().isEmpty());
    }

    @Test
    void a_call_that_was_connected_before_is_resumed_and_not_greeted() {
        try (Rig acme = Rig.of(table, clock, ACME_POOL, "c1").start()) {
            Call held = Call.placedDirectly(ACME, call(1), answer(gateway, 1, 1));
            table.put(held);
            table.calls().connect(ACME, call(1), generation(1, 1));
            Answer.Stream next = answer(acme, 2, 1);
            table.calls().place(ACME, call(1), 1, next);
            claim(table, acme, ACME, call(1), next);
            TestStream stream =
                    TestStream.open(acme.ws(acme.path(ACME, call(1), next))).start(call(1).value(), "acme");
            await().until(() -> !stream.marks().isEmpty());
            assertThat(stream.marks()).containsExactly("persona:acme:resume");
        }
    }

    @Test
    void a_call_that_was_moved_but_never_connected_is_greeted() {
        table.put(Call.placedDirectly(ACME, call(1), answer(gateway, 1, 9)));
        Answer.Stream next = answer(gateway, 2, 1);
        table.calls().place(ACME, call(1), 1, next);
        claim(table, gateway, ACME, call(1), next);
        TestStream stream =
                TestStream.open(gateway.ws(gateway.path(ACME, call(1), next))).start(call(1).value(), "acme");
        await().until(() -> !stream.marks().isEmpty());
        assertThat(stream.marks()).containsExactly("persona:acme:greeting");
    }

    @Test
    void a_full_container_announces_the_slot_that_becomes_free() {
        place(gateway, ACME, 1, 1);
        gateway.heart().beat();
        for (int n = 2; n <= 6; n++) {
            place(gateway, ACME, n, 1); // since its last heartbeat, so that it does not know that it is full
        }
        TestStream stream = open(gateway, ACME, 1, 1).start(call(1).value(), "acme");
        await().until(() -> stream.marks().size() == 1);
        stream.stop();
        await().until(() -> table.announced().contains(new SlotFreed(PoolId.GATEWAY, gateway.id(), NOW)));
    }

    @Test
    void a_tenants_container_announces_that_its_last_slot_is_taken_once_it_is_and_not_before() {
        try (Rig acme = Rig.of(table, clock, ACME_POOL, "c1").start()) {
            for (int n = 1; n <= 5; n++) {
                place(acme, ACME, n, 1);
            }
            acme.heart().beat();
            TestStream fifth = open(acme, ACME, 5, 1).start(call(5).value(), "acme");
            await().until(() -> fifth.marks().size() == 1);
            SlotsTaken taken = new SlotsTaken(ACME_POOL, acme.id(), NOW);
            assertThat(table.announced()).doesNotContain(taken);

            place(acme, ACME, 6, 1);
            open(acme, ACME, 6, 1).start(call(6).value(), "acme");
            await().until(() -> table.announced().contains(taken));
        }
    }

    @Test
    void the_end_of_a_call_is_retried_and_what_is_left_is_swept_by_the_heartbeat() {
        place(gateway, ACME, 1, 1);
        TestStream stream = open(gateway, ACME, 1, 1).start(call(1).value(), "acme");
        await().until(() -> stream.marks().size() == 1);
        table.operations().failAll(Operation.CONTAINERS_END::equals);
        stream.stop();
        await().until(() -> !table.written("claim-left").isEmpty());
        assertThat(gateway.item().claims()).hasSize(1);
        assertThat(gateway.admission().report(0).isQuiet()).isTrue();
        table.operations().heal();
        SlotFreed freed = new SlotFreed(PoolId.GATEWAY, gateway.id(), NOW);
        assertThat(table.announced()).doesNotContain(freed);
        gateway.heart().beat();
        assertThat(gateway.item().claims()).isEmpty();
        assertThat(table.announced()).contains(freed);
    }

    @Test
    void two_tenants_calls_in_one_gateway_share_nothing_in_frames_or_log() {
        place(gateway, ACME, 1, 1);
        place(gateway, BLOOM, 2, 1);
        TestStream acme = open(gateway, ACME, 1, 1).start(call(1).value(), "acme");
        TestStream bloom = open(gateway, BLOOM, 2, 1).start(call(2).value(), "bloom");
        await().until(() -> acme.count("media") > 20 && bloom.count("media") > 20);
        assertThat(acme.received()).noneMatch(message -> message.toString().contains("bloom"));
        assertThat(bloom.received()).noneMatch(message -> message.toString().contains("acme"));
        byte[] one = acme.audio();
        byte[] two = bloom.audio();
        assertThat(java.util.Arrays.copyOf(one, 1_600)).isNotEqualTo(java.util.Arrays.copyOf(two, 1_600));
        acme.frames(20, true).frames(15, false);
        await().until(() -> acme.marks().contains("persona:acme:answer"));
        assertThat(bloom.marks()).containsExactly("persona:bloom:greeting");
        assertThat(table.written())
                .noneMatch(entry ->
                        entry.fields().containsValue("acme") && entry.fields().containsValue("bloom"));
        assertThat(table.written()).noneMatch(entry -> entry.toString().contains("+1500"));
    }

    private Offer offer(int n) {
        return offer(n, gateway);
    }

    /** What the hand-off function does: the offer on the call, the claim on the tenant's container, the announcement. */
    private Offer offer(int n, Rig holder) {
        table.put(dev.spillway.core.memory.Sample.ready(ACME_POOL, "c1"));
        Offer offer = new Offer(new ContainerId("c1"), generation(2, n), NOW);
        table.calls().offer(ACME, call(n), 1, offer);
        table.containers()
                .claim(
                        ACME_POOL,
                        offer.container(),
                        call(n),
                        Claim.reserved(offer.generation(), ACME, NOW, NOW),
                        6,
                        NOW);
        table.containers().announce(PoolId.GATEWAY, holder.id(), call(n), generation(1, n), offer);
        return offer;
    }

    private void place(Rig rig, TenantId tenant, int n, int hop) {
        place(table, rig, tenant, n, hop);
    }

    /** What the fallback function does: the attempt, the claim, the placement. */
    private static void place(MemoryTable table, Rig rig, TenantId tenant, int n, int hop) {
        Answer.Stream answer = answer(rig, hop, n);
        claim(table, rig, tenant, call(n), answer);
        table.put(Call.placedDirectly(tenant, call(n), answer));
    }

    private static void claim(MemoryTable table, Rig rig, TenantId tenant, CallSid sid, Answer.Stream answer) {
        Claim claim = Claim.reserved(answer.generation(), tenant, NOW, NOW);
        table.containers().claim(answer.pool(), rig.id(), sid, claim, 6, NOW);
    }

    private static Answer.Stream answer(Rig rig, int hop, int n) {
        return new Answer.Stream(rig.item().pool(), rig.id(), generation(hop, n), NOW.plusSeconds(60), NOW);
    }

    private static java.net.URI uri(Rig rig, TenantId tenant, int n, int hop) {
        return rig.ws(rig.path(tenant, call(n), answer(rig, hop, n)));
    }

    private static TestStream open(Rig rig, TenantId tenant, int n, int hop) {
        return TestStream.open(uri(rig, tenant, n, hop));
    }
}
