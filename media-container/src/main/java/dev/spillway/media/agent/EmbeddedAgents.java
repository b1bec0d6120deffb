package dev.spillway.media.agent;

import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The agents that are built in, by the name that a persona gives: {@code scripted} and {@code echo}; {@code upstream} is
 * answered by the scripted one where the tenant's own bot is not.
 *
 * @param think how long the scripted one thinks before it answers
 * @param cpu computing that each of them does for a frame that it hears; zero but in load tests
 * @param rehearses whether a stream's parameters may say how the scripted one is to behave; false but in load tests
 */
public record EmbeddedAgents(Duration think, Duration cpu, boolean rehearses) implements Agents {
    /** The names that a persona may give. */
    public static final List<String> NAMES = List.of("scripted", "echo", Persona.UPSTREAM);

    /** Agents that compute nothing. */
    public EmbeddedAgents(Duration think) {
        this(think, Duration.ZERO, false);
    }

    /** @throws IllegalArgumentException if the persona's agent is none of {@link #NAMES} */
    @Override
    public Agent forCall(Tenant tenant, Line line) {
        return forCall(tenant, line, Map.of());
    }

    /** @throws IllegalArgumentException if the persona's agent is none of {@link #NAMES} */
    @Override
    public Agent forCall(Tenant tenant, Line line, Map<String, String> parameters) {
        Agent agent = named(tenant, line, rehearses ? Rehearsal.of(parameters) : Rehearsal.NONE);
        return cpu.isZero() ? agent : new CostlyAgent(agent, cpu);
    }

    private Agent named(Tenant tenant, Line line, Rehearsal rehearsal) {
        Persona persona = tenant.persona();
        return switch (persona.agent()) {
            // Where the bot itself is not, as on the gateway, the persona's own sentences bridge the time.
            case "scripted", Persona.UPSTREAM -> new ScriptedAgent(tenant, line, think, rehearsal);
            case "echo" -> new EchoAgent(line);
            default ->
                throw new IllegalArgumentException("tenant " + tenant.id() + " names the agent '" + persona.agent()
                        + "', but the agents here are " + NAMES);
        };
    }
}
