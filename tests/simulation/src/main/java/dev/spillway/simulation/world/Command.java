package dev.spillway.simulation.world;

import dev.spillway.core.order.Order;
import dev.spillway.core.tenant.TenantId;
import java.util.ArrayList;
import java.util.List;

/**
 * An operator's order, as a scenario draws it.
 *
 * @param endedAfterMicros when it is ended before its time; negative if it runs out
 */
record Command(int number, TenantId tenant, Order.What what, long atMicros, long forMicros, long endedAfterMicros) {
    private static final long SECOND = 1_000_000;

    String name() {
        return "order " + number + " " + what.text();
    }

    static List<Command> of(long seed, List<TenantId> tenants, long active) {
        Chance chance = Chance.of(seed, "orders");
        if (!chance.hits(0.2)) {
            return List.of();
        }
        List<Command> commands = new ArrayList<>();
        int many = 1 + chance.below(3);
        for (int i = 1; i <= many; i++) {
            Order.What what = switch (chance.below(5)) {
                case 0 -> new Order.Pause();
                case 1 -> new Order.Pin(1 + chance.below(3));
                case 2 -> new Order.Drain();
                case 3 -> new Order.ToGateway();
                default -> new Order.StopOutbound();
            };
            long at = chance.between(5 * SECOND, active * 3 / 4);
            long lasts = Math.min(chance.between(20, 200) * SECOND, active - at);
            long endedAfter = chance.hits(0.3) ? chance.between(5 * SECOND, lasts) : -1;
            commands.add(new Command(i, chance.oneOf(tenants), what, at, lasts, endedAfter));
        }
        return List.copyOf(commands);
    }
}
