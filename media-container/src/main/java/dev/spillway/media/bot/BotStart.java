package dev.spillway.media.bot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.media.agent.Agent.Opening;
import java.util.Locale;

/**
 * How a bot's stream begins and ends: with Twilio's messages. The start is Twilio's own with one custom parameter more,
 * {@code opening}: {@code greeting}, or {@code resume} for a conversation that was going on elsewhere.
 */
public final class BotStart {
    /** Twilio's first message on every stream. */
    public static final String CONNECTED = "{\"event\":\"connected\",\"protocol\":\"Call\",\"version\":\"1.0.0\"}";

    /** Ours: the call is still where it was. */
    public static final String TRANSFER_REFUSED = "{\"event\":\"transfer-refused\"}";

    private static final JsonMapper JSON = new JsonMapper();

    private final ObjectNode start;

    /**
     * @param start Twilio's start message
     * @throws IllegalArgumentException if it is none
     */
    public BotStart(String start) {
        try {
            if (!(JSON.readTree(start) instanceof ObjectNode message && message.path("start") instanceof ObjectNode)) {
                throw new IllegalArgumentException("not a start message");
            }
            this.start = message;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a start message", e);
        }
    }

    /** @param conversation {@code restored} or {@code lost}; empty if it was not to be restored */
    public String with(Opening opening, String conversation) {
        ObjectNode told = start.deepCopy();
        ObjectNode parameters = told.withObject("/start/customParameters");
        parameters.put("opening", opening.name().toLowerCase(Locale.ROOT));
        if (!conversation.isEmpty()) {
            parameters.put("conversation", conversation);
        }
        return told.toString();
    }

    /** Twilio's last message, for a stream that ends before Twilio sent one: a bot is told of every end in the same way. */
    public String stop(long sequenceNumber) {
        ObjectNode stop = JSON.createObjectNode()
                .put("event", "stop")
                .put("sequenceNumber", Long.toString(sequenceNumber))
                .put("streamSid", start.path("streamSid").asText());
        stop.putObject("stop")
                .put("accountSid", start.path("start").path("accountSid").asText())
                .put("callSid", start.path("start").path("callSid").asText());
        return stop.toString();
    }

    /** Twilio's name for the call. */
    public String callSid() {
        return start.path("start").path("callSid").asText();
    }
}
