package dev.spillway.system.conform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.attempt.Story;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The conformance test passes on our container, and names the rule that a container breaks. All of them run side by side. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConformIT {
    private static final Path HOME =
            Path.of(System.getProperty("spillway.home", ".")).toAbsolutePath().normalize();
    /** Heartbeats come so often that the whole life of a container takes some seconds. */
    private static final Timing TIMING = quick(Timing.STANDARD.scaled(10));

    private static final Duration READY = Duration.ofSeconds(60);
    private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);

    private final Ground ground = new Ground(HOME.resolve("tests/localcloud/dynalite"));
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    /** More at a time would only wait for each other. */
    private final Semaphore places = new Semaphore(12);

    private final AtomicInteger tenants = new AtomicInteger();
    private final Map<BrokenContainer, CompletableFuture<List<Verdict>>> asked = new HashMap<>();
    private CompletableFuture<List<Verdict>> whole = new CompletableFuture<>();

    @BeforeAll
    void ask() {
        // Time-outs only pass when a rule is broken: a busy machine must not break one for who keeps it.
        whole = judged(new BrokenContainer("", ""), Set.of(), 6);
        Broken.WITH_ALL_RULES.keySet().forEach(container -> asked.put(container, judged(container, Set.of(), 3)));
        Broken.EACH_RULE.forEach(container -> asked.put(container, judged(container, Set.of(container.rule()), 1)));
    }

    private CompletableFuture<List<Verdict>> judged(BrokenContainer container, Set<String> rules, double patience) {
        return CompletableFuture.supplyAsync(
                () -> {
                    places.acquireUninterruptibly();
                    try {
                        return judge(container, rules, patience);
                    } finally {
                        places.release();
                    }
                },
                workers);
    }

    @AfterAll
    void close() {
        workers.shutdownNow();
        ground.close();
    }

    static List<BrokenContainer> containers() {
        return Broken.EACH_RULE;
    }

    static Set<BrokenContainer> containersThatLeaveMuch() {
        return Broken.WITH_ALL_RULES.keySet();
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
        assertThat(Broken.EACH_RULE.stream().map(BrokenContainer::rule).distinct())
                .containsExactlyInAnyOrderElementsOf(Conformance.names());
    }

    @ParameterizedTest
    @MethodSource("containers")
    void a_container_that_breaks_a_rule_is_told_which_and_how(BrokenContainer container) {
        List<Verdict> verdicts = Objects.requireNonNull(asked.get(container)).join();

        assertThat(verdicts).hasSize(1);
        assertThat(verdicts.getFirst().rule()).isEqualTo(container.rule());
        assertThat(verdicts.getFirst().found()).contains(container.found());
        assertThat(verdicts.getFirst().toString()).contains("BROKEN").contains(container.rule());
    }

    @ParameterizedTest
    @MethodSource("containersThatLeaveMuch")
    void what_a_broken_rule_leaves_breaks_no_other(BrokenContainer container) {
        List<Verdict> verdicts = Objects.requireNonNull(asked.get(container)).join();

        assertThat(verdicts.stream().filter(verdict -> !verdict.isKept()))
                .extracting(Verdict::rule)
                .as(verdicts.toString())
                .containsExactlyInAnyOrderElementsOf(Broken.WITH_ALL_RULES.get(container));
    }

    @Test
    void the_schema_of_a_call_describes_all_that_our_own_code_writes() throws Exception {
        // given a call with every kind of answer and of step, and one that was dialled
        TenantId tenant = new TenantId("written");
        ContainerId container = new ContainerId("written-1");
        Offer offer = new Offer(container, new Generation(3, "0000000000000003"), NOW);
        Slots slots = new Slots(PoolId.of(tenant), 1, 2, 3, 4, 10);
        List<Step> steps = new ArrayList<>();
        for (Step.Kind kind : Step.Kind.values()) {
            steps.add(new Step(kind, NOW, 0, PoolId.of(tenant), container, Cause.FULL, slots, "why", 2));
        }
        Call busy = new Call(
                tenant,
                new CallSid("CA" + "a".repeat(32)),
                NOW,
                6,
                Map.of(
                        1,
                                new Answer.Stream(
                                        PoolId.of(tenant), container, new Generation(1, "0000000000000001"), NOW, NOW),
                        2, new Answer.Stream(PoolId.GATEWAY, null, new Generation(2, "0000000000000002"), NOW, NOW),
                        3, new Answer.Busy(NOW),
                        4, new Answer.Apology(NOW),
                        5, new Answer.HangUp(NOW),
                        6, new Answer.Transfer("+15005550009", NOW)),
                offer,
                1,
                true,
                Outcome.COMPLETED,
                new Story(null, new CallerHash("abcdefghij-_ABCDEFGHIJ"), steps, 1));
        Call dialled = Call.dialled(new JobId(tenant, "0".repeat(20)), new CallSid("CA" + "b".repeat(32)), NOW);
        JsonShape shape = JsonShape.read(HOME.resolve("media-container/contract/call-item.json"));
        JsonNode described = new ObjectMapper()
                .readTree(
                        HOME.resolve("media-container/contract/call-item.json").toFile());

        for (Call call : List.of(busy, dialled)) {
            // when it is written
            new DynamoCalls(ground.clients().dynamoDb(), Ground.TABLE).begin(call);
            JsonNode item = ground.item(tenant, call.sid());

            // then it fits, and nothing in it is left out but the keys and our own marks
            assertThat(shape.problems(item)).isEmpty();
            assertThat(names(item))
                    .filteredOn(name -> !name.equals("pk") && !name.equals("sk") && !name.endsWith("Mark"))
                    .allSatisfy(name -> assertThat(described.path("properties").has(name))
                            .as(name)
                            .isTrue());
        }
        assertThat(names(described.at("/properties/steps/items/properties")))
                .containsExactlyInAnyOrderElementsOf(
                        names(ground.item(tenant, busy.sid()).path("steps").get(0)));
    }

    private static List<String> names(JsonNode object) {
        return object.properties().stream().map(Map.Entry::getKey).toList();
    }

    /** Asks one container, in this process. */
    private List<Verdict> judge(BrokenContainer container, Set<String> rules, double patience) {
        String tenant = "tenant-" + tenants.incrementAndGet();
        String task = tenant + "-1";
        Map<String, String> environment = container.environment(ground.environment(tenant, task, 0, 10));
        AwsClients clients = AwsClients.from(environment);
        ContainerSettings settings = quick(ContainerSettings.from(environment), container);
        MediaContainer media = new MediaContainer(
                settings,
                () -> ports(container, clients),
                new EcsHost(settings.agentUri(), settings.metadataUri()),
                new EmbeddedAgents(Duration.ofMillis(100)),
                entry -> {},
                InstantSource.system());
        Ending ending = new Ending(container.exitCode());
        try {
            media.start();
            Thread.ofVirtual().start(() -> {
                media.awaitEnd();
                media.close();
                ending.over = true;
            });
            assertThat(Ground.isReady(ground.awaitReady(tenant, task, READY, () -> false)))
                    .isTrue();
            URI address = URI.create("http://127.0.0.1:" + media.port());
            try (BrokenDoor door = new BrokenDoor(address, container.door())) {
                return new Conformance(
                                ground,
                                door.url(),
                                tenant,
                                task,
                                TIMING,
                                HOME.resolve("media-container/contract"),
                                patience,
                                ending)
                        .judge(rules, verdict -> {});
            }
        } catch (Exception e) {
            throw new AssertionError("the container that breaks '" + container + "'", e);
        } finally {
            media.close();
        }
    }

    /** Of a process that this one plays. */
    private static final class Ending implements Started {
        private final int code;
        private volatile boolean over;

        Ending(int code) {
            this.code = code;
        }

        @Override
        public OptionalInt exitCode() {
            return over ? OptionalInt.of(code) : OptionalInt.empty();
        }

        @Override
        public String lastLines() {
            return "";
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

    private static ContainerSettings quick(ContainerSettings usual, BrokenContainer container) {
        SharedSettings shared = usual.shared();
        return new ContainerSettings(
                new SharedSettings(
                        shared.aws(), shared.table(), shared.eventBus(), container.timing(TIMING), shared.publicUrl()),
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

    private static Ports ports(BrokenContainer container, AwsClients clients) {
        DynamoDbClient table = container.table(clients.dynamoDb());
        return new Ports(
                new DynamoPools(table, Ground.TABLE),
                container.containers(new DynamoContainers(table, Ground.TABLE)),
                new DynamoCalls(table, Ground.TABLE),
                new DynamoConversations(table, Ground.TABLE),
                new DynamoTenants(table, Ground.TABLE, InstantSource.system()),
                new SecretTokens(clients.secrets(), InstantSource.system()),
                new EventBridgeAnnouncements(container.bus(clients.eventBridge()), "spillway", entry -> {}),
                new RandomGenerations(),
                Map::of,
                clients::close);
    }
}
