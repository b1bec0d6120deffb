package dev.spillway.lambda;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.secrets.PoolKeySecrets;
import dev.spillway.adapters.secrets.StreamSecret;
import dev.spillway.adapters.settings.Settings;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import java.time.InstantSource;
import java.util.Map;

/**
 * Writes into the table what a deployment says about pools and tenants, and derives the pools' stream keys. It repeats
 * without harm, and leaves the running figures of a pool alone.
 */
final class Registration implements AutoCloseable {
    private final AwsClients clients;
    private final DynamoPools pools;
    private final DynamoTenants tenants;
    private final StreamSecret master;
    private final PoolKeySecrets keys;
    private final InstantSource clock;

    private Registration(AwsClients clients, String table, String streamSecret, InstantSource clock) {
        this.clients = clients;
        this.pools = new DynamoPools(clients.dynamoDb(), table);
        this.tenants = new DynamoTenants(clients.dynamoDb(), table, clock);
        this.master = new StreamSecret(clients.secrets(), streamSecret);
        this.keys = new PoolKeySecrets(clients.secrets());
        this.clock = clock;
    }

    private record Names(String table, String streamSecret) {}

    static Registration from(Map<String, String> environment) {
        Names names = Settings.read(
                environment,
                settings -> new Names(settings.text("SPILLWAY_TABLE"), settings.text("SPILLWAY_STREAM_SECRET")));
        return new Registration(
                AwsClients.from(environment), names.table(), names.streamSecret(), InstantSource.system());
    }

    /** Everything that a container of the pool needs before it starts. */
    void describe(PoolId pool, PoolDescription description) {
        if (!description
                .tenant()
                .map(tenant -> PoolId.of(tenant.id()))
                .orElse(PoolId.GATEWAY)
                .equals(pool)) {
            throw new IllegalArgumentException("the description of pool " + pool + " is another pool's");
        }
        keys.write(description.streamKeySecret(), master.keyOf(pool));
        description.tenant().ifPresent(tenants::describe);
        pools.describe(
                Pool.fresh(pool, description.policy(), description.service(), description.streamUrl(), clock.instant())
                        .withOutbound(Outbound.of(description.outbound())));
    }

    /** The functions look after the pool from now on. The gateway's they always do. */
    void list(PoolId pool) {
        pool.tenant().ifPresent(tenants::list);
    }

    void unlist(PoolId pool) {
        pool.tenant().ifPresent(tenants::unlist);
    }

    @Override
    public void close() {
        clients.close();
    }
}
