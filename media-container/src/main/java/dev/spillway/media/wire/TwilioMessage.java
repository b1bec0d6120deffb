package dev.spillway.media.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** What Twilio sends on a media stream (FACTS 4). Fields that nobody here needs are skipped, whatever they are. */
sealed interface TwilioMessage {

    /** @param parameters the {@code Parameter}s of the TwiML */
    record Start(String streamSid, String callSid, Map<String, String> parameters) implements TwilioMessage {}

    /** @param inbound the caller's audio, not an echo of ours */
    record Media(boolean inbound, byte[] payload) implements TwilioMessage {}

    record Dtmf(String digit) implements TwilioMessage {}

    record Mark(String name) implements TwilioMessage {}

    record Stop() implements TwilioMessage {}

    /** {@code connected}, and whatever Twilio adds without notice. */
    record Other(String event) implements TwilioMessage {}

    JsonFactory JSON = new JsonFactory();
    /** It goes into our own JSON unescaped. */
    Pattern STREAM_SID = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    /** @throws IOException if it is not JSON, or a field that is needed is missing or of the wrong kind */
    static TwilioMessage parse(byte[] text) throws IOException {
        try (JsonParser json = JSON.createParser(text)) {
            Fields fields = new Fields();
            expect(json, json.nextToken(), JsonToken.START_OBJECT);
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken token = json.nextToken();
                switch (name) {
                    case "event" -> fields.event = text(json, token);
                    case "streamSid" -> fields.streamSid = text(json, token);
                    case "start", "media", "dtmf", "mark" -> readObject(json, token, fields);
                    default -> json.skipChildren();
                }
            }
            if (json.nextToken() != null) {
                throw new JsonParseException(json, "something follows the message");
            }
            return fields.message(json);
        }
    }

    private static void readObject(JsonParser json, JsonToken first, Fields fields) throws IOException {
        expect(json, first, JsonToken.START_OBJECT);
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            JsonToken token = json.nextToken();
            switch (name) {
                case "streamSid" -> fields.streamSid = text(json, token);
                case "callSid" -> fields.callSid = text(json, token);
                case "track" -> fields.track = text(json, token);
                case "digit", "name" -> fields.word = text(json, token);
                case "payload" -> {
                    expect(json, token, JsonToken.VALUE_STRING);
                    fields.payload = json.getBinaryValue();
                }
                case "customParameters" -> readParameters(json, token, fields.parameters);
                default -> json.skipChildren();
            }
        }
    }

    private static void readParameters(JsonParser json, JsonToken first, Map<String, String> parameters)
            throws IOException {
        expect(json, first, JsonToken.START_OBJECT);
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            parameters.put(name, text(json, json.nextToken()));
        }
    }

    private static String text(JsonParser json, JsonToken token) throws IOException {
        expect(json, token, JsonToken.VALUE_STRING);
        return json.getText();
    }

    private static void expect(JsonParser json, JsonToken token, JsonToken wanted) throws IOException {
        if (token != wanted) {
            throw new JsonParseException(json, "want " + wanted);
        }
    }

    /** The fields of one message, in whatever order they came. */
    final class Fields {
        private String event = "";
        private String streamSid = "";
        private String callSid = "";
        private String track = "inbound";
        private String word = "";
        private byte[] payload = new byte[0];
        private final Map<String, String> parameters = new HashMap<>();

        private Fields() {}

        private TwilioMessage message(JsonParser json) throws IOException {
            return switch (event) {
                case "" -> throw new JsonParseException(json, "no event");
                case "start" -> {
                    if (!STREAM_SID.matcher(streamSid).matches() || callSid.isEmpty()) {
                        throw new JsonParseException(json, "a start without streamSid or callSid");
                    }
                    yield new Start(streamSid, callSid, Map.copyOf(parameters));
                }
                case "media" -> {
                    if (payload.length == 0) {
                        throw new JsonParseException(json, "media without payload");
                    }
                    yield new Media(!track.equals("outbound"), payload);
                }
                case "dtmf" -> new Dtmf(word);
                case "mark" -> new Mark(word);
                case "stop" -> new Stop();
                default -> new Other(event);
            };
        }
    }
}
