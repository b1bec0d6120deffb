package dev.spillway.system.conform;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Twilio's end of one media stream. */
final class Caller implements WebSocket.Listener, AutoCloseable {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private static final int FRAME_BYTES = 160;
    private static final String SILENCE = frame(new byte[] {(byte) 0xFF});
    /** A vowel of 200 Hz, as loud as a telephone line carries: whoever hears by loudness hears somebody speak. */
    private static final String VOICE = frame(new byte[] {
        (byte) 0x90,
        (byte) 0x88,
        (byte) 0x84,
        (byte) 0x82,
        (byte) 0x81,
        (byte) 0x80,
        (byte) 0x80,
        (byte) 0x80,
        (byte) 0x80,
        (byte) 0x80,
        (byte) 0x80,
        (byte) 0x81,
        (byte) 0x82,
        (byte) 0x84,
        (byte) 0x88,
        (byte) 0x90,
        (byte) 0xA0,
        (byte) 0xB0,
        (byte) 0xD0,
        (byte) 0xFF,
        0x10,
        0x08,
        0x04,
        0x02,
        0x01,
        0x00,
        0x00,
        0x00,
        0x00,
        0x00,
        0x00,
        0x01,
        0x02,
        0x04,
        0x08,
        0x10,
        0x20,
        0x30,
        0x50,
        0x7F
    });

    private static final Pattern MARK = Pattern.compile("\"event\"\\s*:\\s*\"mark\"");

    private final StringBuilder message = new StringBuilder();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private @Nullable WebSocket socket;

    private Caller() {}

    /** What came of a handshake: an open stream, or a status. */
    record Opened(@Nullable Caller caller, int status) implements AutoCloseable {
        @Override
        public void close() {
            if (caller != null) {
                caller.close();
            }
        }
    }

    static Opened open(URI uri) {
        Caller caller = new Caller();
        try {
            caller.socket = CLIENT.newWebSocketBuilder()
                    .connectTimeout(Duration.ofSeconds(10))
                    .buildAsync(uri, caller)
                    .join();
            return new Opened(caller, 101);
        } catch (CompletionException e) {
            return e.getCause() instanceof WebSocketHandshakeException refused
                    ? new Opened(null, refused.getResponse().statusCode())
                    : new Opened(null, -1);
        }
    }

    void start(String tenant, String call, String generation) {
        send("{\"event\":\"connected\",\"protocol\":\"Call\",\"version\":\"1.0.0\"}");
        send("{\"event\":\"start\",\"sequenceNumber\":\"1\",\"streamSid\":\"MZ1\",\"start\":{\"streamSid\":\"MZ1\","
                + "\"accountSid\":\"" + Trial.ACCOUNT + "\",\"callSid\":\"" + call + "\",\"tracks\":[\"inbound\"],"
                + "\"customParameters\":{\"tenant\":\"" + tenant + "\",\"generation\":\"" + generation + "\"},"
                + "\"mediaFormat\":{\"encoding\":\"audio/x-mulaw\",\"sampleRate\":8000,\"channels\":1}}}");
    }

    /** 20 ms of μ-law audio in base64. */
    private static String frame(byte[] again) {
        byte[] frame = new byte[FRAME_BYTES];
        for (int i = 0; i < FRAME_BYTES; i++) {
            frame[i] = again[i % again.length];
        }
        return Base64.getEncoder().encodeToString(frame);
    }

    /** 20 ms in which the caller says nothing. */
    void silence() {
        media(SILENCE);
    }

    /** 20 ms in which the caller speaks. */
    void voice() {
        media(VOICE);
    }

    private void media(String payload) {
        send("{\"event\":\"media\",\"sequenceNumber\":\"2\",\"streamSid\":\"MZ1\",\"media\":{\"track\":\"inbound\","
                + "\"chunk\":\"1\",\"timestamp\":\"20\",\"payload\":\"" + payload + "\"}}");
    }

    void stop(String call) {
        send("{\"event\":\"stop\",\"sequenceNumber\":\"3\",\"streamSid\":\"MZ1\",\"stop\":{\"accountSid\":\""
                + Trial.ACCOUNT + "\",\"callSid\":\"" + call + "\"}}");
    }

    private void send(String text) {
        WebSocket to = socket;
        if (to != null && !closed.isDone()) {
            to.sendText(text, true).exceptionally(e -> to).join();
        }
    }

    boolean isOpen() {
        return !closed.isDone();
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        message.append(data);
        if (last) {
            String text = message.toString();
            message.setLength(0);
            // Twilio gives marks back: an agent may wait for the end of its greeting.
            if (MARK.matcher(text).find()) {
                send(text);
            }
        }
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
        closed.complete(status);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.complete(1_006);
    }

    @Override
    public void close() {
        if (socket != null) {
            socket.abort();
        }
        closed.complete(1_006);
    }
}
