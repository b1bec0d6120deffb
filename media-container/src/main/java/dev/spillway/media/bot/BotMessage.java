package dev.spillway.media.bot;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/**
 * What a bot sends: Twilio's three messages, which are passed on as they are, and two of our own. The audio itself is not
 * decoded.
 */
public sealed interface BotMessage {
    /** @param bytes of μ-law audio in it */
    record Media(int bytes) implements BotMessage {}

    record Mark(String name) implements BotMessage {}

    record Clear() implements BotMessage {}

    /** Ours: {@code {"event":"hangup"}} ends the call once what was said is heard. */
    record HangUp() implements BotMessage {}

    /** Ours: {@code {"event":"transfer","transfer":{"number":"+…"}}} gives the call to somebody else. */
    record Transfer(String number) implements BotMessage {}

    /** Nothing that Twilio would accept. */
    record Other(String event) implements BotMessage {}

    JsonFactory JSON = new JsonFactory();

    /** @throws IOException if it is not one JSON object, or a field that is needed is missing or of the wrong kind */
    static BotMessage parse(byte[] text) throws IOException {
        try (JsonParser json = JSON.createParser(text)) {
            expect(json, json.nextToken(), JsonToken.START_OBJECT);
            String event = "";
            String word = "";
            int characters = -1;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken token = json.nextToken();
                switch (name) {
                    case "event" -> {
                        expect(json, token, JsonToken.VALUE_STRING);
                        event = json.getText();
                    }
                    case "media", "mark", "transfer" -> {
                        expect(json, token, JsonToken.START_OBJECT);
                        while (json.nextToken() == JsonToken.FIELD_NAME) {
                            String inner = json.currentName();
                            JsonToken value = json.nextToken();
                            if (value != JsonToken.VALUE_STRING) {
                                json.skipChildren();
                            } else if (inner.equals("payload")) {
                                characters = unpadded(json);
                            } else if (inner.equals("name") || inner.equals("number")) {
                                word = json.getText();
                            }
                        }
                    }
                    default -> json.skipChildren();
                }
            }
            if (json.nextToken() != null) {
                throw new JsonParseException(json, "something follows the message");
            }
            return message(json, event, word, characters);
        }
    }

    private static BotMessage message(JsonParser json, String event, String word, int characters) throws IOException {
        return switch (event) {
            case "" -> throw new JsonParseException(json, "no event");
            case "media" -> {
                if (characters < 2) {
                    throw new JsonParseException(json, "media without payload");
                }
                yield new Media(characters * 3 / 4);
            }
            case "mark" -> {
                if (word.isEmpty()) {
                    throw new JsonParseException(json, "a mark without a name");
                }
                yield new Mark(word);
            }
            case "clear" -> new Clear();
            case "hangup" -> new HangUp();
            case "transfer" -> new Transfer(word);
            default -> new Other(event);
        };
    }

    /** Characters of the base64 text in the parser, but for the padding. */
    private static int unpadded(JsonParser json) throws IOException {
        int length = json.getTextLength();
        char[] characters = json.getTextCharacters();
        int start = json.getTextOffset();
        while (length > 0 && characters[start + length - 1] == '=') {
            length--;
        }
        return length;
    }

    private static void expect(JsonParser json, JsonToken token, JsonToken wanted) throws IOException {
        if (token != wanted) {
            throw new JsonParseException(json, "want " + wanted);
        }
    }
}
