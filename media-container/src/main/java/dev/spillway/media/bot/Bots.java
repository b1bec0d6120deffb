package dev.spillway.media.bot;

import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Persona.Bot;
import dev.spillway.core.tenant.Tenant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which calls a bot of the tenant's own answers here. The bot that this container was told of, usually a second container of
 * its own task, comes before the one that the persona names, which can be reached from everywhere. On the gateway a tenant
 * whose persona names no bot has the embedded agent with the persona's own sentences until the call is handed over.
 *
 * @param own the bot of this container; null on the gateway and where the persona decides
 */
public record Bots(@Nullable Bot own, BotLimits limits) {
    /** Only embedded agents and bots that personas name. */
    public static final Bots NONE = new Bots(null, BotLimits.STANDARD);

    /** Empty if an embedded agent answers. */
    public Optional<Bot> of(Tenant tenant) {
        if (!tenant.persona().agent().equals(Persona.UPSTREAM)) {
            return Optional.empty();
        }
        return own != null
                ? Optional.of(own)
                : Optional.ofNullable(tenant.persona().bot());
    }
}
