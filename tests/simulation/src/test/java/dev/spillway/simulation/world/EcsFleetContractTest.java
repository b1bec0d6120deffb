package dev.spillway.simulation.world;

import dev.spillway.adapters.ecs.EcsFleet;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Fleet;
import dev.spillway.localcloud.EcsOptions;
import dev.spillway.localcloud.EcsStandIn;
import dev.spillway.localcloud.ServiceSpec;
import dev.spillway.localcloud.TaskStart;
import dev.spillway.media.host.EcsHost;
import dev.spillway.media.host.Host;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ecs.EcsClient;

/** The adapter that the functions use, with the real client, before a stand-in for ECS whose tasks are processes. */
class EcsFleetContractTest extends HostContract {
    private static final String CLUSTER = "spillway";

    private final Map<String, TaskStart> starts = new ConcurrentHashMap<>();
    private final EcsStandIn ecs;
    private final EcsClient client;

    EcsFleetContractTest(@TempDir Path logs) {
        ecs = standIn(logs, starts);
        client = client(ecs);
    }

    private static EcsStandIn standIn(Path logs, Map<String, TaskStart> starts) {
        EcsOptions options = EcsOptions.atSpeed(10, logs, start -> {
                    starts.put(start.taskId(), start);
                    return new ProcessBuilder("sh", "-c", "exec sleep 300");
                })
                .withLaunch(Duration.ofMillis(50), Duration.ofMillis(20))
                .withRestartDelay(Duration.ofMillis(100), Duration.ofSeconds(2), Duration.ofSeconds(10));
        return new EcsStandIn(options, 0);
    }

    private static EcsClient client(EcsStandIn standIn) {
        return EcsClient.builder()
                .endpointOverride(standIn.url())
                .region(Region.US_EAST_1)
                .credentialsProvider(AnonymousCredentialsProvider.create())
                .build();
    }

    @BeforeEach
    void service() {
        ecs.createService(
                new ServiceSpec(SERVICE, 0, "media", null, ServiceSpec.LONGEST_GRACE_PERIOD, Duration.ofMillis(300)));
    }

    @AfterEach
    void close() {
        client.close();
        ecs.close();
    }

    private static ConditionFactory patiently() {
        return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
    }

    @Override
    protected Fleet fleet() {
        return new EcsFleet(client, CLUSTER);
    }

    @Override
    protected void await(BooleanSupplier so) {
        patiently().until(so::getAsBoolean);
    }

    @Override
    protected void letTimePass() {
        int live = ecs.liveTasks(SERVICE).size();
        patiently()
                .during(Duration.ofMillis(600))
                .until(() -> ecs.liveTasks(SERVICE).size() == live);
    }

    /** The endpoints are those that the task's process is given. */
    @Override
    Host host(ContainerId task) {
        TaskStart start = Objects.requireNonNull(starts.get(task.value()));
        return new EcsHost(start.agentUrl().toString(), start.metadataUrl().toString());
    }

    @Override
    Instant now() {
        return Instant.now();
    }

    @Override
    protected void end(ContainerId id) {
        ecs.killHard(id.value());
    }

    @Override
    protected void deploy() {
        ecs.deploy(SERVICE, "media", 2);
    }
}
