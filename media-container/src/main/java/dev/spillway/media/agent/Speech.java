package dev.spillway.media.agent;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.zip.CRC32;

/**
 * Sounds like speech without being any: a pitch and two formants that the voice's name and the text decide, so that the
 * same sentence of the same voice is always the same audio and another tenant's is another.
 */
final class Speech {
    private static final int RATE = 8_000;
    private static final int SHORTEST_MILLIS = 1_000;
    private static final int LONGEST_MILLIS = 3_000;
    /** A brisk speaker says some 15 letters a second. */
    private static final int MILLIS_A_LETTER = 65;

    private Speech() {}

    /** μ-law audio of whole frames, between one and three seconds long. */
    static byte[] of(String voice, String text) {
        return of(voice, text, lengthOf(text));
    }

    /** How long it takes to say that, between one and three seconds. */
    static Duration lengthOf(String text) {
        return Duration.ofMillis(Math.clamp((long) text.length() * MILLIS_A_LETTER, SHORTEST_MILLIS, LONGEST_MILLIS));
    }

    /** The same words so slowly, or over and over, that they last so long; whole frames, and at least one. */
    static byte[] of(String voice, String text, Duration length) {
        long voiceSeed = seed(voice);
        long frames = Math.max(1, length.toMillis() * RATE / 1_000 / MuLaw.FRAME_BYTES);
        int samples = Math.toIntExact(frames * MuLaw.FRAME_BYTES);
        int syllable = RATE * (120 + Math.floorMod(seed(voice + text), 80)) / 1_000;
        double pitch = 90 + Math.floorMod(voiceSeed, 140);
        byte[] audio = new byte[samples];
        double phase = 0;
        double firstPhase = 0;
        double secondPhase = 0;
        for (int i = 0; i < samples; i++) {
            int place = i / syllable;
            int letter = text.isEmpty() ? place : text.charAt(place * 3 % text.length());
            double within = (double) (i % syllable) / syllable;
            // Louder in the middle of a syllable, with a short gap at its end: the rhythm of speech.
            double loudness = within > 0.85 ? 0.02 : Math.sin(Math.PI * within / 0.85);
            double bend = 1 + 0.08 * Math.sin(2 * Math.PI * i / (RATE * 1.3)) + letter % 7 * 0.01;
            phase += pitch * bend / RATE;
            firstPhase += (300 + letter % 11 * 50.0) / RATE;
            secondPhase += (900 + (letter + voiceSeed % 5) % 13 * 110.0) / RATE;
            double value = 0.5 * Math.sin(2 * Math.PI * phase)
                    + 0.3 * Math.sin(2 * Math.PI * firstPhase)
                    + 0.2 * Math.sin(2 * Math.PI * secondPhase);
            audio[i] = MuLaw.encode((int) (value * loudness * 9_000));
        }
        return audio;
    }

    private static long seed(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return crc.getValue();
    }
}
