package dev.spillway.system;

import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.adapters.dynamodb.DynamoLeases;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.dynamodb.Table;
import dev.spillway.core.background.Leases;
import dev.spillway.core.call.Calls;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.lambda.DialerHandler;
import dev.spillway.lambda.Functions;
import dev.spillway.lambda.GatewayScalerHandler;
import dev.spillway.lambda.HandOffHandler;
import dev.spillway.lambda.HttpFunction;
import dev.spillway.lambda.IdleSweeperHandler;
import dev.spillway.lambda.OverflowScalerHandler;
import dev.spillway.lambda.ZombieReconcilerHandler;
import dev.spillway.localcloud.ApiGateway;
import dev.spillway.localcloud.EventBridgeStandIn;
import dev.spillway.localcloud.Function;
import dev.spillway.localcloud.Schedules;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The functions with their triggers, as the deployed system has them. */
final class LocalFunctions implements AutoCloseable {
    private static final Duration EVERY_MINUTE = Duration.ofMinutes(1);
    /** What a schedule's target has to be given; see events/README.md. */
    private static final String SCHEDULE_INPUT =
            "{\"source\":\"aws.scheduler\",\"detail-type\":\"Scheduled Event\",\"detail\":{}}";

    private final Functions functions;
    private final Functions background;
    private final AwsClients onlooker;
    private final String table;

    LocalFunctions(Map<String, String> environment, Journal journal) {
        this.functions = Functions.from(environment, journal);
        this.background = Functions.forBackground(environment, journal);
        this.onlooker = AwsClients.from(environment);
        this.table = environment.getOrDefault("SPILLWAY_TABLE", "spillway");
    }

    /** Creates the table, and the items that a deployment writes: pools, tenants and their directory. */
    void createTable(List<LocalTenant> tenants, java.util.function.Function<PoolId, Pool> pool) {
        Table.create(onlooker.dynamoDb(), table);
        DynamoPools pools = new DynamoPools(onlooker.dynamoDb(), table);
        DynamoTenants directory = new DynamoTenants(onlooker.dynamoDb(), table, InstantSource.system());
        pools.put(pool.apply(PoolId.GATEWAY));
        for (LocalTenant tenant : tenants) {
            pools.put(pool.apply(PoolId.of(tenant.tenant().id())));
            directory.put(tenant.tenant());
        }
    }

    /** The pools as an onlooker reads them, over connections of its own. */
    Pools pools() {
        return new DynamoPools(onlooker.dynamoDb(), table);
    }

    /** What a deployment tells of a pool. */
    void describe(Pool pool) {
        new DynamoPools(onlooker.dynamoDb(), table).describe(pool);
    }

    /** The leases of background work, over the same connections. */
    Leases leases() {
        return new DynamoLeases(onlooker.dynamoDb(), table);
    }

    /** The calls, over the same connections. */
    Calls calls() {
        return new DynamoCalls(onlooker.dynamoDb(), table);
    }

    void route(ApiGateway api) {
        for (HttpFunction http : HttpFunction.values()) {
            Function function =
                    FunctionHost.of(http.functionName(), http.handler(functions), APIGatewayV2HTTPEvent.class);
            for (HttpFunction.Route route : http.routes()) {
                if (route.iam()) {
                    api.routeWithIam(route.method(), route.path(), function);
                } else {
                    api.route(route.method(), route.path(), function);
                }
            }
        }
    }

    void subscribe(EventBridgeStandIn bus) {
        Function handOff = event("hand-off", new HandOffHandler(functions));
        Function dialer = event("dialer", new DialerHandler(functions));
        Function overflowScaler = event("overflow-scaler", new OverflowScalerHandler(functions));
        Function reconciler = event("zombie-reconciler", new ZombieReconcilerHandler(background));
        bus.rule("dialer-jobs", "spillway", "JobsWaiting", dialer)
                .rule("dialer-ready", "spillway", "ContainerReady", dialer)
                .rule("dialer-freed", "spillway", "SlotFreed", dialer)
                .rule("scale-out", "spillway", "CallOverflowed", overflowScaler)
                .rule("taken", "spillway", "SlotsTaken", overflowScaler)
                .rule(
                        "gateway",
                        "spillway",
                        "CallOverflowed",
                        event("gateway-scaler", new GatewayScalerHandler(background)))
                .rule("ready", "spillway", "ContainerReady", handOff)
                .rule("freed", "spillway", "SlotFreed", handOff)
                .rule(
                        "drained",
                        "spillway",
                        "ContainerDrained",
                        event("idle-sweeper", new IdleSweeperHandler(background)))
                .rule("silent", "spillway", "StreamSilent", reconciler)
                .rule("tasks", "aws.ecs", "ECS Task State Change", reconciler);
    }

    void schedule(Schedules schedules) {
        schedules
                .every(
                        EVERY_MINUTE,
                        "idle-sweeper",
                        SCHEDULE_INPUT,
                        event("idle-sweeper", new IdleSweeperHandler(background)))
                .every(EVERY_MINUTE, "dialer", SCHEDULE_INPUT, event("dialer", new DialerHandler(functions)))
                .every(
                        EVERY_MINUTE,
                        "zombie-reconciler",
                        SCHEDULE_INPUT,
                        event("zombie-reconciler", new ZombieReconcilerHandler(background)))
                .every(
                        EVERY_MINUTE,
                        "gateway-scaler",
                        SCHEDULE_INPUT,
                        event("gateway-scaler", new GatewayScalerHandler(background)));
    }

    private static Function event(String name, RequestHandler<ScheduledEvent, @Nullable Void> handler) {
        return FunctionHost.of(name, handler, ScheduledEvent.class);
    }

    @Override
    public void close() {
        functions.close();
        background.close();
        onlooker.close();
    }
}
