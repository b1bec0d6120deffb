package dev.spillway.adapters.dynamodb;

import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The pools' items. */
public final class DynamoPools implements Pools {
    public DynamoPools(DynamoDbClient client, String table) {}

    @Override
    public Optional<PoolView> read(PoolId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean desire(
            PoolId id, int desired, long version, @Nullable ContainerId lowering, Pool.Decision decision) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void note(PoolId id, Pool.Decision decision) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void restartIdleWindow(PoolId id, Instant now) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean lockScaleIn(PoolId id, Instant now, Instant until) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void forget(PoolId id, ContainerId gone) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void recordLaunches(PoolId id, Pool.Launches launches, Instant launchSince) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void recordSilence(PoolId id, Instant silentSince, Instant heardAgainAt) {
        throw new UnsupportedOperationException();
    }

    /** Puts the item as it is, whatever was there: for set-up. */
    public void put(Pool pool) {
        if (pool.desired() >= 0) {
            throw new UnsupportedOperationException();
        }
    }

    /** Creates the pool, or brings an existing one's policy, service and stream URL up to date and leaves its figures alone. */
    public void describe(Pool pool) {
        if (pool.desired() >= 0) {
            throw new UnsupportedOperationException();
        }
    }
}
