package dev.spillway.system.bench;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.dynamodb.Table;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.localcloud.Dynalite;
import dev.spillway.localcloud.EventBridgeStandIn;
import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.SecretsStandIn;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What a media container needs around it to start: a table, secrets, an event bus, and the task's own endpoints. */
final class BenchGround implements AutoCloseable {
    /** A tenant whose agent says back what it hears. */
    static final TenantId TENANT = new TenantId("bench");

    private static final String TABLE = "spillway";
    private static final int SLOTS = 6;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Path work;
    private final LocalHttpServer task;
    private final AtomicInteger tasks = new AtomicInteger();
    private final Map<String, String> aws;
    private final AwsClients clients;
    private final StreamKey gatewayKey = StreamKey.derive(new byte[32], PoolId.GATEWAY);

    /**
     * @param dynalite the folder of the npm package
     * @param work an existing directory for logs
     * @param gatewaySlots slots of the gateway's one container
     */
    BenchGround(Path dynalite, Path work, int gatewaySlots) {
        this.work = work;
        Dynalite table = opened(Dynalite.start(dynalite));
        SecretsStandIn secrets = opened(new SecretsStandIn(0));
        EventBridgeStandIn bus = opened(new EventBridgeStandIn(0, EventBridgeStandIn.Delivery.exact()));
        task = opened(new LocalHttpServer("task", 0, BenchGround::ofTask));
        aws = Map.ofEntries(
                Map.entry("AWS_REGION", "us-east-1"),
                Map.entry("AWS_ACCESS_KEY_ID", "local"),
                Map.entry("AWS_SECRET_ACCESS_KEY", "local"),
                Map.entry("AWS_ENDPOINT_URL_DYNAMODB", table.url().toString()),
                Map.entry("AWS_ENDPOINT_URL_EVENTBRIDGE", bus.url().toString()),
                Map.entry("AWS_ENDPOINT_URL_SECRETS_MANAGER", secrets.url().toString()),
                Map.entry("SPILLWAY_TABLE", TABLE),
                Map.entry("SPILLWAY_EVENT_BUS", "spillway"),
                Map.entry("SPILLWAY_PUBLIC_URL", "https://api.example.com"));
        secrets.put("spillway/tenant/bench", "{\"authToken\":\"bench\"}");
        clients = opened(AwsClients.from(aws));
        Table.create(clients.dynamoDb(), TABLE);
        DynamoPools pools = new DynamoPools(clients.dynamoDb(), TABLE);
        pools.put(pool(PoolId.of(TENANT), SLOTS));
        pools.put(pool(PoolId.GATEWAY, gatewaySlots));
        new DynamoTenants(clients.dynamoDb(), TABLE, InstantSource.system())
                .put(new Tenant(
                        TENANT,
                        Set.of("+15005550003"),
                        "AC000000000000000000000000000000c3",
                        "spillway/tenant/bench",
                        new Persona("echo", "none", "Hello.", "Hello again.", "Goodbye.")));
    }

    /** One more tenant, whose calls a bot of its own answers, with a pool of its own. */
    void tenantWithBot(TenantId id, int slots) {
        new DynamoPools(clients.dynamoDb(), TABLE).put(pool(PoolId.of(id), slots));
        new DynamoTenants(clients.dynamoDb(), TABLE, InstantSource.system())
                .put(new Tenant(
                        id,
                        Set.of("+15005550004"),
                        "AC000000000000000000000000000000c4",
                        "spillway/tenant/" + id,
                        new Persona(Persona.UPSTREAM, "none", "Hello.", "Hello again.", "Goodbye.")));
    }

    private <T extends AutoCloseable> T opened(T part) {
        open.addFirst(part);
        return part;
    }

    private static Pool pool(PoolId id, int slots) {
        Policy policy = new Policy(0, 1, slots, 0, Policy.ScaleOutRule.DEMAND, Policy.ScaleInRule.IDLE);
        return Pool.fresh(id, policy, "bench", "ws://127.0.0.1", Instant.now());
    }

    /** The pinned addresses' key of the gateway's container. */
    StreamKey gatewayKey() {
        return gatewayKey;
    }

    /** A container whose process has been started. */
    final class Launched implements AutoCloseable {
        private final PoolId pool;
        private final ContainerId id;
        private final MeasuredProcess process;

        private Launched(PoolId pool, ContainerId id, MeasuredProcess process) {
            this.pool = pool;
            this.id = id;
            this.process = process;
        }

        MeasuredProcess process() {
            return process;
        }

        /**
         * Its item once it says that READY is written.
         *
         * @throws IOException if the table does not agree
         */
        Container awaitReady() throws IOException, InterruptedException {
            process.awaitStart();
            return new DynamoContainers(clients.dynamoDb(), TABLE)
                    .find(pool, id)
                    .filter(item -> item.state() == ContainerState.READY)
                    .orElseThrow(() -> new IOException("container " + id + " says READY, but the table does not"));
        }

        /** Ends the process and removes the item, so that the next start finds the pool as this one did. */
        @Override
        public void close() {
            process.close();
            clients.dynamoDb()
                    .deleteItem(request -> request.tableName(TABLE)
                            .key(Map.of(
                                    "pk", AttributeValue.fromS(pool + "#pool"),
                                    "sk", AttributeValue.fromS("container#" + id))));
        }
    }

    /** Starts a media container of the pool as a process. */
    Launched launch(PoolId pool, List<String> command) throws IOException {
        return launch(pool, command, Map.of());
    }

    /** As {@link #launch(PoolId, List)}, with a bot of its own. */
    Launched launch(PoolId pool, List<String> command, URI bot) throws IOException {
        return launch(pool, command, Map.of("SPILLWAY_BOT_URL", bot.toString()));
    }

    private Launched launch(PoolId pool, List<String> command, Map<String, String> more) throws IOException {
        ContainerId id = new ContainerId("bench-" + tasks.incrementAndGet());
        Map<String, String> environment = new HashMap<>(aws);
        environment.putAll(more);
        environment.put("SPILLWAY_POOL", pool.value());
        environment.put("SPILLWAY_PORT", "0");
        environment.put("SPILLWAY_TARGET_WAIT_SECONDS", "0"); // no load balancer is in front of it
        StreamKey key = pool.isGateway() ? gatewayKey : StreamKey.derive(new byte[32], pool);
        environment.put("SPILLWAY_STREAM_KEY", Base64.getEncoder().encodeToString(key.bytes()));
        environment.put("ECS_AGENT_URI", task.url() + "/" + id);
        environment.put("ECS_CONTAINER_METADATA_URI_V4", task.url() + "/" + id);
        if (!pool.isGateway()) {
            environment.put("SPILLWAY_VOICE_URL", "https://bench.example.com/voice");
        }
        return new Launched(
                pool,
                id,
                new MeasuredProcess(
                        command, environment, work.resolve(id + ".log"), line -> line.contains("\"event\":\"ready\"")));
    }

    /** A reference's process. */
    MeasuredProcess reference(List<String> command) throws IOException {
        String name = "reference-" + tasks.incrementAndGet();
        return new MeasuredProcess(
                command, Map.of(), work.resolve(name + ".log"), line -> line.startsWith(PlainEcho.PORT));
    }

    /** Metadata and protection of whichever task the path names; every protection is granted. */
    private static LocalHttpServer.Response ofTask(LocalHttpServer.Request request) {
        String[] parts = request.path().split("/", -1);
        if (request.path().endsWith("/task-protection/v1/state")) {
            return LocalHttpServer.Response.json(
                    200,
                    "{\"protection\":{\"ProtectionEnabled\":true,\"ExpirationDate\":\""
                            + Instant.now().plusSeconds(3_600) + "\"}}");
        }
        return LocalHttpServer.Response.json(
                200,
                "{\"TaskARN\":\"arn:aws:ecs:us-east-1:000000000000:task/spillway/" + parts[1]
                        + "\",\"Family\":\"bench\",\"Revision\":\"1\","
                        + "\"Containers\":[{\"Networks\":[{\"IPv4Addresses\":[\"127.0.0.1\"]}]}]}");
    }

    @Override
    public void close() {
        for (AutoCloseable part : open) {
            try {
                part.close();
            } catch (Exception e) {
                System.err.println("while closing " + part.getClass().getSimpleName() + ": " + e);
            }
        }
    }
}
