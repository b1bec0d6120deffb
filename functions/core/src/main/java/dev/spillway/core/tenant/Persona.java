package dev.spillway.core.tenant;

import java.net.URI;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a tenant's calls sound, wherever they are answered.
 *
 * @param agent which agent talks: {@code scripted} is the embedded one, {@link #UPSTREAM} is a bot of the tenant's own
 * @param voice the voice's name, as the agent understands it
 * @param greeting the first sentence a caller hears
 * @param resume the sentence that bridges a move to another container
 * @param farewell the last sentence
 * @param bot where the tenant's own bot is reached from everywhere; null if only its containers know
 */
public record Persona(
        String agent,
        String voice,
        String greeting,
        String resume,
        String farewell,
        @Nullable Bot bot) {
    /** The agent that is a WebSocket bot speaking Twilio's media stream protocol. */
    public static final String UPSTREAM = "upstream";

    public Persona {
        Objects.requireNonNull(agent);
        Objects.requireNonNull(voice);
        if (greeting.isBlank()) {
            throw new IllegalArgumentException(
                    "a persona needs a greeting of its own: nobody is ever greeted by default");
        }
        Objects.requireNonNull(resume);
        Objects.requireNonNull(farewell);
    }

    /** A persona without a bot of its own. */
    public Persona(String agent, String voice, String greeting, String resume, String farewell) {
        this(agent, voice, greeting, resume, farewell, null);
    }

    /**
     * A tenant's own bot.
     *
     * @param url its WebSocket, {@code ws} or {@code wss}
     * @param state where a call's conversation is got and put, {@code http} or {@code https}; null if the bot keeps none
     */
    public record Bot(URI url, @Nullable URI state) {
        public Bot {
            check(url, Set.of("ws", "wss"));
            if (state != null) {
                check(state, Set.of("http", "https"));
            }
        }

        private static void check(URI url, Set<String> schemes) {
            if (url.getScheme() == null || !schemes.contains(url.getScheme()) || url.getHost() == null) {
                throw new IllegalArgumentException("want an absolute URL with scheme "
                        + String.join(" or ", schemes.stream().sorted().toList()) + " for a bot, not '" + url + "'");
            }
        }
    }
}
