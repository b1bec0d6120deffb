package dev.spillway.media.wire;

import dev.spillway.media.agent.MuLaw;
import dev.spillway.media.agent.Utterance;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends utterances as 20 ms frames, a little ahead of what the caller hears: enough to ride out a stall, little enough that
 * an interruption has not much to take back. A mark goes before each utterance and after it. Event loop only.
 */
final class Playback {
    /** How far ahead of the caller's ear audio may be sent. */
    static final Duration AHEAD = Duration.ofMillis(400);

    private static final long FRAME_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long PUMP_MILLIS = 100;
    /** How long the mark after an utterance may be late before the utterance counts as played. A guess. */
    private static final long MARK_GRACE_MILLIS = 2_000;

    private static final byte[] MEDIA_END = "\"}}".getBytes(StandardCharsets.US_ASCII);
    private static final Base64.Encoder BASE64 = Base64.getEncoder();

    private final Channel channel;
    private final String streamSid;
    private final byte[] mediaStart;
    private final Consumer<Utterance> played;
    private final ArrayDeque<Utterance> waiting = new ArrayDeque<>();
    private final Map<String, Utterance> unheard = new HashMap<>();
    private @Nullable Utterance current;
    private int offset;
    private long endNanos;
    private int count;
    private @Nullable Future<?> pump;
    private boolean stopped;

    Playback(Channel channel, String streamSid, Consumer<Utterance> played) {
        this.channel = channel;
        this.streamSid = streamSid;
        this.mediaStart = ("{\"event\":\"media\",\"streamSid\":\"" + streamSid + "\",\"media\":{\"payload\":\"")
                .getBytes(StandardCharsets.US_ASCII);
        this.played = played;
        this.endNanos = now();
    }

    void say(Utterance utterance) {
        waiting.add(utterance);
        if (pump == null) {
            pump();
        }
    }

    void clear() {
        waiting.clear();
        unheard.clear();
        current = null;
        endNanos = now();
        send("{\"event\":\"clear\",\"streamSid\":\"" + streamSid + "\"}");
        channel.flush();
    }

    /** Twilio gave a mark back: everything before it was heard, or cleared. */
    void marked(String name) {
        Utterance utterance = unheard.remove(name);
        if (utterance != null) {
            played.accept(utterance);
        }
    }

    void stop() {
        stopped = true;
        waiting.clear();
        unheard.clear();
        current = null;
        if (pump != null) {
            pump.cancel(false);
        }
    }

    private void pump() {
        pump = null;
        endNanos = Math.max(endNanos, now());
        while (!stopped && channel.isWritable() && endNanos - now() < AHEAD.toNanos()) {
            if (current == null && !begin()) {
                break;
            }
            frame();
        }
        channel.flush();
        if (!stopped && (current != null || !waiting.isEmpty())) {
            pump = channel.eventLoop().schedule(this::pump, PUMP_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private boolean begin() {
        current = waiting.poll();
        offset = 0;
        if (current == null) {
            return false;
        }
        mark(current.mark());
        return true;
    }

    /** Sends one frame now, beside the queue; dropped when the other side does not read. */
    void play(byte[] muLaw) {
        if (channel.isWritable()) {
            write(muLaw);
            channel.flush();
        }
    }

    private void frame() {
        Utterance utterance = current;
        if (utterance == null) {
            return;
        }
        byte[] frame = Arrays.copyOfRange(utterance.muLaw(), offset, offset + MuLaw.FRAME_BYTES);
        int missing = offset + MuLaw.FRAME_BYTES - utterance.muLaw().length;
        if (missing > 0) {
            Arrays.fill(frame, MuLaw.FRAME_BYTES - missing, MuLaw.FRAME_BYTES, MuLaw.SILENCE);
        }
        write(frame);
        endNanos += FRAME_NANOS;
        offset += MuLaw.FRAME_BYTES;
        if (offset >= utterance.muLaw().length) {
            finished(utterance);
        }
    }

    private void finished(Utterance utterance) {
        String name = "end:" + ++count;
        unheard.put(name, utterance);
        mark(name);
        current = null;
        long late = TimeUnit.NANOSECONDS.toMillis(endNanos - now()) + MARK_GRACE_MILLIS;
        channel.eventLoop().schedule(() -> marked(name), late, TimeUnit.MILLISECONDS);
    }

    private void write(byte[] muLaw) {
        byte[] encoded = BASE64.encode(muLaw);
        ByteBuf text = channel.alloc().buffer(mediaStart.length + encoded.length + MEDIA_END.length);
        text.writeBytes(mediaStart).writeBytes(encoded).writeBytes(MEDIA_END);
        channel.write(new TextWebSocketFrame(text));
    }

    private void mark(String name) {
        send("{\"event\":\"mark\",\"streamSid\":\"" + streamSid + "\",\"mark\":{\"name\":\"" + name + "\"}}");
    }

    private void send(String json) {
        channel.write(new TextWebSocketFrame(json));
    }

    private static long now() {
        return System.nanoTime();
    }
}
