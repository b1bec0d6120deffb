package dev.spillway.media.agent;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Whose turn it is in a call that a bot answers of which nothing is known but what it sends: heard from the caller's loudness,
 * from the length of the audio sent to the caller's ear, and from the marks that come back once it was played. Time is passed
 * in, in nanoseconds of one clock. One thread.
 */
public final class Turns {
    /** A bot may send its sentence in pieces: a shorter gap is within its turn. A guess. */
    static final Duration SETTLE = Duration.ofMillis(300);
    /** How long a bot that was spoken to is thought to be about to answer. A guess: slower ones are heard as silent. */
    static final Duration ANSWER = Duration.ofSeconds(4);
    /** How long a mark that does not come back holds up the turn's end, after the audio before it is over. A guess. */
    static final Duration MARK_GRACE = Duration.ofSeconds(2);
    /** No bot has more sentences on their way. */
    private static final int MOST_MARKS = 64;

    private static final long NANOS_A_BYTE = TimeUnit.SECONDS.toNanos(1) / 8_000;

    private final Ear ear = new Ear();
    private final Set<String> marks = new HashSet<>();
    private long saidUntilNanos;
    private long askedAtNanos;
    private boolean began;
    private boolean asked;

    /** @param nanos now */
    public Turns(long nanos) {
        saidUntilNanos = nanos;
    }

    /** 20 ms of the caller. */
    public void heard(byte[] muLaw, long nanos) {
        if (ear.hear(muLaw, nanos) == Ear.Event.ENDED) {
            asked = true;
            askedAtNanos = nanos;
        }
    }

    /** That many bytes of μ-law were sent to the caller's ear, after everything sent before. */
    public void said(int bytes, long nanos) {
        if (saidUntilNanos - nanos < 0) {
            saidUntilNanos = nanos;
        }
        saidUntilNanos += bytes * NANOS_A_BYTE;
        began = true;
        asked = false;
    }

    /** The bot took back what was not yet heard. */
    public void cleared(long nanos) {
        if (saidUntilNanos - nanos > 0) {
            saidUntilNanos = nanos;
        }
    }

    /** The bot put a mark after its audio. */
    public void marked(String name) {
        if (marks.size() < MOST_MARKS) {
            marks.add(name);
        }
    }

    /** The mark came back: what was sent before it was heard, or cleared. */
    public void returned(String name) {
        marks.remove(name);
    }

    /** How much of what was sent the caller has not heard yet. */
    public Duration unheard(long nanos) {
        return Duration.ofNanos(Math.max(0, saidUntilNanos - nanos));
    }

    /** Whether nobody is speaking or about to. */
    public boolean isBoundary(long nanos) {
        long silent = nanos - saidUntilNanos;
        boolean answering = asked && nanos - askedAtNanos < ANSWER.toNanos();
        boolean playing = !marks.isEmpty() && silent < MARK_GRACE.toNanos();
        return began && !answering && !playing && !ear.isSpeaking() && silent >= SETTLE.toNanos();
    }
}
