package dev.spillway.system;

import dev.spillway.adapters.twilio.Callbacks;
import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.background.Leases;
import dev.spillway.core.call.Calls;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.localcloud.ApiGateway;
import dev.spillway.localcloud.Dynalite;
import dev.spillway.localcloud.EcsOptions;
import dev.spillway.localcloud.EcsStandIn;
import dev.spillway.localcloud.EventBridgeStandIn;
import dev.spillway.localcloud.FaultyProxy;
import dev.spillway.localcloud.GhostConnections;
import dev.spillway.localcloud.LoadBalancer;
import dev.spillway.localcloud.LoadBalancerOptions;
import dev.spillway.localcloud.Schedules;
import dev.spillway.localcloud.SecretsStandIn;
import dev.spillway.localcloud.ServiceSpec;
import dev.spillway.localcloud.TaskStart;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.CallTimeline;
import dev.spillway.localcloud.twilio.TwilioAccount;
import dev.spillway.localcloud.twilio.TwilioNumber;
import dev.spillway.localcloud.twilio.TwilioStandIn;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The whole system on loopback: AWS and Twilio stand-ins, the functions in this process, and the media containers as
 * processes of their own. Usually two tenants, {@link LocalTenant#ACME} on demand and {@link LocalTenant#GLOBEX} in
 * production mode, and always a gateway of three containers.
 */
final class LocalSystem implements AutoCloseable {
    /**
     * @param speed by which schedules, cold starts and idle windows are shortened; audio never is
     * @param thinkMillis how long the embedded agent thinks before it answers
     * @param home the checkout
     * @param work an existing directory for logs
     * @param seed of every random choice of the stand-ins
     * @param containerSettings environment variables of the tenants' containers, beside the usual ones
     * @param apart whether each container reaches the table over a line of its own, which can be cut
     * @param gatewayLimit slots of each of the gateway's containers
     * @param builds the checkouts whose containers are revision 1, 2, … of every service
     */
    record Options(
            double speed,
            int thinkMillis,
            Path home,
            Path work,
            long seed,
            TwilioSwitches twilio,
            List<LocalTenant> tenants,
            Map<String, String> containerSettings,
            boolean apart,
            int gatewayLimit,
            List<Path> builds) {
        Options {
            builds = List.copyOf(builds);
            tenants = List.copyOf(tenants);
            containerSettings = Map.copyOf(containerSettings);
        }

        /** With acme on demand and globex in production mode. */
        Options(double speed, int thinkMillis, Path home, Path work, long seed, TwilioSwitches twilio) {
            this(
                    speed,
                    thinkMillis,
                    home,
                    work,
                    seed,
                    twilio,
                    List.of(LocalTenant.ACME, LocalTenant.GLOBEX),
                    Map.of(),
                    false,
                    GATEWAY_LIMIT,
                    List.of(home));
        }

        Options withContainerSettings(Map<String, String> value) {
            return new Options(
                    speed, thinkMillis, home, work, seed, twilio, tenants, value, apart, gatewayLimit, builds);
        }

        Options withContainersApart() {
            return new Options(
                    speed,
                    thinkMillis,
                    home,
                    work,
                    seed,
                    twilio,
                    tenants,
                    containerSettings,
                    true,
                    gatewayLimit,
                    builds);
        }

        Options withGatewayLimit(int value) {
            return new Options(
                    speed, thinkMillis, home, work, seed, twilio, tenants, containerSettings, apart, value, builds);
        }
    }

    private static final String TABLE = "spillway";
    private static final String BUS = "spillway";
    private static final String STREAM_SECRET = "spillway/stream";
    private static final int GATEWAY_CONTAINERS = 3;
    static final int GATEWAY_LIMIT = 6;

    private final Options options;
    private final List<LocalTenant> tenants;
    private final Timing timing;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final FunctionJournal journal;
    private final Dynalite dynalite;
    private final FaultyProxy table;
    private final SecretsStandIn secrets;
    private final LoadBalancer balancer;
    private final EcsStandIn ecs;
    private final EventBridgeStandIn bus;
    private final ApiGateway api;
    private final TwilioStandIn twilio;
    private final byte[] streamMaster = new byte[32];
    private final LocalFunctions functions;
    private final Schedules schedules;
    private final GhostConnections ghosts;
    private final ConsoleProxy console;
    private final AtomicInteger callers = new AtomicInteger();
    /** Each container's own line to the table, by its id; none unless they are apart. */
    private final Map<String, FaultyProxy> lines = new ConcurrentHashMap<>();

    LocalSystem(Options options) {
        this.options = options;
        this.tenants = options.tenants();
        this.timing = Timing.STANDARD.scaled(options.speed());
        new SecureRandom().nextBytes(streamMaster);
        journal = opened(new FunctionJournal(options.work().resolve("functions.log")));
        dynalite = opened(Dynalite.start(options.home().resolve("tests/localcloud/dynalite")));
        table = opened(new FaultyProxy("dynamodb", dynalite.port()));
        secrets = opened(new SecretsStandIn(0));
        balancer = opened(new LoadBalancer(LoadBalancerOptions.atSpeed(options.speed())));
        balancer.targetGroup("gateway", 0);
        tenants.forEach(tenant -> balancer.targetGroup(id(tenant), 0));
        bus = opened(new EventBridgeStandIn(0, EventBridgeStandIn.Delivery.seeded(options.seed())));
        api = opened(new ApiGateway(0));
        putSecrets();
        ecs = opened(new EcsStandIn(
                EcsOptions.atSpeed(
                                options.speed(),
                                options.work(),
                                new MediaProcesses(options.builds(), this::containerEnvironment))
                        .withLoadBalancer(balancer, balancer)
                        .withEvents(bus::publish),
                0));
        twilio = opened(new TwilioStandIn(0, options.twilio()));
        tenants.forEach(tenant -> twilio.register(account(tenant)));
        functions = opened(new LocalFunctions(functionEnvironment(), journal));
        // They deliver to the functions, and so have to stop before them.
        for (AutoCloseable deliverer : List.of(bus, api, twilio)) {
            open.remove(deliverer);
            open.addFirst(deliverer);
        }
        schedules = opened(new Schedules(options.speed(), options.seed()));
        functions.createTable(tenants, this::pool);
        functions.route(api);
        api.user(LocalUsers.OPERATOR);
        tenants.forEach(tenant -> api.user(LocalUsers.of(tenant)));
        console = opened(new ConsoleProxy(SignedApi.local(api.url(), LocalUsers.key(LocalUsers.OPERATOR)), 0, null));
        functions.subscribe(bus);
        functions.schedule(schedules);
        ghosts = new GhostConnections()
                .watch(table)
                .watch(secrets.server())
                .watch("eventbridge", bus.url().getPort(), bus::connectedPorts)
                .watch("ecs", ecs.port(), ecs::connectedPorts);
    }

    private synchronized <T extends AutoCloseable> T opened(T part) {
        open.addFirst(part);
        return part;
    }

    /** Starts the containers that always run, and waits until they are READY. */
    void start() throws InterruptedException {
        // The first containers are not part of any measurement: they start as fast as their process does.
        ecs.launchDelay(Duration.ZERO);
        ecs.createService(service("gateway", GATEWAY_CONTAINERS));
        tenants.forEach(
                tenant -> ecs.createService(service(id(tenant), tenant.policy().minimum())));
        Duration most = Duration.ofMinutes(4);
        boolean ready = await(
                most,
                // Where the machine is so slow that one fails to start, the pool may have asked for more meanwhile.
                () -> readyContainers(PoolId.GATEWAY) >= GATEWAY_CONTAINERS
                        && tenants.stream()
                                .allMatch(tenant -> readyContainers(new PoolId(id(tenant)))
                                        >= tenant.policy().minimum()));
        if (!ready) {
            throw new IllegalStateException("the first containers were not READY within " + most.toSeconds()
                    + " s; their logs are in " + options.work());
        }
        ecs.launchDelay(scaled(Timing.STANDARD.coldStart()));
    }

    /** A call by a caller of its own to the tenant's number. */
    Call call(LocalTenant tenant, CallScript script) {
        return twilio.call(
                tenant.number(), String.format("+1500555%04d", 1000 + callers.incrementAndGet() % 9000), script);
    }

    double speed() {
        return options.speed();
    }

    int thinkMillis() {
        return options.thinkMillis();
    }

    Timing timing() {
        return timing;
    }

    Duration scaled(Duration duration) {
        return Duration.ofNanos(Math.round(duration.toNanos() / options.speed()));
    }

    FunctionJournal journal() {
        return journal;
    }

    Pools pools() {
        return functions.pools();
    }

    Calls calls() {
        return functions.calls();
    }

    Leases leases() {
        return functions.leases();
    }

    FaultyProxy table() {
        return table;
    }

    /** A container's own line to the table. */
    FaultyProxy lineOf(ContainerId container) {
        FaultyProxy line = lines.get(container.value());
        if (line == null) {
            throw new IllegalStateException("containers have lines of their own only with the option apart");
        }
        return line;
    }

    EcsStandIn ecs() {
        return ecs;
    }

    /** A new revision of the tenant's service, rolled out as ECS does. */
    void redeploy(LocalTenant tenant, int revision) {
        ecs.deploy(serviceName(id(tenant)), serviceName(id(tenant)), revision);
    }

    /** What a deployment tells of the tenant: the pool's policy is that one's from now on, its running figures stay. */
    void describe(LocalTenant tenant) {
        functions.describe(pool(tenant));
    }

    EventBridgeStandIn bus() {
        return bus;
    }

    Schedules schedules() {
        return schedules;
    }

    TwilioStandIn twilio() {
        return twilio;
    }

    ApiGateway api() {
        return api;
    }

    LoadBalancer loadBalancer() {
        return balancer;
    }

    URI apiUrl() {
        return api.url();
    }

    /** The HTTP API as the local operator asks it. */
    SignedApi signedApi() {
        return SignedApi.local(api.url(), LocalUsers.key(LocalUsers.OPERATOR));
    }

    /** Where a browser sees what is going on. */
    URI consoleUrl() {
        return console.url();
    }

    URI gatewayUrl() {
        return balancer.url("gateway");
    }

    URI loadBalancerUrl(LocalTenant tenant) {
        return balancer.url(id(tenant));
    }

    long liveTasks(LocalTenant tenant) {
        return ecs.liveTasks(serviceName(id(tenant))).size();
    }

    /** Connections that a stand-in still counts although nobody holds their other end. */
    List<String> ghosts() {
        return ghosts.find().stream()
                .map(ghost -> ghost.server() + " from port " + ghost.clientPort())
                .toList();
    }

    /** Writes what happened to every call, without phone numbers, beside the logs. */
    void writeCallTimelines() {
        List<String> lines = new ArrayList<>();
        for (Call call : twilio.calls()) {
            lines.addAll(CallTimeline.of(call));
            lines.add("");
        }
        try {
            Files.write(options.work().resolve("calls.log"), lines);
        } catch (IOException e) {
            System.err.println("spillway: calls.log could not be written: " + e.getMessage());
        }
    }

    /** What {@code ./spillway local --info} writes. */
    LocalInfo info() {
        return new LocalInfo(
                api.url(),
                loadBalancerUrl(LocalTenant.ACME),
                gatewayUrl(),
                table.url(),
                ecs.url(),
                twilio.url(),
                bus.url(),
                secrets.url(),
                console.url(),
                options.work().toString(),
                LocalUsers.key(LocalUsers.OPERATOR),
                List.of("answer", "cpu", "tools"),
                Integer.parseInt(agentCpuMicros()),
                tenants.stream()
                        .map(tenant -> new LocalInfo.TenantInfo(
                                id(tenant),
                                tenant.number(),
                                tenant.tenant().accountSid(),
                                tenant.authToken(),
                                LocalUsers.key(LocalUsers.of(tenant)),
                                loadBalancerUrl(tenant)))
                        .toList());
    }

    private void putSecrets() {
        secrets.put(STREAM_SECRET, "{\"key\":\"" + Base64.getEncoder().encodeToString(streamMaster) + "\"}");
        for (LocalTenant tenant : tenants) {
            secrets.put(tenant.tenant().secretName(), "{\"authToken\":\"" + tenant.authToken() + "\"}");
        }
    }

    private TwilioAccount account(LocalTenant tenant) {
        String id = id(tenant);
        return new TwilioAccount(
                tenant.tenant().accountSid(),
                tenant.authToken(),
                List.of(new TwilioNumber(
                        tenant.number(),
                        URI.create(balancer.url(id) + "/voice" + Callbacks.OVERRIDES),
                        URI.create(api.url() + "/twilio/fallback/" + id + Callbacks.FALLBACK_OVERRIDES),
                        URI.create(api.url() + "/twilio/status/" + id + "/0"))));
    }

    private Pool pool(PoolId id) {
        if (id.isGateway()) {
            Policy policy = new Policy(
                    GATEWAY_CONTAINERS,
                    10,
                    options.gatewayLimit(),
                    options.gatewayLimit(),
                    Policy.ScaleOutRule.DEMAND,
                    Policy.ScaleInRule.IDLE);
            return Pool.fresh(id, policy, serviceName(id.value()), streamUrl(id.value()), Instant.now());
        }
        return pool(tenants.stream()
                .filter(one -> id(one).equals(id.value()))
                .findFirst()
                .orElseThrow());
    }

    private Pool pool(LocalTenant tenant) {
        String id = id(tenant);
        return Pool.fresh(new PoolId(id), tenant.policy(), serviceName(id), streamUrl(id), Instant.now())
                .withOutbound(Outbound.of(scaled(tenant.outbound())));
    }

    private OutboundPolicy scaled(OutboundPolicy policy) {
        return new OutboundPolicy(
                policy.outboundLimit(),
                policy.inboundReserve(),
                policy.maxWaitingJobs(),
                policy.dialsPerSecond(),
                policy.dailyCap(),
                policy.providerLimits(),
                policy.countries(),
                policy.suppressed(),
                new OutboundPolicy.Warmth(
                        scaled(policy.warmth().margin()), scaled(policy.warmth().keep())));
    }

    private ServiceSpec service(String pool, int desired) {
        return new ServiceSpec(
                serviceName(pool),
                desired,
                serviceName(pool),
                pool,
                ServiceSpec.LONGEST_GRACE_PERIOD,
                Duration.ofMinutes(2));
    }

    private static String serviceName(String pool) {
        return "spillway-" + pool;
    }

    private String streamUrl(String pool) {
        return "ws://127.0.0.1:" + balancer.port(pool);
    }

    private Map<String, String> awsEnvironment() {
        Map<String, String> environment = new HashMap<>();
        environment.put("AWS_REGION", "us-east-1");
        environment.put("AWS_ACCESS_KEY_ID", "local");
        environment.put("AWS_SECRET_ACCESS_KEY", "local");
        environment.put("AWS_ENDPOINT_URL_DYNAMODB", table.url().toString());
        environment.put("AWS_ENDPOINT_URL_EVENTBRIDGE", bus.url().toString());
        environment.put("AWS_ENDPOINT_URL_SECRETS_MANAGER", secrets.url().toString());
        environment.put("SPILLWAY_TABLE", TABLE);
        environment.put("SPILLWAY_EVENT_BUS", BUS);
        environment.put("SPILLWAY_SPEED", String.valueOf(options.speed()));
        environment.put("SPILLWAY_PUBLIC_URL", api.url().toString());
        return environment;
    }

    private Map<String, String> functionEnvironment() {
        Map<String, String> environment = awsEnvironment();
        environment.put("AWS_ENDPOINT_URL_ECS", ecs.url().toString());
        environment.put("SPILLWAY_CLUSTER", "spillway");
        environment.put("SPILLWAY_OPERATORS", LocalUsers.OPERATOR_ROLE);
        environment.put("SPILLWAY_GATEWAY_STREAM_URL", streamUrl("gateway"));
        environment.put("SPILLWAY_STREAM_SECRET", STREAM_SECRET);
        environment.put("SPILLWAY_TENANT_SECRETS", "spillway/tenant/");
        environment.put("SPILLWAY_TWILIO_API_URL", twilio.url().toString());
        return environment;
    }

    StreamKey streamKey(PoolId pool) {
        return StreamKey.derive(streamMaster, pool);
    }

    /** Only calibrations set it. */
    private static String agentCpuMicros() {
        return Objects.requireNonNullElse(System.getenv("SPILLWAY_AGENT_CPU_MICROS"), "0");
    }

    private Map<String, String> containerEnvironment(TaskStart start) {
        String pool = start.service().substring("spillway-".length());
        Map<String, String> environment = awsEnvironment();
        if (options.apart()) {
            FaultyProxy line = lines.computeIfAbsent(
                    start.taskId(), task -> opened(new FaultyProxy("dynamodb of " + task, table.port())));
            environment.put("AWS_ENDPOINT_URL_DYNAMODB", line.url().toString());
        }
        environment.put("SPILLWAY_POOL", pool);
        environment.put("SPILLWAY_PORT", String.valueOf(start.port()));
        environment.put(
                "SPILLWAY_STREAM_KEY",
                Base64.getEncoder().encodeToString(streamKey(new PoolId(pool)).bytes()));
        environment.put("SPILLWAY_THINK_MILLIS", String.valueOf(options.thinkMillis()));
        environment.put("SPILLWAY_AGENT_CPU_MICROS", agentCpuMicros());
        environment.put("SPILLWAY_AGENT_REHEARSES", "1"); // a load test's calls say what they cost
        environment.put("SPILLWAY_DEREGISTRATION_SECONDS", String.valueOf(deregistrationSeconds()));
        environment.put("ECS_AGENT_URI", start.agentUrl().toString());
        environment.put("ECS_CONTAINER_METADATA_URI_V4", start.metadataUrl().toString());
        if (!pool.equals("gateway")) {
            environment.put("SPILLWAY_VOICE_URL", balancer.url(pool) + "/voice");
            environment.putAll(options.containerSettings());
        }
        return environment;
    }

    /** As the load balancer has it, and a whole number of seconds, rounded down. */
    private long deregistrationSeconds() {
        return LoadBalancerOptions.atSpeed(options.speed())
                .deregistrationDelay()
                .toSeconds();
    }

    private long readyContainers(PoolId id) {
        try {
            Instant now = Instant.now();
            return pools().read(id)
                    .map(view -> view.containers().stream()
                            .filter(container -> container.state() == ContainerState.READY && container.isAlive(now))
                            .count())
                    .orElse(0L);
        } catch (DependencyException e) {
            return 0; // a machine that starts all of this at once may be slow to answer
        }
    }

    private static boolean await(Duration most, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return true;
    }

    private static String id(LocalTenant tenant) {
        return tenant.tenant().id().value();
    }

    /** May be called twice, also at once: by the command, and on Ctrl-C. */
    @Override
    public synchronized void close() {
        List<AutoCloseable> parts = List.copyOf(open);
        open.clear();
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                System.err.println("while closing " + part.getClass().getSimpleName() + ": " + e);
            }
        }
    }
}
