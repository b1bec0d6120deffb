package dev.spillway.media.agent;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something an agent says.
 *
 * @param mark the name of the mark sent before it
 * @param muLaw the audio, μ-law at 8 kHz
 */
public record Utterance(String mark, byte[] muLaw) {
    /** Samples in a second, one byte each. */
    private static final int RATE = 8_000;

    /** One and the same saying: the same words said twice are two utterances. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    public Duration length() {
        return Duration.ofMillis(muLaw.length * 1_000L / RATE);
    }

    @Override
    public String toString() {
        return mark;
    }
}
