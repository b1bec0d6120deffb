package dev.spillway.system.conform;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A JSON Schema, of which it knows the words that the contract uses; it throws for any other. */
final class JsonShape {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final JsonNode schema;

    private JsonShape(JsonNode schema) {
        this.schema = schema;
    }

    static JsonShape read(Path file) throws IOException {
        return new JsonShape(JSON.readTree(file.toFile()));
    }

    /** What is wrong with it; nothing if it is valid. */
    List<String> problems(JsonNode value) {
        List<String> problems = new ArrayList<>();
        check("", schema, value, problems);
        return problems;
    }

    private static void check(String at, JsonNode schema, JsonNode value, List<String> problems) {
        for (Map.Entry<String, JsonNode> word : schema.properties()) {
            JsonNode wanted = word.getValue();
            String problem = switch (word.getKey()) {
                case "$schema", "title", "description", "properties", "additionalProperties", "required", "items" -> "";
                case "type" -> isOfType(value, wanted.asText()) ? "" : "is no " + wanted.asText();
                case "const" -> value.asText().equals(wanted.asText()) ? "" : "is not " + wanted;
                case "minimum" -> value.asLong() >= wanted.asLong() ? "" : "is below " + wanted;
                case "pattern" -> value.asText().matches(wanted.asText()) ? "" : "does not match " + wanted.asText();
                case "enum" -> isOneOf(wanted, value) ? "" : "is none of " + wanted;
                default -> throw new IllegalArgumentException("a schema has the unknown word " + word.getKey());
            };
            if (!problem.isEmpty()) {
                problems.add((at.isEmpty() ? "it" : at) + " " + problem);
            }
        }
        for (JsonNode name : schema.path("required")) {
            if (!value.has(name.asText())) {
                problems.add(at + "/" + name.asText() + " is missing");
            }
        }
        if (value.isArray() && schema.has("items")) {
            for (int i = 0; i < value.size(); i++) {
                check(at + "/" + i, schema.get("items"), value.get(i), problems);
            }
        }
        JsonNode known = schema.path("properties");
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            String name = at + "/" + field.getKey();
            if (known.has(field.getKey())) {
                check(name, known.get(field.getKey()), field.getValue(), problems);
            } else if (schema.path("additionalProperties").isObject()) {
                check(name, schema.get("additionalProperties"), field.getValue(), problems);
            }
        }
    }

    private static boolean isOfType(JsonNode value, String type) {
        return switch (type) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "integer" -> value.isIntegralNumber();
            case "boolean" -> value.isBoolean();
            default -> throw new IllegalArgumentException("a schema has the unknown type " + type);
        };
    }

    private static boolean isOneOf(JsonNode allowed, JsonNode value) {
        for (JsonNode one : allowed) {
            if (one.equals(value)) {
                return true;
            }
        }
        return false;
    }
}
