package dev.spillway.adapters.ecs;

import dev.spillway.core.pool.Fleet;
import java.util.List;
import software.amazon.awssdk.services.ecs.EcsClient;

/** Pools' services on one ECS cluster. */
public final class EcsFleet implements Fleet {
    public EcsFleet(EcsClient client, String cluster) {}

    @Override
    public Service describe(String service) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Task> tasks(String service) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setDesired(String service, int desired) {
        throw new UnsupportedOperationException();
    }
}
