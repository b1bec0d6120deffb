package dev.spillway.localcloud.twilio;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The audio between one caller and Twilio: every 20 ms the caller hears what is playing, and what the caller says goes
 * to the stream, if there is one. Watches for silence: from when something was due until it is heard, however often the
 * caller asks again meanwhile. Confined to the audio thread.
 */
final class Line {
    /** After a stall of the process the audio catches up, at most so many frames in one step. */
    private static final int MOST_FRAMES_AT_ONCE = 50;

    private final CallHistory history;
    private final Caller caller;
    private @Nullable MediaStream stream;
    private boolean spoken;
    private boolean live;
    private long nextFrame;
    private long speechFrames;
    private @Nullable Moment silentSince;

    Line(CallScript script, CallHistory history, Runnable hangUp) {
        this.history = history;
        this.caller = new Caller(script, history, new Caller.Phone() {
            @Override
            public void hangUp() {
                hangUp.run();
            }

            @Override
            public void press(String digits) {
                MediaStream current = stream;
                if (current != null) {
                    current.press(digits);
                }
            }
        });
    }

    /** The call was answered: the caller's clock runs. */
    void open() {
        live = true;
        nextFrame = System.nanoTime();
    }

    void close() {
        live = false;
        stream = null;
        heardSomething();
    }

    void attach(MediaStream value) {
        stream = value;
    }

    void detach(MediaStream value) {
        if (stream == value) {
            stream = null;
        }
    }

    /** Whether Twilio itself is speaking to the caller (Say, Play). */
    void spoken(boolean value) {
        spoken = value;
    }

    Caller caller() {
        return caller;
    }

    void tick(long now) {
        for (int i = 0; i < MOST_FRAMES_AT_ONCE && live && now - nextFrame >= 0; i++) {
            long due = nextFrame;
            nextFrame += Mulaw.FRAME_NANOS;
            frame(due);
        }
    }

    private void frame(long dueNanos) {
        MediaStream current = stream;
        boolean heard = current != null && current.play();
        boolean audible = heard || spoken;
        boolean speaks = caller.step(audible);
        if (current != null && current.isOpen()) {
            current.send(speaks ? Mulaw.speechPayload(speechFrames++) : Mulaw.silentPayload(), dueNanos);
            if (speaks) {
                caller.spoke();
            }
        }
        // Whoever begins to speak into a line that was cut has not been heard either.
        boolean cutOff = current == null && (!caller.speaking() || silentSince != null);
        if (!audible && (caller.isOwed() || cutOff)) {
            if (silentSince == null) {
                silentSince = Moment.now();
            }
        } else {
            heardSomething();
        }
    }

    private void heardSomething() {
        if (silentSince != null) {
            Duration length = Moment.now().since(silentSince);
            history.silence(silentSince, length);
            silentSince = null;
        }
    }
}
