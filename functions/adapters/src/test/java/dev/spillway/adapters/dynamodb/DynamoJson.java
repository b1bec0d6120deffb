package dev.spillway.adapters.dynamodb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items as {@code aws dynamodb get-item} prints them: each value below the name of its type. */
final class DynamoJson {
    private DynamoJson() {}

    static Map<String, AttributeValue> read(Path file) throws IOException {
        return map(new ObjectMapper().readTree(file.toFile()));
    }

    private static Map<String, AttributeValue> map(JsonNode json) {
        Map<String, AttributeValue> map = new HashMap<>();
        json.properties().forEach(entry -> map.put(entry.getKey(), value(entry.getValue())));
        return map;
    }

    private static AttributeValue value(JsonNode json) {
        Map.Entry<String, JsonNode> typed = json.properties().iterator().next();
        JsonNode value = typed.getValue();
        return switch (typed.getKey()) {
            case "S" -> AttributeValue.fromS(value.textValue());
            case "N" -> AttributeValue.fromN(value.textValue());
            case "BOOL" -> AttributeValue.fromBool(value.booleanValue());
            case "M" -> AttributeValue.fromM(map(value));
            case "L" -> {
                List<AttributeValue> list = new ArrayList<>();
                value.forEach(one -> list.add(value(one)));
                yield AttributeValue.fromL(list);
            }
            default -> throw new IllegalArgumentException("type " + typed.getKey() + " is used by no item of ours");
        };
    }
}
