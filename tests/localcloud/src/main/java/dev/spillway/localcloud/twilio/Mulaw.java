package dev.spillway.localcloud.twilio;

import java.util.Base64;

/** μ-law audio at 8 kHz in frames of 20 ms. */
final class Mulaw {
    static final int FRAME_BYTES = 160;
    static final long FRAME_NANOS = 20_000_000;

    /** Mean absolute amplitude of 16-bit samples above which a frame is heard; a guess, far below speech (about 2,000). */
    private static final int AUDIBLE = 200;

    private static final byte SILENCE = (byte) 0xff;
    private static final short[] AMPLITUDE = amplitudes();
    private static final String SILENT_PAYLOAD = Base64.getEncoder().encodeToString(silence());
    private static final String[] SPEECH = speech();

    private Mulaw() {}

    private static short[] amplitudes() {
        short[] table = new short[256];
        for (int i = 0; i < 256; i++) {
            int inverted = ~i & 0xff;
            int magnitude = (((inverted & 0x0f) << 3) + 0x84) << ((inverted & 0x70) >> 4);
            table[i] = (short) Math.min(Short.MAX_VALUE, magnitude - 0x84);
        }
        return table;
    }

    private static byte[] silence() {
        byte[] frame = new byte[FRAME_BYTES];
        java.util.Arrays.fill(frame, SILENCE);
        return frame;
    }

    /** A 300 Hz tone whose loudness sways like speech; 20 ms are six whole periods, so frames join without a click. */
    private static String[] speech() {
        String[] frames = new String[10];
        for (int f = 0; f < frames.length; f++) {
            double loudness = 5_000 + 3_000 * Math.sin(2 * Math.PI * f / frames.length);
            byte[] frame = new byte[FRAME_BYTES];
            for (int i = 0; i < FRAME_BYTES; i++) {
                frame[i] = encode((int) (loudness * Math.sin(2 * Math.PI * 300 * i / 8_000)));
            }
            frames[f] = Base64.getEncoder().encodeToString(frame);
        }
        return frames;
    }

    /** One 16-bit sample in μ-law (G.711). */
    static byte encode(int sample) {
        int sign = sample < 0 ? 0x80 : 0;
        int magnitude = Math.min(Math.abs(sample), 32_635) + 0x84;
        int exponent = 31 - Integer.numberOfLeadingZeros(magnitude) - 7;
        int mantissa = (magnitude >> (exponent + 3)) & 0x0f;
        return (byte) ~(sign | exponent << 4 | mantissa);
    }

    /** Whether a person would hear something in these bytes. */
    static boolean audible(byte[] audio, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += AMPLITUDE[audio[i] & 0xff];
        }
        return to > from && sum / (to - from) > AUDIBLE;
    }

    /** Whether any 20 ms of it would be heard. */
    static boolean audible(byte[] audio) {
        for (int from = 0; from < audio.length; from += FRAME_BYTES) {
            if (audible(audio, from, Math.min(audio.length, from + FRAME_BYTES))) {
                return true;
            }
        }
        return false;
    }

    static String silentPayload() {
        return SILENT_PAYLOAD;
    }

    /** The n-th frame of a caller's speech, in base64. */
    static String speechPayload(long n) {
        return SPEECH[(int) (n % SPEECH.length)];
    }
}
