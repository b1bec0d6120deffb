package dev.spillway.core.background;

import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import java.time.Duration;
import java.time.Instant;

/**
 * The leases of the pools' background work, and the controller's heartbeat beside them. Each is one conditional write on
 * the pool's item; {@code false} means that the condition did not hold. Everything may throw {@link DependencyException}.
 */
public interface Leases {
    /** What came of asking for a lease. */
    sealed interface Taking {
        /**
         * @param pool as it is after the write, with the lease
         * @param unfinished how often in a row this work took the lease before and did not complete: failures, and visits
         *     that were killed
         */
        record Taken(Pool pool, int unfinished) implements Taking {
            public Lease lease() {
                return pool.background().lease();
            }
        }

        /** @param by its holder, or whoever held it a moment ago */
        record Held(Lease by) implements Taking {}

        /** There is no such pool. */
        record NoPool() implements Taking {}
    }

    /**
     * Takes the lease IF it has run out, under the next generation. The same write counts the visit as unfinished until it
     * is completed, so that one whose process dies is counted too.
     *
     * @param holder the name of the work, a space, and what was never used before
     */
    Taking take(PoolId pool, String holder, Instant now, Instant until);

    /** Ends the lease now IF its generation is still this one; the visit was not complete. */
    boolean giveBack(PoolId pool, Lease lease, Instant now);

    /** As {@link #giveBack}, after a complete visit: writes the controller's heartbeat too, and its work has no failures. */
    boolean complete(PoolId pool, Lease lease, Instant now, Instant aliveUntil);

    /**
     * Notes that an alert about a pool's background work is raised now IF none was within the last {@code apart}: whoever is
     * told {@code true} raises it.
     */
    boolean mayAlert(PoolId pool, Instant now, Duration apart);
}
