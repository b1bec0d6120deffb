package dev.spillway.media.call;

import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import java.time.Instant;

/**
 * Who this container is.
 *
 * @param address {@code host:port} at which the pool's other containers reach it
 */
public record Self(PoolId pool, ContainerId id, String bootId, String address, String revision, Instant startedAt) {}
