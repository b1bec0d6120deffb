package dev.spillway.media.rig;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.media.agent.MuLaw;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Twilio's end of a media stream: plays what it is sent at once and gives every mark back. */
public final class TestStream implements WebSocket.Listener, AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    /** How a stream was closed. */
    public record Closed(int code, String reason) {}

    private final CompletableFuture<Closed> closed = new CompletableFuture<>();
    private final List<JsonNode> received = new CopyOnWriteArrayList<>();
    private final StringBuilder partial = new StringBuilder();
    private @Nullable WebSocket socket;
    private boolean paused;

    private TestStream() {}

    /** Opens a stream. */
    public static TestStream open(URI uri) {
        TestStream stream = new TestStream();
        synchronized (stream) {
            stream.socket = CLIENT.newWebSocketBuilder().buildAsync(uri, stream).join();
        }
        return stream;
    }

    /** The status with which the handshake was refused. */
    public static int refusal(URI uri) {
        try {
            open(uri).close();
            return 101;
        } catch (CompletionException e) {
            if (e.getCause() instanceof WebSocketHandshakeException refused) {
                return refused.getResponse().statusCode();
            }
            throw e;
        }
    }

    public TestStream start(String callSid, String tenant) {
        send("{\"event\":\"connected\",\"protocol\":\"Call\",\"version\":\"1.0.0\"}");
        return send(
                "{\"event\":\"start\",\"sequenceNumber\":\"1\",\"streamSid\":\"MZ1\",\"start\":{\"streamSid\":\"MZ1\","
                        + "\"accountSid\":\"AC0\",\"callSid\":\"" + callSid
                        + "\",\"tracks\":[\"inbound\"],\"customParameters\":{"
                        + "\"tenant\":\"" + tenant
                        + "\"},\"mediaFormat\":{\"encoding\":\"audio/x-mulaw\",\"sampleRate\":8000,"
                        + "\"channels\":1}}}");
    }

    public TestStream send(String text) {
        synchronized (this) {
            socket().sendText(text, true).join();
        }
        return this;
    }

    public TestStream sendBinary(byte[] bytes) {
        socket().sendBinary(ByteBuffer.wrap(bytes), true).join();
        return this;
    }

    /** That many frames of 20 ms, loud or silent. */
    public TestStream frames(int count, boolean loud) {
        byte[] frame = new byte[MuLaw.FRAME_BYTES];
        Arrays.fill(frame, loud ? MuLaw.encode(6_000) : MuLaw.SILENCE);
        String payload = Base64.getEncoder().encodeToString(frame);
        for (int i = 0; i < count; i++) {
            send("{\"event\":\"media\",\"sequenceNumber\":\"" + (i + 2)
                    + "\",\"media\":{\"track\":\"inbound\",\"chunk\":\"" + i + "\",\"timestamp\":\"" + i * 20
                    + "\",\"payload\":\"" + payload + "\"},\"streamSid\":\"MZ1\"}");
        }
        return this;
    }

    public TestStream press(String digit) {
        return send("{\"event\":\"dtmf\",\"streamSid\":\"MZ1\",\"dtmf\":{\"track\":\"inbound_track\",\"digit\":\""
                + digit + "\"}}");
    }

    public TestStream stop() {
        return send("{\"event\":\"stop\",\"streamSid\":\"MZ1\",\"stop\":{\"accountSid\":\"AC0\",\"callSid\":\"CA0\"}}");
    }

    /** How it was closed, within ten seconds. */
    public Closed awaitClosed() {
        try {
            return closed.get(10, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("the stream is still open; received " + received.size() + " messages", e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    public boolean isClosed() {
        return closed.isDone();
    }

    /** The names of the marks that came, in order, without those that only end an utterance. */
    public List<String> marks() {
        return received.stream()
                .filter(message -> message.path("event").asText().equals("mark"))
                .map(message -> message.path("mark").path("name").asText())
                .filter(name -> name.startsWith("persona:"))
                .toList();
    }

    public long count(String event) {
        return received.stream()
                .filter(message -> message.path("event").asText().equals(event))
                .count();
    }

    /** All audio that came, in order. */
    public byte[] audio() {
        ByteArrayOutputStream audio = new ByteArrayOutputStream();
        received.stream()
                .filter(message -> message.path("event").asText().equals("media"))
                .map(message -> Base64.getDecoder()
                        .decode(message.path("media").path("payload").asText()))
                .forEach(audio::writeBytes);
        return audio.toByteArray();
    }

    public List<JsonNode> received() {
        return received;
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            try {
                JsonNode message = JSON.readTree(partial.toString());
                partial.setLength(0);
                received.add(message);
                if (message.path("event").asText().equals("mark")) {
                    send(message.toString());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        synchronized (this) {
            if (!paused) {
                from.request(1);
            }
        }
        return null;
    }

    /** Reads no more, or reads on. */
    public void pause(boolean pausing) {
        synchronized (this) {
            paused = pausing;
            if (!pausing) {
                socket().request(1);
            }
        }
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.complete(new Closed(code, reason));
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.complete(new Closed(1006, error.toString()));
    }

    /** The connection breaks without a word. */
    @Override
    public void close() {
        socket().abort();
        closed.complete(new Closed(1006, "broken by us"));
    }

    private WebSocket socket() {
        if (socket == null) {
            throw new IllegalStateException("not open");
        }
        return socket;
    }
}
