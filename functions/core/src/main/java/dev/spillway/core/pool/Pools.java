package dev.spillway.core.pool;

import dev.spillway.core.DependencyException;
import dev.spillway.core.background.Lease;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The pools' own items in the table. {@code false} means that a condition did not hold and nothing changed. Everything
 * may throw {@link DependencyException}; an unreadable pool is never read as an empty one.
 */
public interface Pools {
    /** A consistent look at the pool and its containers; empty when there is surely no such pool. */
    Optional<PoolView> read(PoolId id);

    /**
     * Writes the desired count and the decision IF the version is still the one seen, and raises the version. A count
     * that rises also starts {@link Pool#launchSince()} anew at the time of the decision: containers are on their way.
     *
     * @param lowering the container for which the count is lowered: recorded in the same write, and refused if it is
     *     recorded already, so that one container never lowers the count twice; null when the count rises
     * @return false if another writer was faster, the lowering is recorded already, or there is no such pool
     */
    boolean desire(PoolId id, int desired, long version, @Nullable ContainerId lowering, Pool.Decision decision);

    /** Records a decision that changed no count, so that the pool's status can say why. */
    void note(PoolId id, Pool.Decision decision);

    /** Starts the idle window again from {@code now}, unless it started later. */
    void restartIdleWindow(PoolId id, Instant now);

    /** Takes the scale-in lock IF it is free. */
    boolean lockScaleIn(PoolId id, Instant now, Instant until);

    /** Forgets that the count was lowered for a container that is gone. */
    void forget(PoolId id, ContainerId gone);

    void recordLaunches(PoolId id, Pool.Launches launches, Instant launchSince);

    /**
     * The same pools for one shift of background work: every write also requires that the lease's generation is still the
     * pool's, so that a holder which slept changes nothing once another came.
     *
     * @return writes to that pool alone; it throws {@link IllegalArgumentException} for a write to another
     */
    Pools under(PoolId id, Lease lease);

    /**
     * Writes the order IF the last one of the same subject is still the one seen, in force or not.
     *
     * @param seen null if there was none
     */
    boolean order(PoolId id, Order order, @Nullable OrderId seen);

    /** Takes the order away IF it is still the last one of its subject. */
    boolean endOrder(PoolId id, Order order);

    /** Records the fleet's silence or its end; see {@link Pool#silentSince()} and {@link Pool#heardAgainAt()}. */
    void recordSilence(PoolId id, Instant silentSince, Instant heardAgainAt);
}
