package dev.spillway.adapters.dynamodb;

import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.usage.Life;
import dev.spillway.core.usage.Lives;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * The lives of a pool's containers that are gone: {@code {pool}#lives}, an item for each, written when the container's own
 * item is removed. A life ends with the container's last change of state, so that it is the same whoever records it.
 */
public final class DynamoLives implements Lives {
    /** A month can be billed, and some days after it. */
    private static final Duration KEPT = Duration.ofDays(40);

    private final Table table;

    public DynamoLives(DynamoDbClient client, String table) {
        this(new Table(client, table));
    }

    DynamoLives(Table table) {
        this.table = table;
    }

    void record(Container gone) {
        Instant end = gone.stateSince().isBefore(gone.startedAt()) ? gone.startedAt() : gone.stateSince();
        table.put(
                new Key(partition(gone.pool()), gone.id().value()),
                Map.of(
                        "version", Attributes.of(1),
                        "fromMillis", Attributes.millis(gone.startedAt()),
                        "untilMillis", Attributes.millis(end),
                        "expiresAt", Attributes.of(end.plus(KEPT).getEpochSecond())));
    }

    @Override
    public List<Life> endedSince(PoolId pool, Instant since) {
        return table.query(partition(pool)).stream()
                .map(item -> item.decode(life -> new Life(life.instant("fromMillis"), life.instant("untilMillis"))))
                .filter(life -> !life.until().isBefore(since))
                .toList();
    }

    private static String partition(PoolId pool) {
        return pool + "#lives";
    }
}
