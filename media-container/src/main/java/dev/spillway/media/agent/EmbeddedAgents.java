package dev.spillway.media.agent;

import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import java.time.Duration;
import java.util.List;

/**
 * The agents that are built in, by the name that a persona gives: {@code scripted} and {@code echo}; {@code upstream} is
 * answered by the scripted one where the tenant's own bot is not.
 *
 * @param think how long the scripted one thinks before it answers
 * @param cpu computing that each of them does for a frame that it hears; zero but in load tests
 */
public record EmbeddedAgents(Duration think, Duration cpu) implements Agents {
    /** The names that a persona may give. */
    public static final List<String> NAMES = List.of("scripted", "echo", Persona.UPSTREAM);

    /** Agents that compute nothing. */
    public EmbeddedAgents(Duration think) {
        this(think, Duration.ZERO);
    }

    /** @throws IllegalArgumentException if the persona's agent is none of {@link #NAMES} */
    @Override
    public Agent forCall(Tenant tenant, Line line) {
        Agent agent = named(tenant, line);
        return cpu.isZero() ? agent : new CostlyAgent(agent, cpu);
    }

    private Agent named(Tenant tenant, Line line) {
        Persona persona = tenant.persona();
        return switch (persona.agent()) {
            // Where the bot itself is not, as on the gateway, the persona's own sentences bridge the time.
            case "scripted", Persona.UPSTREAM -> new ScriptedAgent(tenant, line, think);
            case "echo" -> new EchoAgent(line);
            default ->
                throw new IllegalArgumentException("tenant " + tenant.id() + " names the agent '" + persona.agent()
                        + "', but the agents here are " + NAMES);
        };
    }
}
