package dev.spillway.load.schedule;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON value that knows on which line it began. */
sealed interface Located {
    int line();

    record Members(int line, Map<String, Located> values) implements Located {}

    record Items(int line, List<Located> values) implements Located {}

    record Text(int line, String value) implements Located {}

    record Numeral(int line, double value, boolean whole, String text) implements Located {}

    record Flag(int line, boolean value) implements Located {}

    record Nothing(int line) implements Located {}

    /**
     * Reads one document. NaN and Infinity, which JSON does not have, are read as numbers, so that they can be refused by
     * their own name; a key that is there twice is an error.
     */
    static Located read(byte[] json) throws IOException {
        JsonFactory factory = JsonFactory.builder()
                .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();
        try (JsonParser parser = factory.createParser(json)) {
            parser.nextToken();
            Located value = value(parser);
            if (parser.nextToken() != null) {
                throw new IOException("line " + parser.currentTokenLocation().getLineNr()
                        + ": something follows the end of the document");
            }
            return value;
        }
    }

    private static Located value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        int line = parser.currentTokenLocation().getLineNr();
        return switch (token) {
            case START_OBJECT -> {
                Map<String, Located> values = new LinkedHashMap<>();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String name = parser.currentName();
                    parser.nextToken();
                    values.put(name, value(parser));
                }
                yield new Members(line, values);
            }
            case START_ARRAY -> {
                List<Located> values = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    values.add(value(parser));
                }
                yield new Items(line, values);
            }
            case VALUE_STRING -> new Text(line, parser.getText());
            case VALUE_NUMBER_INT -> new Numeral(line, parser.getDoubleValue(), true, parser.getText());
            case VALUE_NUMBER_FLOAT -> new Numeral(line, parser.getDoubleValue(), false, parser.getText());
            case VALUE_TRUE -> new Flag(line, true);
            case VALUE_FALSE -> new Flag(line, false);
            case VALUE_NULL -> new Nothing(line);
            case null, default -> throw new IOException("line " + line + ": the document is empty or cut off");
        };
    }
}
