package dev.spillway.adapters.dynamodb;

import dev.spillway.core.background.Lease;
import dev.spillway.core.background.Leases;
import dev.spillway.core.pool.PoolId;
import java.time.Duration;
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
                                + " #backgroundSinceMillis = if_not_exists(#backgroundSinceMillis, :now),"
                                + " #unfinished = if_not_exists(#unfinished, :none) + :one,"
                                + " #backgroundGeneration = if_not_exists(#backgroundGeneration, :none) + :one",
                        "attribute_exists(#pk) AND (attribute_not_exists(#backgroundUntilMillis)"
                                + " OR #backgroundUntilMillis <= :now)")
                .name("#unfinished", unfinished(holder))
                .value(":holder", holder)
                .value(":until", until)
                .value(":now", now)
                .value(":none", 0)
                .value(":one", 1);
        Table.Own own = (found, replyLost) -> found.flatMap(item -> item.optionalText("backgroundHolder"))
                .filter(holder::equals)
                .isPresent();
        return switch (table.update(Key.of(pool), change, own)) {
            case Written.Applied applied ->
                new Taking.Taken(applied.item().decode(PoolCodec::decode), (int)
                        (applied.item().optionalNumber(unfinished(holder)).orElse(1L) - 1));
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
                        "SET #backgroundUntilMillis = :now, #controllerAliveUntilMillis = :alive, #unfinished = :none",
                        "#backgroundGeneration = :generation")
                .name("#unfinished", unfinished(lease.holder()))
                .value(":none", 0)
                .value(":alive", aliveUntil);
        return end(pool, lease, change, now);
    }

    @Override
    public boolean mayAlert(PoolId pool, Instant now, Duration apart) {
        Change change = Change.of(
                        "SET #backgroundAlertMillis = :now",
                        "attribute_exists(#pk) AND (attribute_not_exists(#backgroundAlertMillis)"
                                + " OR #backgroundAlertMillis <= :before)")
                .value(":now", now)
                .value(":before", now.minus(apart));
        return table.update(Key.of(pool), change, Table.Own.NOTHING).isApplied();
    }

    /** The attribute in which a work's visits are counted that it has begun since its last complete one. */
    private static String unfinished(String holder) {
        return "backgroundUnfinished:" + new Lease(holder, 0, Instant.EPOCH).work();
    }

    private boolean end(PoolId pool, Lease lease, Change change, Instant now) {
        change.value(":now", now).value(":generation", lease.generation());
        return table.update(Key.of(pool), change, Table.Own.NOTHING).isApplied();
    }
}
