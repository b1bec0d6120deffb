package dev.spillway.media.agent;

import dev.spillway.core.DependencyException;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import dev.spillway.media.bot.Bots;
import java.util.List;
import java.util.Optional;

/**
 * Tenants whose agent is built in. One that names another is as good as unreadable: a container of its own does not become
 * READY, and the gateway does not greet its callers with an agent that it guessed.
 */
public final class AnswerableTenants implements Tenants {
    private final Tenants all;
    private final Bots bots;
    private final boolean gateway;

    /**
     * @param bots which bots this container knows
     * @param gateway whether a tenant's own bot may be missing: the embedded agent bridges the time until the hand-off
     */
    public AnswerableTenants(Tenants all, Bots bots, boolean gateway) {
        this.all = all;
        this.bots = bots;
        this.gateway = gateway;
    }

    /**
     * @throws DependencyException also if the tenant's agent is none of {@link EmbeddedAgents#NAMES}, or is a bot that nobody
     *     has told where it is
     */
    @Override
    public Optional<Tenant> find(TenantId id) {
        Optional<Tenant> found = all.find(id);
        found.filter(tenant -> tenant.persona().agent().equals(Persona.UPSTREAM) && !gateway)
                .filter(tenant -> bots.of(tenant).isEmpty())
                .ifPresent(tenant -> {
                    String problem = "the agent of " + id + " is a bot of its own, and nobody says where: set"
                            + " SPILLWAY_BOT_URL, or the bot's url in its persona";
                    throw new DependencyException("persona", problem, new IllegalArgumentException(Persona.UPSTREAM));
                });
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
