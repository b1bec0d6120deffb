package dev.spillway.media.agent;

/**
 * Hears from the loudness of 20 ms frames when a caller begins and ends to speak. Time is counted in frames, so that a
 * stalled network cannot end a sentence.
 */
final class Ear {
    /** Mean absolute sample of speech, some 40 dB below full scale: a guess that suits a telephone line. */
    static final int THRESHOLD = 300;
    /** 60 ms: shorter sounds are clicks. */
    static final int ONSET_FRAMES = 3;
    /** 200 ms, the usual gap between speakers (the first text): a shorter pause is within a sentence. */
    static final int HANGOVER_FRAMES = 10;

    /** What a frame brought. */
    enum Event {
        NOTHING,
        /** The caller has been speaking for {@link #ONSET_FRAMES}. */
        STARTED,
        /** The caller has been silent for {@link #HANGOVER_FRAMES}. */
        ENDED
    }

    private boolean speaking;
    private int loud;
    private int quiet;
    private long lastLoudNanos;

    Event hear(byte[] frame, long nanos) {
        if (MuLaw.loudness(frame) >= THRESHOLD) {
            loud++;
            quiet = 0;
            lastLoudNanos = nanos;
            if (!speaking && loud >= ONSET_FRAMES) {
                speaking = true;
                return Event.STARTED;
            }
            return Event.NOTHING;
        }
        quiet++;
        if (!speaking) {
            loud = 0;
            return Event.NOTHING;
        }
        if (quiet < HANGOVER_FRAMES) {
            return Event.NOTHING;
        }
        speaking = false;
        loud = 0;
        return Event.ENDED;
    }

    boolean isSpeaking() {
        return speaking || loud > 0;
    }

    /** When the last loud frame came: the end of speech, once it has ended. */
    long lastLoudNanos() {
        return lastLoudNanos;
    }
}
