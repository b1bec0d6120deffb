package dev.spillway.core.tenant;

import java.util.Objects;

/**
 * How a tenant's calls sound, wherever they are answered.
 *
 * @param agent which agent talks: {@code scripted} is the embedded one
 * @param voice the voice's name, as the agent understands it
 * @param greeting the first sentence a caller hears
 * @param resume the sentence that bridges a move to another container
 * @param farewell the last sentence
 */
public record Persona(String agent, String voice, String greeting, String resume, String farewell) {
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
}
