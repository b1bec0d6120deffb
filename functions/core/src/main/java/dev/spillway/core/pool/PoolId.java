package dev.spillway.core.pool;

import dev.spillway.core.tenant.TenantId;
import java.util.Optional;

/** Names a pool: a tenant's own, or the shared gateway. */
public record PoolId(String value) {
    public static final PoolId GATEWAY = new PoolId("gateway");

    public PoolId {
        if (!value.equals("gateway")) {
            new TenantId(value);
        }
    }

    public static PoolId of(TenantId tenant) {
        return new PoolId(tenant.value());
    }

    public boolean isGateway() {
        return value.equals("gateway");
    }

    /** The tenant whose pool this is; empty for the gateway. */
    public Optional<TenantId> tenant() {
        return TenantId.parse(value);
    }

    @Override
    public String toString() {
        return value;
    }
}
