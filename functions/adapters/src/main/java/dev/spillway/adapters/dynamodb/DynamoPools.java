package dev.spillway.adapters.dynamodb;

import dev.spillway.core.background.Lease;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderId;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The pools' items. One query reads a pool and its containers. */
public final class DynamoPools implements Pools {
    private static final String EXISTS = "attribute_exists(#pk)";

    private final Table table;
    private final @Nullable Fence fence;

    public DynamoPools(DynamoDbClient client, String table) {
        this(new Table(client, table), null);
    }

    private DynamoPools(Table table, @Nullable Fence fence) {
        this.table = table;
        this.fence = fence;
    }

    @Override
    public Pools under(PoolId id, Lease lease) {
        return new DynamoPools(table, new Fence(id, lease));
    }

    private Written update(PoolId id, Change change, Table.Own own) {
        return table.update(Key.of(id), fence == null ? change : fence.onPool(id, change), own);
    }

    @Override
    public Optional<PoolView> read(PoolId id) {
        List<Item> items = table.query(Key.poolPartition(id));
        List<Container> containers = items.stream()
                .filter(item -> item.text(Key.SORT).startsWith(Key.CONTAINER))
                .map(item -> item.decode(ContainerCodec::decode))
                .toList();
        return items.stream()
                .filter(item -> item.text(Key.SORT).equals(Key.POOL))
                .findFirst()
                .map(item -> new PoolView(item.decode(PoolCodec::decode), containers));
    }

    @Override
    public boolean desire(
            PoolId id, int desired, long version, @Nullable ContainerId lowering, Pool.Decision decision) {
        if (lowering != null) {
            return lower(id, desired, version, lowering, decision);
        }
        // The version holds the count still, so a second write decides nothing that the first did not see.
        Mark mark = Mark.fresh();
        Change rise = change(", #launchSinceMillis = :at", " AND #desired < :desired", desired, version, decision, mark)
                .value(":at", decision.at());
        if (update(id, rise, mark.in("desiredMark")).isApplied()) {
            return true;
        }
        Change rest = change("", " AND #desired >= :desired", desired, version, decision, mark);
        return update(id, rest, mark.in("desiredMark")).isApplied();
    }

    private boolean lower(PoolId id, int desired, long version, ContainerId lowering, Pool.Decision decision) {
        Mark mark = Mark.fresh();
        Change change = change(
                        ", #lowered.#lowering = :at",
                        " AND attribute_not_exists(#lowered.#lowering)",
                        desired,
                        version,
                        decision,
                        mark)
                .name("#lowering", lowering.value())
                .value(":at", decision.at());
        return update(id, change, mark.in("desiredMark")).isApplied();
    }

    private static Change change(
            String alsoSet, String alsoIf, int desired, long version, Pool.Decision decision, Mark mark) {
        return Change.of(
                        "SET #desired = :desired, #desiredVersion = :next, #desiredMark = :mark, "
                                + PoolCodec.deciding(":decision", ":empty") + alsoSet,
                        "#desiredVersion = :seen" + alsoIf)
                .value(":desired", desired)
                .value(":seen", version)
                .value(":next", version + 1)
                .value(":decision", PoolCodec.encode(decision))
                .value(":empty", PoolCodec.NO_DECISION)
                .value(":mark", mark.text());
    }

    @Override
    public void note(PoolId id, Pool.Decision decision) {
        update(
                id,
                Change.of("SET " + PoolCodec.deciding(":decision", ":empty"), EXISTS)
                        .value(":decision", PoolCodec.encode(decision))
                        .value(":empty", PoolCodec.NO_DECISION),
                Table.Own.NOTHING);
    }

    @Override
    public void restartIdleWindow(PoolId id, Instant now) {
        update(
                id,
                Change.of("SET #idleSinceMillis = :now", "#idleSinceMillis < :now")
                        .value(":now", now),
                Table.Own.NOTHING);
    }

    @Override
    public boolean lockScaleIn(PoolId id, Instant now, Instant until) {
        Mark mark = Mark.fresh();
        Change change = Change.of(
                        "SET #scaleInLockedUntilMillis = :until, #scaleInMark = :mark",
                        "#scaleInLockedUntilMillis <= :now")
                .value(":now", now)
                .value(":until", until)
                .value(":mark", mark.text());
        return update(id, change, mark.in("scaleInMark")).isApplied();
    }

    @Override
    public void forget(PoolId id, ContainerId gone) {
        update(id, Change.of("REMOVE #lowered.#gone", EXISTS).name("#gone", gone.value()), Table.Own.NOTHING);
    }

    /** Never takes {@link Pool#launchSince()} back: the caller may have read it before a newer launch began. */
    @Override
    public void recordLaunches(PoolId id, Pool.Launches launches, Instant launchSince) {
        Change both = Change.of(
                        "SET #launches = :launches, #launchSinceMillis = :since", "#launchSinceMillis <= :since")
                .value(":launches", PoolCodec.encode(launches))
                .value(":since", launchSince);
        if (!update(id, both, Table.Own.NOTHING).isApplied()) {
            Change launchesAlone =
                    Change.of("SET #launches = :launches", EXISTS).value(":launches", PoolCodec.encode(launches));
            update(id, launchesAlone, Table.Own.NOTHING);
        }
    }

    @Override
    public boolean order(PoolId id, Order order, @Nullable OrderId seen) {
        Change change = Change.of(
                        "SET #order = :order",
                        seen == null ? EXISTS + " AND attribute_not_exists(#order)" : "#order.#id = :seen")
                .name("#order", OrderCodec.attribute(order.what().subject()))
                .value(":order", OrderCodec.encode(order));
        if (seen != null) {
            change.value(":seen", seen.value());
        }
        Table.Own own = (found, replyLost) -> lastOrder(found, order.what().subject())
                .filter(last -> last.equals(order.id().value()))
                .isPresent();
        return update(id, change, own).isApplied();
    }

    @Override
    public boolean endOrder(PoolId id, Order order) {
        Change change = Change.of("REMOVE #order", "#order.#id = :ended")
                .name("#order", OrderCodec.attribute(order.what().subject()))
                .value(":ended", order.id().value());
        Table.Own own = (found, replyLost) -> replyLost
                && found.isPresent()
                && lastOrder(found, order.what().subject()).isEmpty();
        return update(id, change, own).isApplied();
    }

    private static Optional<String> lastOrder(Optional<Item> found, Order.Subject subject) {
        return found.flatMap(item -> item.optionalMap(OrderCodec.attribute(subject)))
                .map(order -> order.text("id"));
    }

    @Override
    public void recordSilence(PoolId id, Instant silentSince, Instant heardAgainAt) {
        update(
                id,
                Change.of("SET #silentSinceMillis = :silent, #heardAgainAtMillis = :heard", EXISTS)
                        .value(":silent", silentSince)
                        .value(":heard", heardAgainAt),
                Table.Own.NOTHING);
    }

    /** Puts the item as it is, whatever was there: for set-up. */
    public void put(Pool pool) {
        table.put(Key.of(pool.id()), PoolCodec.encode(pool));
    }

    /**
     * Creates the pool, or brings an existing one's policy, service and stream URL up to date and leaves its running figures
     * alone.
     */
    public void describe(Pool pool) {
        boolean created = table.put(
                        Key.of(pool.id()),
                        PoolCodec.encode(pool),
                        Change.onlyIf("attribute_not_exists(#pk)"),
                        Table.Own.NOTHING)
                .isApplied();
        if (!created) {
            Change described = Change.of(
                            "SET #policy = :policy, #service = :service, #streamUrl = :streamUrl,"
                                    + " #outboundPolicy = :outboundPolicy,"
                                    + " #outbound = if_not_exists(#outbound, :empty)",
                            EXISTS)
                    .value(
                            ":outboundPolicy",
                            OutboundCodec.encode(pool.outbound().policy()))
                    .value(":empty", Attributes.of(Map.of()))
                    .value(":policy", PoolCodec.encode(pool.policy()))
                    .value(":service", pool.service())
                    .value(":streamUrl", pool.streamUrl());
            update(pool.id(), described, Table.Own.NOTHING);
        }
    }
}
