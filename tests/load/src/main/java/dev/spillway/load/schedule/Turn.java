package dev.spillway.load.schedule;

import org.jspecify.annotations.Nullable;

/**
 * One turn of a caller. Seconds of audio, which {@code --speed} never divides.
 *
 * @param manner what is special about it
 * @param utterance how long the caller speaks; null for the class's utterance
 * @param after for an interruption, how much of the agent's speech is heard first; for a correction, how long after the
 *     utterance the caller speaks again
 * @param keys digits pressed at its start; empty for none
 */
public record Turn(Manner manner, @Nullable Double utterance, double after, String keys) {
    /** How a turn is taken. */
    public enum Manner {
        /** Waits until the agent has finished, speaks, and waits for the answer. */
        SPEAK("speak"),
        /** Speaks into the agent's speech. */
        INTERRUPT("interrupt"),
        /** Speaks, and soon speaks again to put it right. */
        CORRECT("correct");

        private final String text;

        Manner(String text) {
            this.text = text;
        }

        /** As a schedule writes it. */
        public String text() {
            return text;
        }
    }

    /** A turn that is merely spoken. */
    public static final Turn PLAIN = new Turn(Manner.SPEAK, null, 0, "");
}
