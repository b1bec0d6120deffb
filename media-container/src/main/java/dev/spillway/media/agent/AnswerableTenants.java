package dev.spillway.media.agent;

import dev.spillway.core.DependencyException;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.util.List;
import java.util.Optional;

/**
 * Tenants whose agent is built in. One that names another is as good as unreadable: a container of its own does not become
 * READY, and the gateway does not greet its callers with an agent that it guessed.
 */
public final class AnswerableTenants implements Tenants {
    private final Tenants all;

    public AnswerableTenants(Tenants all) {
        this.all = all;
    }

    /** @throws DependencyException also if the tenant's agent is none of {@link EmbeddedAgents#NAMES} */
    @Override
    public Optional<Tenant> find(TenantId id) {
        Optional<Tenant> found = all.find(id);
        found.map(tenant -> tenant.persona().agent())
                .filter(agent -> !EmbeddedAgents.NAMES.contains(agent))
                .ifPresent(agent -> {
                    String problem = "the agent of " + id + " is '" + agent + "', want one of " + EmbeddedAgents.NAMES;
                    throw new DependencyException("persona", problem, new IllegalArgumentException(agent));
                });
        return found;
    }

    @Override
    public List<TenantId> all() {
        return all.all();
    }
}
