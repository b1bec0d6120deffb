package dev.spillway.media.life;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.media.ContainerSettings;
import dev.spillway.media.agent.ScriptedAgent;
import dev.spillway.media.rig.FakeHost;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestBot;
import dev.spillway.media.rig.TestStream;
import dev.spillway.media.rig.Webhook;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MediaContainerTest {
    private static final ContainerId ID = new ContainerId("task1");

    private final MemoryTable table = Rig.table();
    private final FakeHost host = new FakeHost("task1");
    private final AtomicBoolean portsClosed = new AtomicBoolean();
    private MediaContainer container = container(Map.of());

    @AfterEach
    void close() {
        container.close();
        host.close();
    }

    @Test
    void becomes_ready_once_it_can_serve_and_announces_it() throws Exception {
        container.start();
        Container item = table.look(ACME_POOL, ID);
        assertThat(item.state()).isEqualTo(ContainerState.READY);
        assertThat(item.address()).isEqualTo("127.0.0.1:" + container.port());
        assertThat(item.revision()).isEqualTo("media:7");
        assertThat(item.limit()).isEqualTo(6);
        assertThat(host.asked()).containsExactly("PUT {\"ProtectionEnabled\":true,\"ExpiresInMinutes\":60}");
        assertThat(voice(1)).contains("<Stream");
        await().until(() -> table.look(ACME_POOL, ID).protectedUntil().equals(Instant.parse("2026-11-29T10:00:00Z")));
        await().until(() -> table.announced().stream().anyMatch(ContainerReady.class::isInstance));
    }

    @Test
    void is_ready_only_when_the_load_balancer_has_found_it_healthy() {
        container = container(Map.of("SPILLWAY_TARGET_WAIT_SECONDS", "600"));
        CompletableFuture<Void> started = CompletableFuture.runAsync(this::start);
        await().until(() -> table.has(ACME_POOL, ID));
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.STARTING);
        assertThat(Webhook.get(http("/health")).statusCode()).isEqualTo(503);
        assertThat(started).isNotDone();

        assertThat(Webhook.get(http("/target")).statusCode())
                .as("anybody may ask")
                .isEqualTo(200);
        assertThat(started).isNotDone();
        assertThat(Webhook.getAs("ELB-HealthChecker/2.0", http("/target")).statusCode())
                .isEqualTo(200);

        await().until(started::isDone);
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.READY);
        assertThat(table.written("target-unchecked")).isEmpty();
    }

    @Test
    void without_a_load_balancer_that_asks_it_says_so_and_serves() throws Exception {
        container = container(Map.of("SPILLWAY_TARGET_WAIT_SECONDS", "1"));
        container.start();
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.READY);
        assertThat(table.written("target-unchecked")).hasSize(1);
    }

    @Test
    void asked_to_stop_while_it_waits_for_the_load_balancer_it_does_not_become_ready() {
        container = container(Map.of("SPILLWAY_TARGET_WAIT_SECONDS", "600"));
        CompletableFuture<Void> started = CompletableFuture.runAsync(this::start);
        await().until(() -> table.has(ACME_POOL, ID));
        container.stop();
        await().until(started::isCompletedExceptionally);
        assertThat(table.look(ACME_POOL, ID).state()).isNotEqualTo(ContainerState.READY);
        assertThat(table.written("target-unchecked")).isEmpty();
    }

    @Test
    void is_ready_only_when_its_bot_takes_streams() {
        try (TestBot bot = new TestBot().refuse(true)) {
            container = container(Map.of("SPILLWAY_BOT_URL", bot.url().toString()));
            CompletableFuture<Void> started = CompletableFuture.runAsync(this::start);
            await().until(() -> !table.written("start-waits").isEmpty());
            assertThat(table.written("start-waits").getFirst().toString()).contains("the bot at 127.0.0.1:");
            await().until(() -> table.has(ACME_POOL, ID));
            assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.STARTING);
            assertThat(started).isNotDone();

            bot.refuse(false);

            await().until(started::isDone);
            assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.READY);
            await().until(() -> bot.closes().contains(1_000));
            assertThat(bot.received()).as("nobody called").isEmpty();
        }
    }

    @Test
    void a_container_whose_bot_never_listens_never_becomes_ready() {
        try (TestBot bot = new TestBot().refuse(true)) {
            container = container(Map.of("SPILLWAY_BOT_URL", bot.url().toString(), "SPILLWAY_SPEED", "200"));
            assertThatThrownBy(container::start)
                    .isInstanceOf(LaunchException.class)
                    .hasMessageContaining("the bot at 127.0.0.1:");
            assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.STARTING);
        }
    }

    private void start() {
        try {
            container.start();
        } catch (LaunchException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_table_that_cannot_be_read_is_asked_again_with_a_pause() throws Exception {
        table.operations().fail(Operation.POOLS_READ, 1, Moment.BEFORE);
        table.operations().fail(Operation.TENANTS_FIND, 1, Moment.BEFORE);
        table.operations().fail(Operation.CONTAINERS_REGISTER, 1, Moment.BEFORE);
        table.operations().fail(Operation.CONTAINERS_BECOME, 1, Moment.BEFORE);
        container.start();
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.READY);
        assertThat(table.written("start-waits")).hasSizeGreaterThanOrEqualTo(4);
    }

    @Test
    void a_container_whose_tenant_cannot_be_read_never_becomes_ready() {
        container = container(Map.of("SPILLWAY_SPEED", "200"));
        table.operations().failAll(Operation.TENANTS_FIND::equals);
        assertThatThrownBy(container::start)
                .isInstanceOf(LaunchException.class)
                .hasMessageContaining("the tenant acme could not be read");
        assertThat(table.has(ACME_POOL, ID)).isFalse();
    }

    @Test
    void the_gateway_knows_every_tenant_before_its_first_call_and_starts_without_them_too() throws Exception {
        table.operations().failAll(Operation.TENANTS_FIND::equals);
        container = container(Map.of("SPILLWAY_POOL", "gateway"));
        container.start();
        assertThat(table.look(PoolId.GATEWAY, ID).state()).isEqualTo(ContainerState.READY);
        await().until(() -> table.operations().log().contains(Operation.TENANTS_FIND));
    }

    @Test
    void a_container_of_an_unknown_pool_never_becomes_ready() {
        container = container(Map.of("SPILLWAY_SPEED", "200", "SPILLWAY_POOL", "nobody"));
        assertThatThrownBy(container::start).isInstanceOf(LaunchException.class).hasMessageContaining("nobody");
    }

    @Test
    void protection_that_a_deployment_blocks_does_not_keep_it_from_ready_but_is_reported_as_absent() throws Exception {
        host.answers(FakeHost.BLOCKED);
        container.start();
        Container item = table.look(ACME_POOL, ID);
        assertThat(item.state()).isEqualTo(ContainerState.READY);
        assertThat(item.protectedUntil()).isEqualTo(Instant.EPOCH);
    }

    @Test
    void without_an_answer_about_protection_it_is_not_ready() {
        container = container(Map.of("SPILLWAY_SPEED", "200"));
        host.answers("{\"error\":{\"Code\":\"ServerException\"}}");
        assertThatThrownBy(container::start).isInstanceOf(LaunchException.class).hasMessageContaining("protection");
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.STARTING);
    }

    @Test
    void a_second_process_of_the_same_task_gives_up() throws Exception {
        container.start();
        MediaContainer again = container(Map.of());
        assertThatThrownBy(again::start)
                .isInstanceOf(LaunchException.class)
                .hasMessageContaining("in the table already");
        again.close();
    }

    @Test
    void asked_to_stop_while_idle_it_leaves_the_state_and_no_connection() throws Exception {
        container.start();
        container.stop();
        assertThat(container.awaitEnd()).isEqualTo("stopped");
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.STOPPING);
        assertThat(portsClosed).isTrue();
        assertThatThrownBy(() -> voice(1)).isInstanceOf(Exception.class);
    }

    @Test
    void asked_to_stop_it_lets_a_call_finish() throws Exception {
        container.start();
        TestStream stream = talk(1);
        var stopped = stopping();
        await().until(() -> table.look(ACME_POOL, ID).state() == ContainerState.DRAINING);
        await().until(() ->
                Webhook.post(http("/voice"), Webhook.form(call(2).value())).statusCode() == 503);
        assertThat(stream.isClosed()).isFalse();
        stream.press("#");
        assertThat(stream.awaitClosed().code()).isEqualTo(1000);
        stopped.get();
        assertThat(table.look(ACME_POOL, ID).claims()).isEmpty();
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.STOPPING);
    }

    @Test
    void asked_to_stop_between_twiml_and_stream_it_waits_for_the_stream_and_lets_the_call_finish() throws Exception {
        container.start();
        String path = Webhook.streamPath(voice(1));
        var stopped = stopping();
        await().until(() -> table.look(ACME_POOL, ID).state() == ContainerState.DRAINING);
        TestStream stream = TestStream.open(URI.create("ws://127.0.0.1:" + container.port() + path))
                .start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        stream.press("#");
        assertThat(stream.awaitClosed().code()).isEqualTo(1000);
        stopped.get();
        assertThat(table.look(ACME_POOL, ID).claims()).isEmpty();
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.STOPPING);
    }

    @Test
    void asked_to_stop_it_waits_for_a_call_too_whose_claim_it_had_not_heard_of() throws Exception {
        container.start();
        await().until(() -> table.operations().count(Operation.CONTAINERS_HEARTBEAT) > 0);
        Instant now = Instant.now();
        Answer.Stream here = new Answer.Stream(ACME_POOL, ID, generation(1, 1), now.plusSeconds(60), now);
        table.containers().claim(ACME_POOL, ID, call(1), Claim.reserved(here.generation(), ACME, now, now), 6, now);
        table.put(Call.placedDirectly(ACME, call(1), here));
        var stopped = stopping();
        await().until(() -> table.look(ACME_POOL, ID).state() == ContainerState.DRAINING);
        String path = StreamAddress.of(ACME, call(1), here).path(StreamKey.ofPool(new byte[32]));
        TestStream stream = TestStream.open(URI.create("ws://127.0.0.1:" + container.port() + path))
                .start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        stream.press("#");
        stopped.get();
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.STOPPING);
    }

    @Test
    void asked_to_stop_it_waits_no_longer_once_the_claim_of_a_call_that_did_not_come_is_released() throws Exception {
        container = container(Map.of("SPILLWAY_SPEED", "10"));
        container.start();
        voice(1);
        var stopped = stopping();
        await().until(() -> table.look(ACME_POOL, ID).state() == ContainerState.DRAINING);
        Claim claim = Objects.requireNonNull(table.look(ACME_POOL, ID).claims().get(call(1)));
        table.containers().release(ACME_POOL, ID, call(1), claim.generation());
        stopped.get();
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.STOPPING);
    }

    @Test
    void asked_to_stop_it_waits_for_a_call_that_does_not_come_only_until_it_must_leave() throws Exception {
        container = container(Map.of("SPILLWAY_STOP_TIMEOUT_SECONDS", "2"));
        container.start();
        voice(1);
        container.stop();
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.DRAINING);
        assertThat(table.look(ACME_POOL, ID).claims()).containsOnlyKeys(call(1));
    }

    @Test
    void asked_to_stop_while_the_table_cannot_be_reached_it_says_so_again_until_the_table_has_it() throws Exception {
        container.start();
        TestStream stream = talk(1);
        table.operations().fail(Operation.CONTAINERS_BECOME, 1, Moment.BEFORE);
        var stopped = stopping();
        await().until(() -> !table.written("state-not-written").isEmpty());
        await().until(() -> table.look(ACME_POOL, ID).state() == ContainerState.DRAINING);
        assertThat(stream.isClosed()).isFalse();
        stream.press("#");
        stopped.get();
        assertThat(table.look(ACME_POOL, ID).state()).isEqualTo(ContainerState.STOPPING);
    }

    @Test
    void near_the_stop_timeout_calls_leave_at_the_end_of_their_turn_and_those_without_one_in_the_middle()
            throws Exception {
        container = container(Map.of("SPILLWAY_STOP_TIMEOUT_SECONDS", "2"));
        container.start();
        TestStream listening = talk(1);
        TestStream speaking = talk(2);
        // given one caller who has heard the greeting out, and one who speaks and speaks
        await().until(() -> listening.received().stream()
                .anyMatch(message -> message.path("mark").path("name").asText().equals("end:1")));
        speaking.frames(30, true);
        // when
        container.stop();
        // then
        assertThat(listening.awaitClosed().code()).isEqualTo(1000);
        assertThat(speaking.awaitClosed().code()).isEqualTo(1001);
        await().until(() -> table.look(ACME_POOL, ID).claims().isEmpty());
        for (int n = 1; n <= 2; n++) {
            assertThat(table.look(ACME, call(n)).finished()).isFalse();
        }
        assertThat(table.written("giving-back"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.fields()).containsEntry("calls", "2"));
        assertThat(table.written("stream-closed"))
                .extracting(entry -> entry.fields().get("reason"))
                .containsExactly("the container stops", "the container stops");
    }

    @Test
    void near_the_stop_timeout_a_caller_who_is_relayed_leaves_at_the_end_of_his_turn_too() throws Exception {
        // given a full container that passes a stream on to its neighbour
        Instant now = Instant.now();
        try (Rig neighbour =
                Rig.of(table, new HandClock(now), ACME_POOL, "task2").start()) {
            container = container(Map.of(
                    "SPILLWAY_STOP_TIMEOUT_SECONDS",
                    "6",
                    "SPILLWAY_STREAM_KEY",
                    Base64.getEncoder().encodeToString(neighbour.key().bytes())));
            container.start();
            for (int n = 2; n <= 7; n++) {
                voice(n);
            }
            Answer.Stream there =
                    new Answer.Stream(ACME_POOL, neighbour.id(), generation(1, 1), now.plusSeconds(60), now);
            Claim claim = Claim.reserved(there.generation(), ACME, now, now);
            table.containers().claim(ACME_POOL, neighbour.id(), call(1), claim, 6, now);
            table.put(Call.placedDirectly(ACME, call(1), there));
            TestStream stream = TestStream.open(
                            URI.create("ws://127.0.0.1:" + container.port() + neighbour.path(ACME, call(1), there)))
                    .start(call(1).value(), "acme");
            await().until(() -> stream.marks().contains("persona:acme:greeting"));
            assertThat(neighbour.claim(call(1)).phase()).isEqualTo(Claim.Phase.CONNECTED);
            // when
            container.stop();
            // then
            assertThat(stream.awaitClosed().code()).isEqualTo(1000);
            await().until(() -> neighbour.item().claims().isEmpty());
            assertThat(table.look(ACME, call(1)).finished()).isFalse();
            assertThat(table.written("giving-back"))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.fields())
                            .containsEntry("calls", "0")
                            .containsEntry("relays", "1"));
            assertThat(table.written("relay-stays")).isEmpty();
        }
    }

    @Test
    void the_heart_beats_and_the_container_ends_when_it_is_drained_and_let_go() throws Exception {
        container = container(Map.of("SPILLWAY_SPEED", "10"));
        container.start();
        table.containers()
                .become(ACME_POOL, ID, ContainerState.READY, ContainerState.DRAINING, true, "idle", Instant.now());
        await().until(() -> table.look(ACME_POOL, ID).state() == ContainerState.DRAINED);
        table.containers()
                .become(ACME_POOL, ID, ContainerState.DRAINED, ContainerState.STOPPING, true, "idle", Instant.now());
        table.containers().allowExit(ACME_POOL, ID);
        assertThat(container.awaitEnd()).contains("nobody counts");
    }

    /** On a thread of its own: clients that open streams meanwhile need those of the common pool. */
    private CompletableFuture<Void> stopping() {
        return CompletableFuture.runAsync(container::stop, Thread::startVirtualThread);
    }

    private MediaContainer container(Map<String, String> changes) {
        Map<String, String> environment = new HashMap<>(environment(host.url()));
        environment.putAll(changes);
        ContainerSettings settings = ContainerSettings.from(environment);
        return new MediaContainer(
                settings,
                () -> new Ports(
                        table.pools(),
                        table.containers(),
                        table.calls(),
                        table.conversations(),
                        table.tenants(),
                        Rig.tokens(),
                        table.announcements(),
                        table.generations(),
                        Map::of,
                        () -> portsClosed.set(true)),
                host.host(),
                (tenant, line) -> new ScriptedAgent(tenant, line, Duration.ofMillis(50)),
                table.journal(),
                InstantSource.system());
    }

    static Map<String, String> environment(String hostUrl) {
        return Map.ofEntries(
                Map.entry("AWS_REGION", "eu-west-1"),
                Map.entry("SPILLWAY_TABLE", "spillway"),
                Map.entry("SPILLWAY_EVENT_BUS", "spillway"),
                Map.entry("SPILLWAY_PUBLIC_URL", "https://api.example.com"),
                Map.entry("SPILLWAY_POOL", "acme"),
                Map.entry("SPILLWAY_PORT", "0"),
                Map.entry("SPILLWAY_VOICE_URL", Rig.VOICE_URL),
                Map.entry("SPILLWAY_STREAM_KEY", Base64.getEncoder().encodeToString(new byte[32])),
                Map.entry("SPILLWAY_TARGET_WAIT_SECONDS", "0"),
                Map.entry("ECS_AGENT_URI", hostUrl + "/agent"),
                Map.entry("ECS_CONTAINER_METADATA_URI_V4", hostUrl + "/metadata"));
    }

    private URI http(String path) {
        return URI.create("http://127.0.0.1:" + container.port() + path);
    }

    private String voice(int n) {
        return Webhook.post(http("/voice"), Webhook.form(Sample.call(n).value()))
                .body();
    }

    private TestStream talk(int n) {
        URI uri = URI.create("ws://127.0.0.1:" + container.port() + Webhook.streamPath(voice(n)));
        TestStream stream = TestStream.open(uri).start(call(n).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        return stream;
    }
}
