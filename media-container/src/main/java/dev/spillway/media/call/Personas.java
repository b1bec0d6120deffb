package dev.spillway.media.call;

import dev.spillway.core.DependencyException;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tenants whose calls are answered here. The last good reading of each is kept, so that calls go on without the table;
 * a tenant that was never read has no persona, and its calls are refused: nobody is greeted by default.
 */
public final class Personas {
    private final Tenants tenants;
    private final Patience patience;
    private final Map<TenantId, Tenant> known = new ConcurrentHashMap<>();

    public Personas(Tenants tenants, Patience patience) {
        this.tenants = tenants;
        this.patience = patience;
    }

    /**
     * @return the tenant, or empty when there is surely none of that name
     * @throws DependencyException when it cannot be read and never was
     */
    public Optional<Tenant> find(TenantId id) {
        try {
            Optional<Tenant> found = patience.ask("table", () -> tenants.find(id));
            found.ifPresentOrElse(tenant -> known.put(id, tenant), () -> known.remove(id));
            return found;
        } catch (DependencyException e) {
            Tenant last = known.get(id);
            if (last == null) {
                throw e;
            }
            return Optional.of(last);
        }
    }

    /**
     * As {@link #find(TenantId)}, while a call waits: a tenant that was never read is worth all the time there is.
     *
     * @param atMost how long a first reading may take
     */
    public Optional<Tenant> find(TenantId id, Duration atMost) {
        if (known.containsKey(id)) {
            return find(id);
        }
        Optional<Tenant> found = patience.await("table", atMost, () -> tenants.find(id));
        found.ifPresent(tenant -> known.put(id, tenant));
        return found;
    }

    /**
     * Reads every tenant ahead of its first call: whoever may take anybody's calls must not learn who they are from the
     * call itself, when the table may not answer. What cannot be read now is read next time.
     */
    public void learnAll() {
        try {
            for (TenantId id : tenants.all()) {
                tenants.find(id).ifPresent(tenant -> known.put(id, tenant));
            }
        } catch (DependencyException e) {
            // Those known stay known.
        }
    }
}
