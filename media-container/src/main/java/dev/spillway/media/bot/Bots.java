package dev.spillway.media.bot;

import dev.spillway.core.call.Answer;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Persona.Bot;
import dev.spillway.core.tenant.Tenant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which calls a bot of the tenant's own answers here. The bot that this container was told of, usually a second container of
 * its own task, comes before the one that the persona names, which can be reached from everywhere. On the gateway a tenant
 * whose persona names no bot has the embedded agent with the persona's own sentences until the call is handed over.
 *
 * @param own the bot of this container; null on the gateway and where the persona decides
 * @param transferTo numbers, or how they begin, to which calls may be given from here; none unless they are named: whoever
 *     talks a bot into calling a number calls it at the tenant's expense
 */
public record Bots(@Nullable Bot own, BotLimits limits, List<String> transferTo) {
    /** Only embedded agents and bots that personas name. */
    public static final Bots NONE = new Bots(null, BotLimits.STANDARD, List.of());

    private static final Pattern NUMBER_OR_BEGINNING = Pattern.compile("\\+[1-9][0-9]{0,14}");

    public Bots {
        transferTo = List.copyOf(transferTo);
        for (String number : transferTo) {
            if (!NUMBER_OR_BEGINNING.matcher(number).matches()) {
                throw new IllegalArgumentException("want numbers in E.164, or how they begin");
            }
        }
    }

    /** Whether a call may be given to that number. */
    public boolean mayTransferTo(String number) {
        return Answer.Transfer.isNumber(number) && transferTo.stream().anyMatch(number::startsWith);
    }

    /**
     * A bot that answers.
     *
     * @param own whether this container was told of it: a persona's may not be where only the task itself may ask
     */
    public record Found(Bot bot, boolean own) {}

    /** Empty if an embedded agent answers. */
    public Optional<Found> of(Tenant tenant) {
        if (!tenant.persona().agent().equals(Persona.UPSTREAM)) {
            return Optional.empty();
        }
        return own != null
                ? Optional.of(new Found(own, true))
                : Optional.ofNullable(tenant.persona().bot()).map(bot -> new Found(bot, false));
    }
}
