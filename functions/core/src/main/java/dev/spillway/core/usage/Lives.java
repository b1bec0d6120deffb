package dev.spillway.core.usage;

import dev.spillway.core.pool.PoolId;
import java.time.Instant;
import java.util.List;

/** The containers that a pool had. */
@FunctionalInterface
public interface Lives {
    /** Those that ended at or after {@code since}; the ones that go on are in the pool itself. */
    List<Life> endedSince(PoolId pool, Instant since);
}
