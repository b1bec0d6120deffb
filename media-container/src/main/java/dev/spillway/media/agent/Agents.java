package dev.spillway.media.agent;

import dev.spillway.core.tenant.Tenant;
import java.util.Map;

/** Makes the agent for one call from its tenant's persona. */
@FunctionalInterface
public interface Agents {
    Agent forCall(Tenant tenant, Line line);

    /** @param parameters of the call's media stream */
    default Agent forCall(Tenant tenant, Line line, Map<String, String> parameters) {
        return forCall(tenant, line);
    }
}
