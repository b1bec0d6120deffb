package dev.spillway.core.scaling;

import dev.spillway.core.pool.PoolView;
import java.time.Instant;

/** Work that waits for slots without being on the phone. */
@FunctionalInterface
public interface Backlog {
    /** None, ever. */
    Backlog NONE = (view, now) -> 0;

    /** How many calls could be made now if there were slots, within the outbound limit. */
    int due(PoolView view, Instant now);
}
