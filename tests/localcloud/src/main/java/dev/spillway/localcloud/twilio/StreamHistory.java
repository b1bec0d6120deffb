package dev.spillway.localcloud.twilio;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** What happened on one media stream, as Twilio saw it. Written by one thread, read by any. */
public final class StreamHistory {
    /** How much of the agent's first audio is kept: 2 s. */
    public static final int HEAD_BYTES = 16_000;

    /** 5 ms: a quarter of a frame. */
    public static final long LATE_NANOS = 5_000_000;

    private final String sid;
    private final URI url;
    private final Moment connectingAt = Moment.now();
    private final List<String> marks = new CopyOnWriteArrayList<>();
    private final ByteArrayOutputStream head = new ByteArrayOutputStream();
    private volatile @Nullable Moment openedAt;
    private volatile @Nullable Moment firstAudioAt;
    private volatile @Nullable Moment lastAudioAt;
    private volatile @Nullable Moment endedAt;
    private volatile @Nullable StreamEnding ending;
    private volatile String detail = "";
    private volatile long framesSent;
    private volatile long framesLate;
    private volatile long worstLatenessNanos;
    private volatile long mediaReceived;
    private volatile long audioBytesReceived;
    private volatile int clears;
    private volatile int badMessages;

    StreamHistory(String sid, URI url) {
        this.sid = sid;
        this.url = url;
    }

    public String sid() {
        return sid;
    }

    public URI url() {
        return url;
    }

    public Moment connectingAt() {
        return connectingAt;
    }

    public Optional<Moment> openedAt() {
        return Optional.ofNullable(openedAt);
    }

    /** When the first audible media message reached the socket. */
    public Optional<Moment> firstAudioAt() {
        return Optional.ofNullable(firstAudioAt);
    }

    /** When the latest audible media message reached the socket. */
    public Optional<Moment> lastAudioAt() {
        return Optional.ofNullable(lastAudioAt);
    }

    public Optional<Moment> endedAt() {
        return Optional.ofNullable(endedAt);
    }

    public Optional<StreamEnding> ending() {
        return Optional.ofNullable(ending);
    }

    /** The HTTP status of a refused handshake, or the code and reason of a close frame. */
    public String detail() {
        return detail;
    }

    /** Frames of 20 ms sent to the server. */
    public long framesSent() {
        return framesSent;
    }

    /** Frames sent more than {@link #LATE_NANOS} after they were due, for which only this process is to blame. */
    public long framesLate() {
        return framesLate;
    }

    /** How much the latest of all frames was late. */
    public Duration worstLateness() {
        return Duration.ofNanos(worstLatenessNanos);
    }

    /** Media messages received. */
    public long mediaReceived() {
        return mediaReceived;
    }

    public long audioBytesReceived() {
        return audioBytesReceived;
    }

    /** The names of all marks received, in order. */
    public List<String> marks() {
        return List.copyOf(marks);
    }

    public int clears() {
        return clears;
    }

    /** Messages that were not understood; only the first is reported as 31951. */
    public int badMessages() {
        return badMessages;
    }

    /** SHA-256, in hexadecimal, of the first so many bytes received as audio; of all there are, if fewer. */
    public String audioSha256(int bytes) {
        byte[] received;
        synchronized (head) {
            received = head.toByteArray();
        }
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256")
                            .digest(Arrays.copyOf(received, Math.min(bytes, received.length))));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    void opened() {
        openedAt = Moment.now();
    }

    void sent(long frames, long lateNanos) {
        framesSent = frames;
        if (lateNanos > LATE_NANOS) {
            framesLate = framesLate() + 1;
        }
        if (lateNanos > worstLatenessNanos) {
            worstLatenessNanos = lateNanos;
        }
    }

    void audio(byte[] audio, boolean audible, long messages) {
        if (audible) {
            lastAudioAt = Moment.now();
            if (firstAudioAt == null) {
                firstAudioAt = lastAudioAt;
            }
        }
        mediaReceived = messages;
        audioBytesReceived = audioBytesReceived() + audio.length;
        synchronized (head) {
            head.write(audio, 0, Math.min(audio.length, HEAD_BYTES - head.size()));
        }
    }

    void mark(String name) {
        marks.add(name);
    }

    void cleared(int times) {
        clears = times;
    }

    void bad(int messages) {
        badMessages = messages;
    }

    void ended(StreamEnding reason, String text) {
        detail = text;
        endedAt = Moment.now();
        ending = reason;
    }
}
