package dev.spillway.lambda;

import dev.spillway.adapters.twilio.StreamTarget;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.stream.StreamKey;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where each pool's streams are opened. The gateway's address is configuration; a tenant pool's is read once and kept as
 * long as this process lives: it is made of the pool's name and the deployment's domain, and neither of them changes for a
 * pool that is there. A tenant's own deployment replaces no function.
 */
final class StreamTargets implements Function<PoolId, StreamTarget> {
    private final Pools pools;
    private final Function<PoolId, StreamKey> keys;
    private final @Nullable String gatewayUrl;
    private final Map<PoolId, String> urls = new ConcurrentHashMap<>();

    /** Null until it was fetched once; it stays the same as long as this process lives. */
    private volatile @Nullable StreamKey gatewayKey;

    StreamTargets(Pools pools, Function<PoolId, StreamKey> keys, @Nullable String gatewayUrl) {
        this.pools = pools;
        this.keys = keys;
        this.gatewayUrl = gatewayUrl;
    }

    boolean hasGatewayUrl() {
        return gatewayUrl != null;
    }

    @Override
    public StreamTarget apply(PoolId pool) {
        return new StreamTarget(url(pool), keys.apply(pool));
    }

    private String url(PoolId pool) {
        if (pool.isGateway() && gatewayUrl != null) {
            return gatewayUrl;
        }
        return urls.computeIfAbsent(
                pool,
                id -> pools.read(id)
                        .orElseThrow(() -> new IllegalStateException("there is no pool item for " + id))
                        .pool()
                        .streamUrl());
    }

    /** The key of a pool; at once, if that of another was fetched before. */
    StreamKey key(PoolId pool) {
        return keys.apply(pool);
    }

    /** Fetches the gateway's key, so that it is at hand when everything else fails. */
    StreamKey gatewayKey() {
        StreamKey key = keys.apply(PoolId.GATEWAY);
        gatewayKey = key;
        return key;
    }

    /** The gateway's key if it was fetched before. */
    Optional<StreamKey> gatewayKeyAtHand() {
        return Optional.ofNullable(gatewayKey);
    }
}
