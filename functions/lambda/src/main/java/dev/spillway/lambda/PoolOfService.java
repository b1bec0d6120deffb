package dev.spillway.lambda;

import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.Tenants;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Which pool an ECS service belongs to, as ECS's own events name only the service. */
final class PoolOfService {
    private final Tenants tenants;
    private final Pools pools;
    private final Map<String, PoolId> known = new ConcurrentHashMap<>();

    PoolOfService(Tenants tenants, Pools pools) {
        this.tenants = tenants;
        this.pools = pools;
    }

    /** Empty for a service that is none of ours, or was none a moment ago. Reads the pools only for an unknown name. */
    Optional<PoolId> find(String service) {
        PoolId pool = known.get(service);
        if (pool != null) {
            return Optional.of(pool);
        }
        Stream.concat(Stream.of(PoolId.GATEWAY), tenants.all().stream().map(PoolId::of))
                .filter(id -> !known.containsValue(id))
                .flatMap(id -> pools.read(id).stream())
                .forEach(view -> known.put(view.pool().service(), view.pool().id()));
        return Optional.ofNullable(known.get(service));
    }
}
