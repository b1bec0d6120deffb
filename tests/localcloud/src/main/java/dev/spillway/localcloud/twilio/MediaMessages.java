package dev.spillway.localcloud.twilio;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/** The messages of Media Streams (Twilio: "Media Streams WebSocket messages", November 2024). Counters are texts. */
final class MediaMessages {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What a server may send. */
    sealed interface FromServer {
        record Media(byte[] audio) implements FromServer {}

        record Mark(String name) implements FromServer {}

        record Clear() implements FromServer {}
    }

    private final String accountSid;
    private final String callSid;
    private final String streamSid;
    private long sequence;
    private long chunk;

    MediaMessages(String accountSid, String callSid, String streamSid) {
        this.accountSid = accountSid;
        this.callSid = callSid;
        this.streamSid = streamSid;
    }

    String connected() {
        return "{\"event\":\"connected\",\"protocol\":\"Call\",\"version\":\"1.0.0\"}";
    }

    String start(Map<String, String> parameters) {
        ObjectNode message = numbered("start");
        ObjectNode start = message.putObject("start");
        start.put("accountSid", accountSid).put("streamSid", streamSid).put("callSid", callSid);
        start.putArray("tracks").add("inbound");
        start.putObject("mediaFormat")
                .put("encoding", "audio/x-mulaw")
                .put("sampleRate", 8000)
                .put("channels", 1);
        ObjectNode custom = start.putObject("customParameters");
        parameters.forEach(custom::put);
        return message.put("streamSid", streamSid).toString();
    }

    /** Written by hand: 300 streams send 15,000 of these in a second. */
    String media(String payload) {
        sequence++;
        chunk++;
        return "{\"event\":\"media\",\"sequenceNumber\":\"" + sequence
                + "\",\"media\":{\"track\":\"inbound\",\"chunk\":\"" + chunk
                + "\",\"timestamp\":\"" + (chunk - 1) * 20
                + "\",\"payload\":\"" + payload
                + "\"},\"streamSid\":\"" + streamSid + "\"}";
    }

    String mark(String name) {
        ObjectNode message = numbered("mark").put("streamSid", streamSid);
        message.putObject("mark").put("name", name);
        return message.toString();
    }

    String dtmf(char digit) {
        ObjectNode message = numbered("dtmf").put("streamSid", streamSid);
        message.putObject("dtmf").put("track", "inbound_track").put("digit", String.valueOf(digit));
        return message.toString();
    }

    String stop() {
        ObjectNode message = numbered("stop").put("streamSid", streamSid);
        message.putObject("stop").put("accountSid", accountSid).put("callSid", callSid);
        return message.toString();
    }

    private ObjectNode numbered(String event) {
        sequence++;
        return JSON.createObjectNode().put("event", event).put("sequenceNumber", Long.toString(sequence));
    }

    /** Reads a message of the server; empty if it is none that Twilio understands (31951). */
    Optional<FromServer> read(String text) {
        try {
            JsonNode message = JSON.readTree(text);
            if (!streamSid.equals(message.path("streamSid").textValue())) {
                return Optional.empty();
            }
            return switch (message.path("event").asText()) {
                case "media" -> {
                    JsonNode payload = message.path("media").path("payload");
                    yield payload.isTextual()
                            ? Optional.of(
                                    new FromServer.Media(Base64.getDecoder().decode(payload.textValue())))
                            : Optional.empty();
                }
                case "mark" -> {
                    JsonNode name = message.path("mark").path("name");
                    yield name.isTextual() ? Optional.of(new FromServer.Mark(name.textValue())) : Optional.empty();
                }
                case "clear" -> Optional.of(new FromServer.Clear());
                default -> Optional.empty();
            };
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
