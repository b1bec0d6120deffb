package dev.spillway.adapters.dynamodb;

import dev.spillway.core.background.Lease;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Outbound.Pace;
import dev.spillway.core.outbound.OutboundLines;
import dev.spillway.core.pool.PoolId;
import java.time.Instant;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * The outbound side of the pools' items. A call out is entered by
 *
 * <pre>{@code
 * SET outbound.#job = :generation, pace = :pace
 * IF  dialerGeneration = :lease AND size(outbound) < :limit AND attribute_not_exists(outbound.#job)
 * }</pre>
 */
public final class DynamoOutboundLines implements OutboundLines {
    private final Table table;

    public DynamoOutboundLines(DynamoDbClient client, String table) {
        this.table = new Table(client, table);
    }

    @Override
    public Optional<Lease> lead(PoolId pool, String holder, Instant now, Instant until) {
        Change change = Change.of(
                        "SET #dialerHolder = :holder, #dialerUntilMillis = :until,"
                                + " #dialerGeneration = if_not_exists(#dialerGeneration, :none) + :one",
                        "attribute_exists(#pk) AND (attribute_not_exists(#dialerUntilMillis)"
                                + " OR #dialerUntilMillis <= :now)")
                .value(":holder", holder)
                .value(":until", until)
                .value(":now", now)
                .value(":none", 0)
                .value(":one", 1);
        Table.Own own = (found, replyLost) -> found.flatMap(item -> item.optionalText("dialerHolder"))
                .filter(holder::equals)
                .isPresent();
        return switch (table.update(Key.of(pool), change, own)) {
            case Written.Applied applied -> Optional.of(applied.item().decode(OutboundCodec::decodeLease));
            case Written.Refused refused -> Optional.empty();
        };
    }

    @Override
    public boolean extend(PoolId pool, Lease lease, Instant until) {
        Change change = Change.of("SET #dialerUntilMillis = :until", "#dialerGeneration = :generation")
                .value(":until", until)
                .value(":generation", lease.generation());
        return table.update(Key.of(pool), change, Table.Own.NOTHING).isApplied();
    }

    @Override
    public boolean enter(PoolId pool, Lease lease, JobId job, Generation generation, int limit, Pace pace) {
        Change change = Change.of(
                        "SET #outbound.#job = :generation, #pace = :pace",
                        "#dialerGeneration = :lease AND size(#outbound) < :limit"
                                + " AND attribute_not_exists(#outbound.#job)")
                .name("#job", job.value())
                .value(":generation", generation.toString())
                .value(":pace", OutboundCodec.encode(pace))
                .value(":lease", lease.generation())
                .value(":limit", limit);
        Table.Own own = (found, replyLost) -> entered(found, job, generation);
        return table.update(Key.of(pool), change, own).isApplied();
    }

    @Override
    public boolean leave(PoolId pool, JobId job, Generation generation) {
        Change change = Change.of("REMOVE #outbound.#job", "#outbound.#job = :generation")
                .name("#job", job.value())
                .value(":generation", generation.toString());
        Table.Own own = (found, replyLost) -> replyLost && found.isPresent() && !entered(found, job, generation);
        return table.update(Key.of(pool), change, own).isApplied();
    }

    @Override
    public boolean withdraw(PoolId pool, JobId job, Generation generation, Instant countedAt) {
        Change change = Change.of(
                        "SET #pace.#dialsOfDay = #pace.#dialsOfDay - :one REMOVE #outbound.#job",
                        "#outbound.#job = :generation AND #pace.#dayEpochDay = :day AND #pace.#dialsOfDay >= :one")
                .name("#job", job.value())
                .value(":generation", generation.toString())
                .value(":day", OutboundCodec.dayOf(countedAt))
                .value(":one", 1);
        Table.Own own = (found, replyLost) -> replyLost && found.isPresent() && !entered(found, job, generation);
        return table.update(Key.of(pool), change, own).isApplied() || leave(pool, job, generation);
    }

    /** After a lost reply nobody watches, and the next minute's run looks again. */
    @Override
    public boolean watch(PoolId pool, Instant now, Instant until) {
        Change change = Change.of(
                        "SET #dialerWatchUntilMillis = :until",
                        "attribute_exists(#pk) AND (attribute_not_exists(#dialerWatchUntilMillis)"
                                + " OR #dialerWatchUntilMillis <= :now OR #dialerWatchUntilMillis > :until)")
                .value(":until", until)
                .value(":now", now);
        return table.update(Key.of(pool), change, Table.Own.NOTHING).isApplied();
    }

    private static boolean entered(Optional<Item> found, JobId job, Generation generation) {
        return found.flatMap(item -> item.optionalMap(OutboundCodec.CALLS))
                .flatMap(calls -> calls.optionalText(job.value()))
                .filter(generation.toString()::equals)
                .isPresent();
    }
}
