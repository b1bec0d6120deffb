package dev.spillway.adapters.dynamodb;

import dev.spillway.core.background.Lease;
import dev.spillway.core.background.Leases;
import dev.spillway.core.pool.PoolId;
import java.time.Instant;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * The leases of background work on the pools' items:
 *
 * <pre>{@code
 * SET backgroundHolder = :me, backgroundUntilMillis = :until, backgroundGeneration = backgroundGeneration + 1
 * IF  attribute_exists(pk) AND backgroundUntilMillis <= :now
 * }</pre>
 */
public final class DynamoLeases implements Leases {
    private final Table table;

    public DynamoLeases(DynamoDbClient client, String table) {
        this.table = new Table(client, table);
    }

    @Override
    public Taking take(PoolId pool, String holder, Instant now, Instant until) {
        Change change = Change.of(
                        "SET #backgroundHolder = :holder, #backgroundUntilMillis = :until,"
                                + " #backgroundGeneration = if_not_exists(#backgroundGeneration, :none) + :one",
                        "attribute_exists(#pk) AND (attribute_not_exists(#backgroundUntilMillis)"
                                + " OR #backgroundUntilMillis <= :now)")
                .value(":holder", holder)
                .value(":until", until)
                .value(":now", now)
                .value(":none", 0)
                .value(":one", 1);
        Table.Own own = (found, replyLost) -> found.flatMap(item -> item.optionalText("backgroundHolder"))
                .filter(holder::equals)
                .isPresent();
        return switch (table.update(Key.of(pool), change, own)) {
            case Written.Applied applied -> new Taking.Taken(applied.item().decode(PoolCodec::decode));
            case Written.Refused refused ->
                refused.found()
                        .<Taking>map(item -> new Taking.Held(
                                item.decode(PoolCodec::decodeBackground).lease()))
                        .orElseGet(Taking.NoPool::new);
        };
    }

    @Override
    public boolean giveBack(PoolId pool, Lease lease, Instant now) {
        return end(
                pool,
                lease,
                Change.of("SET #backgroundUntilMillis = :now", "#backgroundGeneration = :generation"),
                now);
    }

    @Override
    public boolean complete(PoolId pool, Lease lease, Instant now, Instant aliveUntil) {
        Change change = Change.of(
                        "SET #backgroundUntilMillis = :now, #controllerAliveUntilMillis = :alive",
                        "#backgroundGeneration = :generation")
                .value(":alive", aliveUntil);
        return end(pool, lease, change, now);
    }

    private boolean end(PoolId pool, Lease lease, Change change, Instant now) {
        change.value(":now", now).value(":generation", lease.generation());
        return table.update(Key.of(pool), change, Table.Own.NOTHING).isApplied();
    }
}
