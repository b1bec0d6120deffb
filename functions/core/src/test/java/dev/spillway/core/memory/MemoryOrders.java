package dev.spillway.core.memory;

import dev.spillway.core.order.OrderId;
import dev.spillway.core.order.OrderLog;
import dev.spillway.core.pool.PoolId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class MemoryOrders implements OrderLog {
    private record Key(PoolId pool, OrderId order) {}

    private final Operations operations;
    private final Map<Key, Entry> entries = new HashMap<>();

    MemoryOrders(Operations operations) {
        this.operations = operations;
    }

    @Override
    public void write(PoolId pool, Entry entry) {
        operations.perform(
                Operation.ORDERS_WRITE,
                () -> entries.put(new Key(pool, entry.order().id()), entry));
    }

    @Override
    public List<Entry> newest(PoolId pool, int most) {
        return operations.perform(
                Operation.ORDERS_NEWEST,
                () -> entries.entrySet().stream()
                        .filter(entry -> entry.getKey().pool().equals(pool))
                        .map(Map.Entry::getValue)
                        .sorted(Comparator.comparing(
                                        (Entry entry) -> entry.order().since())
                                .reversed())
                        .limit(most)
                        .toList());
    }
}
