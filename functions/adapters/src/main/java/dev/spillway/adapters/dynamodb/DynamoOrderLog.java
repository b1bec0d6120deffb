package dev.spillway.adapters.dynamodb;

import dev.spillway.core.order.OrderLog;
import dev.spillway.core.pool.PoolId;
import java.util.List;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The orders' own items, beside the pool's partition: a look at the pool does not read them. */
public final class DynamoOrderLog implements OrderLog {
    private final Table table;

    public DynamoOrderLog(DynamoDbClient client, String table) {
        this.table = new Table(client, table);
    }

    @Override
    public void write(PoolId pool, Entry entry) {
        if (entry.stage() == Stage.ENDING) {
            Change notEnded = Change.onlyIf("attribute_not_exists(#stage) OR #stage <> :ended")
                    .value(":ended", OrderCodec.encode(Stage.ENDED));
            table.put(Key.of(pool, entry.order()), OrderCodec.encode(entry), notEnded, Table.Own.NOTHING);
        } else {
            table.put(Key.of(pool, entry.order()), OrderCodec.encode(entry));
        }
    }

    @Override
    public List<Entry> newest(PoolId pool, int most) {
        return table.query(Key.ordersPartition(pool)).reversed().stream()
                .limit(most)
                .map(item -> item.decode(OrderCodec::decodeEntry))
                .toList();
    }
}
