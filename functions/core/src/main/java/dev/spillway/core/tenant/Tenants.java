package dev.spillway.core.tenant;

import dev.spillway.core.DependencyException;
import java.util.List;
import java.util.Optional;

/** The directory of tenants. Reads may be up to a minute old: a tenant changes by deployment, not by call. */
public interface Tenants {
    /**
     * @return the tenant, or empty when there is surely none of that name
     * @throws DependencyException when the table cannot be read and no copy is at hand
     */
    Optional<Tenant> find(TenantId id);

    /** Every tenant's id, for the schedules that visit all pools. */
    List<TenantId> all();
}
