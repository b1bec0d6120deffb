package dev.spillway.adapters.dynamodb;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Offer;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import java.time.Instant;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The containers' items: claims, states, heartbeats. */
public final class DynamoContainers implements Containers {
    public DynamoContainers(DynamoDbClient client, String table) {}

    @Override
    public Optional<Container> find(PoolId pool, ContainerId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ClaimResult claim(PoolId pool, ContainerId id, CallSid call, Claim claim, int limit, Instant now) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean release(PoolId pool, ContainerId id, CallSid call, Generation generation) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean coolDown(PoolId pool, ContainerId id, CallSid call, Generation generation) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean announce(PoolId pool, ContainerId id, CallSid call, Generation generation, Offer offer) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean become(
            PoolId pool,
            ContainerId id,
            ContainerState from,
            ContainerState to,
            boolean onlyWithoutClaims,
            String reason,
            Instant now) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void allowExit(PoolId pool, ContainerId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void remove(PoolId pool, ContainerId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean register(Container container) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Container> heartbeat(
            PoolId pool, ContainerId id, String bootId, Report report, Instant aliveUntil, Instant protectedUntil) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Claim> connect(PoolId pool, ContainerId id, CallSid call, Generation generation) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean admit(PoolId pool, ContainerId id, String bootId, CallSid call, Claim claim, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean end(PoolId pool, ContainerId id, CallSid call, Generation generation) {
        throw new UnsupportedOperationException();
    }
}
