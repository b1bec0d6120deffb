package dev.spillway.media.agent;

/** ITU-T G.711 μ-law, as Twilio's media streams carry it. */
public final class MuLaw {
    /** One frame: 20 ms at 8 kHz, one byte a sample. */
    public static final int FRAME_BYTES = 160;

    public static final byte SILENCE = (byte) 0xFF;

    private static final int BIAS = 0x84;
    private static final int CLIP = 32_635;
    private static final short[] LINEAR = new short[256];

    static {
        for (int i = 0; i < 256; i++) {
            int code = ~i & 0xFF;
            int magnitude = ((((code & 0x0F) << 3) + BIAS) << ((code & 0x70) >> 4)) - BIAS;
            LINEAR[i] = (short) ((code & 0x80) != 0 ? -magnitude : magnitude);
        }
    }

    private MuLaw() {}

    /** The sample as 16-bit linear. */
    public static short decode(byte code) {
        return LINEAR[code & 0xFF];
    }

    public static byte encode(int sample) {
        int sign = sample < 0 ? 0x80 : 0;
        int magnitude = Math.min(CLIP, Math.abs(sample)) + BIAS;
        int exponent = 31 - Integer.numberOfLeadingZeros(magnitude) - 7;
        int mantissa = (magnitude >> (exponent + 3)) & 0x0F;
        return (byte) ~(sign | (exponent << 4) | mantissa);
    }

    /** The mean of the samples' absolute values: how loud it is, from 0 to 32,635. */
    public static int loudness(byte[] frame) {
        if (frame.length == 0) {
            return 0;
        }
        long sum = 0;
        for (byte code : frame) {
            sum += Math.abs(LINEAR[code & 0xFF]);
        }
        return (int) (sum / frame.length);
    }
}
