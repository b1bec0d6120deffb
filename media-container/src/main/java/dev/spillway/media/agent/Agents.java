package dev.spillway.media.agent;

import dev.spillway.core.tenant.Tenant;

/** Makes the agent for one call from its tenant's persona. */
@FunctionalInterface
public interface Agents {
    Agent forCall(Tenant tenant, Line line);
}
