package dev.spillway.system.function;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.dynamodb.Table;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.localcloud.Dynalite;
import dev.spillway.localcloud.EcsOptions;
import dev.spillway.localcloud.EcsStandIn;
import dev.spillway.localcloud.EventBridgeStandIn;
import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import dev.spillway.localcloud.SecretsStandIn;
import dev.spillway.localcloud.ServiceSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * What functions find when they run alone: a table with the tenant of {@code events/}, whose pool is empty, and a gateway
 * with two containers; a cluster whose tasks are only records; a bus, secrets, and a Twilio that agrees to everything.
 */
public final class FunctionGround implements AutoCloseable {
    public static final String TOKEN = "12345678901234567890123456789012";
    public static final String PUBLIC_URL = "https://api.example.com";
    public static final String ACCOUNT = "AC00000000000000000000000000000001";
    public static final TenantId ACME = new TenantId("acme");

    /** From which stream keys are derived; not a secret of anybody's. */
    public static final String STREAM_SECRET = "A".repeat(44);

    /** Who may ask about the tenant, in {@code events/} too. */
    public static final String CALLER = "arn:aws:iam::123456789012:role/acme";

    private static final String NUMBER = "+15005550001";
    static final String TABLE = "spillway";

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Map<String, String>> dials = new CopyOnWriteArrayList<>();
    private final SecretsStandIn secrets;
    private volatile Consumer<Map<String, String>> whileDialling = form -> {};
    private final Map<String, String> environment;
    private final AwsClients clients;

    /**
     * @param dynalite the folder of the npm package
     * @param work an existing directory for logs
     */
    public FunctionGround(Path dynalite, Path work) {
        Dynalite table = opened(Dynalite.start(dynalite));
        this.secrets = opened(new SecretsStandIn(0));
        EventBridgeStandIn bus = opened(new EventBridgeStandIn(0, EventBridgeStandIn.Delivery.exact()));
        EcsStandIn ecs =
                opened(new EcsStandIn(EcsOptions.atSpeed(1, work, start -> new ProcessBuilder("sleep", "600")), 0));
        LocalHttpServer twilio = opened(new LocalHttpServer("twilio", 0, this::twilio));
        Map<String, String> settings = new TreeMap<>();
        settings.put("AWS_REGION", "us-east-1");
        settings.put("AWS_ACCESS_KEY_ID", "local");
        settings.put("AWS_SECRET_ACCESS_KEY", "local");
        settings.put("AWS_ENDPOINT_URL_DYNAMODB", table.url().toString());
        settings.put("AWS_ENDPOINT_URL_EVENTBRIDGE", bus.url().toString());
        settings.put("AWS_ENDPOINT_URL_SECRETS_MANAGER", secrets.url().toString());
        settings.put("AWS_ENDPOINT_URL_ECS", ecs.url().toString());
        settings.put("SPILLWAY_TABLE", TABLE);
        settings.put("SPILLWAY_EVENT_BUS", "spillway");
        settings.put("SPILLWAY_PUBLIC_URL", PUBLIC_URL);
        settings.put("SPILLWAY_CLUSTER", "spillway");
        settings.put("SPILLWAY_GATEWAY_STREAM_URL", "wss://gateway.example.com");
        settings.put("SPILLWAY_STREAM_SECRET", "spillway/stream");
        settings.put("SPILLWAY_TENANT_SECRETS", "spillway/tenant/");
        settings.put("SPILLWAY_TWILIO_API_URL", twilio.url().toString());
        this.environment = Map.copyOf(settings);
        this.clients = opened(AwsClients.from(environment));
        secrets.put("spillway/stream", "{\"key\":\"" + STREAM_SECRET + "\"}");
        secrets.put("spillway/tenant/acme", "{\"authToken\":\"" + TOKEN + "\"}");
        Table.create(clients.dynamoDb(), TABLE);
        ecs.createService(service("spillway-acme", 0));
        ecs.createService(service("spillway-gateway", 2));
        seed();
    }

    private static ServiceSpec service(String name, int desired) {
        return new ServiceSpec(name, desired, name, null, ServiceSpec.LONGEST_GRACE_PERIOD, Duration.ofSeconds(2));
    }

    private void seed() {
        new DynamoTenants(clients.dynamoDb(), TABLE, InstantSource.system())
                .put(new Tenant(
                        ACME,
                        Set.of(NUMBER),
                        ACCOUNT,
                        "spillway/tenant/acme",
                        new Persona("scripted", "plain", "Hello, this is acme.", "Where were we?", "Goodbye."),
                        Set.of(new Principal(CALLER))));
        DynamoPools pools = new DynamoPools(clients.dynamoDb(), TABLE);
        Instant now = Instant.now();
        Policy small = new Policy(0, 5, 6, 0, Policy.ScaleOutRule.DEMAND, Policy.ScaleInRule.IDLE);
        pools.put(Pool.fresh(PoolId.of(ACME), small, "spillway-acme", "wss://acme.example.com", now)
                .withOutbound(Outbound.of(new OutboundPolicy(
                        3,
                        0,
                        100,
                        10,
                        1_000,
                        Map.of(),
                        List.of(Country.always("+1500555")),
                        Set.of(),
                        OutboundPolicy.Warmth.USUAL))));
        Policy gateway = new Policy(2, 10, 200, 6, Policy.ScaleOutRule.DEMAND, Policy.ScaleInRule.IDLE);
        pools.put(Pool.fresh(PoolId.GATEWAY, gateway, "spillway-gateway", "wss://gateway.example.com", now));
        ready(PoolId.GATEWAY, "gateway-1");
        ready(PoolId.GATEWAY, "gateway-2");
    }

    /** A container of the pool that serves, and goes on doing so for an hour. */
    public void ready(PoolId pool, String id) {
        container(pool, id, ContainerState.READY, "", Map.of(), inAnHour(), false);
    }

    private static Instant inAnHour() {
        return Instant.now().plus(Duration.ofHours(1));
    }

    /** A container of the pool that is being drained, and that calls could have back. */
    public void draining(PoolId pool, String id) {
        container(pool, id, ContainerState.DRAINING, "idle", Map.of(), inAnHour(), false);
    }

    /** A container that ECS knows nothing of. It has been there for an hour. */
    public void container(
            PoolId pool,
            String id,
            ContainerState state,
            String reason,
            Map<ClaimKey, Claim> claims,
            Instant aliveUntil,
            boolean mayExit) {
        Instant now = Instant.now();
        Instant started = now.minus(Duration.ofHours(1));
        new DynamoContainers(clients.dynamoDb(), TABLE)
                .register(new Container(
                        pool,
                        new ContainerId(id),
                        "boot-" + id,
                        state,
                        reason,
                        started,
                        "127.0.0.1",
                        "1",
                        pool.isGateway() ? 200 : 6,
                        claims,
                        Report.empty(started),
                        aliveUntil,
                        now.plus(Duration.ofHours(1)),
                        started,
                        Instant.EPOCH,
                        mayExit));
    }

    /** Changes a pool, and counts its idle window from an hour ago. */
    public void change(PoolId pool, int desired, int minimum, int spareSlots) {
        DynamoPools pools = new DynamoPools(clients.dynamoDb(), TABLE);
        Pool now = pools.read(pool).orElseThrow().pool();
        Policy policy = now.policy();
        pools.put(now.with(draft -> {
            draft.desired = desired;
            draft.idleSince = Instant.now().minus(Duration.ofHours(1));
            draft.policy = new Policy(
                    minimum, policy.maximum(), policy.limit(), spareSlots, policy.scaleOut(), policy.scaleIn());
        }));
    }

    /** Twilio's answer to any request: for a new call, a new call. */
    private Response twilio(Request request) {
        if (!request.path().endsWith("/Calls.json")) {
            return Response.json(200, "{\"sid\":\"CA00000000000000000000000000000001\",\"status\":\"in-progress\"}");
        }
        Map<String, String> form = new TreeMap<>();
        for (String field : request.text().split("&")) {
            String[] parts = field.split("=", 2);
            form.put(
                    parts[0],
                    java.net.URLDecoder.decode(
                            parts.length > 1 ? parts[1] : "", java.nio.charset.StandardCharsets.UTF_8));
        }
        dials.add(form);
        whileDialling.accept(form);
        return Response.json(201, "{\"sid\":\"CA%032d\",\"status\":\"queued\"}".formatted(100 + dials.size()));
    }

    private <T extends AutoCloseable> T opened(T part) {
        open.addFirst(part);
        return part;
    }

    /** What functions are told. */
    public Map<String, String> environment() {
        return environment;
    }

    /** The forms of the calls that Twilio was asked to make. */
    public List<Map<String, String>> dials() {
        return List.copyOf(dials);
    }

    /** What happens while Twilio is asked to make a call, before it answers. */
    public void whileDialling(Consumer<Map<String, String>> happening) {
        whileDialling = happening;
    }

    public SecretsStandIn secrets() {
        return secrets;
    }

    public AwsClients clients() {
        return clients;
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
