package dev.spillway.system.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.adapters.RandomGenerations;
import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.DynamoConversations;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.eventbridge.EventBridgeAnnouncements;
import dev.spillway.adapters.secrets.SecretTokens;
import dev.spillway.adapters.settings.SharedSettings;
import dev.spillway.core.Timing;
import dev.spillway.core.event.Announcements;
import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.media.ContainerSettings;
import dev.spillway.media.agent.EmbeddedAgents;
import dev.spillway.media.host.EcsHost;
import dev.spillway.media.life.MediaContainer;
import dev.spillway.media.life.Ports;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The conformance test passes on our container, and names the rule that a container breaks. All of them run side by side. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConformIT {
    private static final Path HOME =
            Path.of(System.getProperty("spillway.home", ".")).toAbsolutePath().normalize();
    /** Heartbeats come so often that the whole life of a container takes some seconds. */
    private static final Timing TIMING = quick(Timing.STANDARD.scaled(10));

    private static final Duration READY = Duration.ofSeconds(60);

    private final Ground ground = new Ground(HOME.resolve("tests/localcloud/dynalite"));
    private final LocalHttpServer decoy = new LocalHttpServer(
            "decoy",
            0,
            request -> LocalHttpServer.Response.json(
                    200,
                    "{\"protection\":{\"ProtectionEnabled\":true,\"ExpirationDate\":\""
                            + Instant.now().plusSeconds(3_600) + "\"}}"));
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, CompletableFuture<List<Verdict>>> broken = new HashMap<>();
    private CompletableFuture<List<Verdict>> whole = new CompletableFuture<>();

    @BeforeAll
    void ask() {
        for (Broken container : Broken.EACH_RULE) {
            broken.put(container.rule(), CompletableFuture.supplyAsync(() -> judge(container), workers));
        }
        Broken none = new Broken("", real -> real, real -> real, false, head -> java.util.Optional.empty(), "");
        // Its time-outs only pass when it breaks a rule: a busy machine must not break one for it.
        whole = CompletableFuture.supplyAsync(() -> judge(none), workers);
    }

    @AfterAll
    void close() {
        workers.shutdownNow();
        decoy.close();
        ground.close();
    }

    static List<Broken> containers() {
        return Broken.EACH_RULE;
    }

    @Test
    void our_container_keeps_every_rule() {
        assertThat(whole.join())
                .hasSize(Conformance.names().size())
                .allSatisfy(verdict ->
                        assertThat(verdict.found()).as(verdict.rule()).isEmpty());
    }

    @Test
    void each_rule_has_a_container_that_breaks_it() {
        assertThat(Broken.EACH_RULE.stream().map(Broken::rule))
                .containsExactlyInAnyOrderElementsOf(Conformance.names());
    }

    @ParameterizedTest
    @MethodSource("containers")
    void a_container_that_breaks_a_rule_is_told_which_and_how(Broken container) {
        List<Verdict> verdicts =
                Objects.requireNonNull(broken.get(container.rule())).join();

        assertThat(verdicts).hasSize(1);
        assertThat(verdicts.getFirst().rule()).isEqualTo(container.rule());
        assertThat(verdicts.getFirst().found()).contains(container.found());
        assertThat(verdicts.getFirst().toString()).contains("BROKEN").contains(container.rule());
    }

    /** Asks one container, in this process, for the rule that it breaks; for all of them if it breaks none. */
    private List<Verdict> judge(Broken container) {
        String tenant = container.rule().isEmpty() ? "whole" : container.rule();
        String task = tenant + "-1";
        Map<String, String> environment = new HashMap<>(ground.environment(tenant, task, 0, 10));
        String agent = container.decoyAgent() ? decoy.url().toString() : environment.get("ECS_AGENT_URI");
        AwsClients clients = AwsClients.from(environment);
        ContainerSettings settings = quick(ContainerSettings.from(environment));
        MediaContainer media = new MediaContainer(
                settings,
                () -> ports(container, clients),
                new EcsHost(String.valueOf(agent), settings.metadataUri()),
                new EmbeddedAgents(Duration.ofMillis(100)),
                entry -> {},
                InstantSource.system());
        try {
            media.start();
            Thread.ofVirtual().start(() -> {
                media.awaitEnd();
                media.close();
            });
            assertThat(ground.awaitReady(tenant, task, READY)).isPresent();
            URI address = URI.create("http://127.0.0.1:" + media.port());
            try (BrokenDoor door = new BrokenDoor(address, container.door())) {
                Set<String> only = container.rule().isEmpty() ? Set.of() : Set.of(container.rule());
                return new Conformance(
                                ground,
                                door.url(),
                                tenant,
                                task,
                                TIMING,
                                HOME.resolve("media-container/contract"),
                                only.isEmpty() ? 6 : 1)
                        .judge(only, verdict -> {});
            }
        } catch (Exception e) {
            throw new AssertionError("the container that breaks '" + container + "'", e);
        } finally {
            media.close();
        }
    }

    private static Timing quick(Timing usual) {
        return new Timing(
                Duration.ofMillis(500),
                Duration.ofMillis(500),
                usual.expiry(),
                usual.lostAfter(),
                usual.outageQuiet(),
                usual.coldStart(),
                Duration.ofMinutes(1),
                usual.idleWindow(),
                usual.scaleInLock(),
                usual.protection(),
                usual.turnBoundary(),
                usual.tokenLife(),
                usual.round());
    }

    private static ContainerSettings quick(ContainerSettings usual) {
        SharedSettings shared = usual.shared();
        return new ContainerSettings(
                new SharedSettings(shared.aws(), shared.table(), shared.eventBus(), TIMING, shared.publicUrl()),
                usual.pool(),
                usual.port(),
                usual.voiceUrl(),
                usual.streamKey(),
                usual.think(),
                usual.agentCpu(),
                usual.agentRehearses(),
                usual.bots(),
                usual.stopTimeout(),
                usual.deregistration(),
                usual.memoryFloorBytes(),
                usual.targetWait(),
                usual.agentUri(),
                usual.metadataUri());
    }

    private static Ports ports(Broken container, AwsClients clients) {
        Announcements announcements = new EventBridgeAnnouncements(clients.eventBridge(), "spillway", entry -> {});
        return new Ports(
                new DynamoPools(clients.dynamoDb(), Ground.TABLE),
                container.containers().apply(new DynamoContainers(clients.dynamoDb(), Ground.TABLE)),
                new DynamoCalls(clients.dynamoDb(), Ground.TABLE),
                new DynamoConversations(clients.dynamoDb(), Ground.TABLE),
                new DynamoTenants(clients.dynamoDb(), Ground.TABLE, InstantSource.system()),
                new SecretTokens(clients.secrets(), InstantSource.system()),
                container.announcements().apply(announcements),
                new RandomGenerations(),
                Map::of,
                clients::close);
    }
}
