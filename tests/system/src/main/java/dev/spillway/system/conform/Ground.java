package dev.spillway.system.conform;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.aws.AwsTimeouts;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.dynamodb.Table;
import dev.spillway.core.call.CallSid;
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
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Everything around a container under test: table, secrets, event bus, and the endpoints of its task. */
public final class Ground implements AutoCloseable {
    static final String TABLE = "spillway";
    static final String TOKEN = "conform-token";
    static final int SLOTS = 3;
    static final String PUBLIC_URL = "https://api.example.com";
    static final String STREAM_URL = "wss://streams.example.com";

    /** The test's own questions: a busy machine is no fault of the container's. */
    private static final AwsTimeouts PATIENT =
            new AwsTimeouts(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(5));

    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<AutoCloseable> open = new ArrayList<>();
    private final EventBridgeStandIn bus;
    private final LocalHttpServer task;
    private final Map<String, String> aws;
    private final AwsClients clients;
    /** What containers asked of their ECS agent, as {@code {task} {body}}, with the state their item had then. */
    private final List<Asked> asked = new CopyOnWriteArrayList<>();

    /** @param dynalite the folder of the npm package */
    public Ground(Path dynalite) {
        Dynalite table = opened(Dynalite.start(dynalite));
        SecretsStandIn secrets = opened(new SecretsStandIn(0));
        bus = opened(new EventBridgeStandIn(0, EventBridgeStandIn.Delivery.exact()));
        task = opened(new LocalHttpServer("task", 0, this::ofTask));
        aws = Map.ofEntries(
                Map.entry("AWS_REGION", "us-east-1"),
                Map.entry("AWS_ACCESS_KEY_ID", "local"),
                Map.entry("AWS_SECRET_ACCESS_KEY", "local"),
                Map.entry("AWS_ENDPOINT_URL_DYNAMODB", table.url().toString()),
                Map.entry("AWS_ENDPOINT_URL_EVENTBRIDGE", bus.url().toString()),
                Map.entry("AWS_ENDPOINT_URL_SECRETS_MANAGER", secrets.url().toString()),
                Map.entry("SPILLWAY_TABLE", TABLE),
                Map.entry("SPILLWAY_EVENT_BUS", "spillway"),
                Map.entry("SPILLWAY_PUBLIC_URL", PUBLIC_URL));
        secrets.put("spillway/tenant/conform", "{\"authToken\":\"" + TOKEN + "\"}");
        clients = opened(AwsClients.from(aws, PATIENT));
        Table.create(clients.dynamoDb(), TABLE);
    }

    /** @param before whether the item of that task was READY already */
    record Asked(String container, boolean protection, boolean before) {}

    private <T extends AutoCloseable> T opened(T part) {
        open.addFirst(part);
        return part;
    }

    /**
     * A tenant with a pool of its own, and what its container is told.
     *
     * @param container the id of its task
     * @param port that it is to open; 0 for any
     * @param speed see {@link dev.spillway.core.Timing#scaled}
     */
    public Map<String, String> environment(String tenant, String container, int port, double speed) {
        TenantId id = new TenantId(tenant);
        Policy policy = new Policy(0, 1, SLOTS, 0, Policy.ScaleOutRule.DEMAND, Policy.ScaleInRule.IDLE);
        new DynamoPools(clients.dynamoDb(), TABLE)
                .put(Pool.fresh(PoolId.of(id), policy, "conform", STREAM_URL, Instant.now()));
        new DynamoTenants(clients.dynamoDb(), TABLE, InstantSource.system())
                .put(new Tenant(
                        id,
                        Set.of(Trial.NUMBER),
                        Trial.ACCOUNT,
                        "spillway/tenant/conform",
                        new Persona("scripted", "alto", "Hello.", "Where were we?", "Goodbye.")));
        Map<String, String> environment = new TreeMap<>(aws);
        environment.put("SPILLWAY_POOL", tenant);
        environment.put("SPILLWAY_PORT", Integer.toString(port));
        environment.put("SPILLWAY_TARGET_WAIT_SECONDS", "0"); // no load balancer is in front of it
        environment.put("SPILLWAY_SPEED", Double.toString(speed));
        environment.put("SPILLWAY_VOICE_URL", voiceUrl(id));
        environment.put("SPILLWAY_STREAM_KEY", Base64.getEncoder().encodeToString(key(id).bytes()));
        environment.put("ECS_AGENT_URI", task.url() + "/" + tenant + "/" + container);
        environment.put("ECS_CONTAINER_METADATA_URI_V4", task.url() + "/" + tenant + "/" + container);
        return environment;
    }

    /**
     * Waits until that container is READY. Nothing else is asked of its item: what is wrong with it is for the rules to say.
     *
     * @param given ends the waiting before its time
     * @return the item as it was seen last; an empty object if there was none
     */
    public JsonNode awaitReady(String tenant, String container, Duration most, BooleanSupplier given)
            throws InterruptedException {
        long deadline = System.nanoTime() + most.toNanos();
        JsonNode item = item(new PoolId(tenant), container);
        while (!isReady(item) && !given.getAsBoolean() && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(50);
            item = item(new PoolId(tenant), container);
        }
        return item;
    }

    public static boolean isReady(JsonNode item) {
        return item.path("state").asText().equals("ready");
    }

    static String voiceUrl(TenantId tenant) {
        return "https://" + tenant + ".example.com/voice";
    }

    static StreamKey key(TenantId tenant) {
        return StreamKey.derive(new byte[32], PoolId.of(tenant));
    }

    AwsClients clients() {
        return clients;
    }

    List<Asked> asked() {
        return asked;
    }

    /** Details of the events of that type which name the pool. */
    List<JsonNode> events(String type, PoolId pool) {
        List<JsonNode> found = new ArrayList<>();
        for (String text : bus.history()) {
            try {
                JsonNode event = JSON.readTree(text);
                if (event.path("detail-type").asText().equals(type)
                        && event.path("detail").path("pool").asText().equals(pool.value())) {
                    found.add(event.path("detail"));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return found;
    }

    /** A container's item as JSON; an empty object if there is none. */
    JsonNode item(PoolId pool, String container) {
        return item(pool + "#pool", "container#" + container);
    }

    /** A call's item as JSON; an empty object if there is none. */
    JsonNode item(TenantId tenant, CallSid call) {
        return item(tenant + "#call#" + call, "call");
    }

    private JsonNode item(String partition, String sort) {
        return json(AttributeValue.fromM(clients.dynamoDb()
                .getItem(request -> request.tableName(TABLE)
                        .consistentRead(true)
                        .key(Map.of("pk", AttributeValue.fromS(partition), "sk", AttributeValue.fromS(sort))))
                .item()));
    }

    private static JsonNode json(AttributeValue value) {
        return switch (value.type()) {
            case S -> JSON.getNodeFactory().textNode(value.s());
            case N -> number(new BigDecimal(value.n()));
            case BOOL -> JSON.getNodeFactory().booleanNode(value.bool());
            case M -> {
                ObjectNode object = JSON.createObjectNode();
                value.m().forEach((name, inner) -> object.set(name, json(inner)));
                yield object;
            }
            case L -> {
                ArrayNode array = JSON.createArrayNode();
                value.l().forEach(inner -> array.add(json(inner)));
                yield array;
            }
            default -> JSON.getNodeFactory().nullNode();
        };
    }

    /** DynamoDB knows no integers: what has no fraction is one. */
    private static JsonNode number(BigDecimal number) {
        return number.stripTrailingZeros().scale() > 0
                ? JSON.getNodeFactory().numberNode(number)
                : JSON.getNodeFactory().numberNode(number.toBigInteger());
    }

    /** Metadata and protection of whichever task the path names; every protection is granted. */
    private LocalHttpServer.Response ofTask(LocalHttpServer.Request request) {
        String[] parts = request.path().split("/", -1);
        if (parts.length < 4) {
            return LocalHttpServer.Response.json(404, "{}");
        }
        if (request.path().endsWith("/task-protection/v1/state")) {
            boolean wanted = request.text().replace(" ", "").contains("\"ProtectionEnabled\":true");
            String state = item(new PoolId(parts[1]), parts[2]).path("state").asText();
            asked.add(new Asked(parts[2], wanted, state.equals("ready")));
            return LocalHttpServer.Response.json(
                    200,
                    "{\"protection\":{\"ProtectionEnabled\":" + wanted + ",\"ExpirationDate\":\""
                            + Instant.now().plusSeconds(3_600) + "\",\"TaskArn\":\"t\"}}");
        }
        return LocalHttpServer.Response.json(
                200,
                "{\"TaskARN\":\"arn:aws:ecs:us-east-1:000000000000:task/spillway/" + parts[2]
                        + "\",\"Family\":\"conform\",\"Revision\":\"1\","
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
