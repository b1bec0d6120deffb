package dev.spillway.system.conform;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Twilio's end of one media stream. */
final class Caller implements WebSocket.Listener, AutoCloseable {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private static final String SILENCE = "/".repeat(212) + "/w==";

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

    /** 20 ms in which the caller says nothing. */
    void silence() {
        send("{\"event\":\"media\",\"sequenceNumber\":\"2\",\"streamSid\":\"MZ1\",\"media\":{\"track\":\"inbound\","
                + "\"chunk\":\"1\",\"timestamp\":\"20\",\"payload\":\"" + SILENCE + "\"}}");
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
