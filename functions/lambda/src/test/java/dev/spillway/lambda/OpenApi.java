package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code functions/openapi.yaml}, and whether what handlers do is what it says. */
final class OpenApi {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final SchemaValidatorsConfig CONFIG =
            SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build();
    static final JsonNode DOCUMENT = read();

    private OpenApi() {}

    private static JsonNode read() {
        try {
            return new YAMLMapper().readTree(Path.of("../openapi.yaml").toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * An answer of a route has a documented status, the media type of it, and a body that fits; a request that was accepted
     * fits, too. What is no route never reaches a handler, so nothing is said of it.
     */
    static APIGatewayV2HTTPResponse check(
            String method, String path, @Nullable String request, APIGatewayV2HTTPResponse response) {
        Optional<JsonNode> operation = operation(method, path);
        if (operation.isEmpty()) {
            return response;
        }
        String what = method + " " + path + " " + response.getStatusCode() + " " + response.getBody();
        JsonNode documented =
                resolved(operation.get().path("responses").path(String.valueOf(response.getStatusCode())));
        assertThat(documented.isObject()).as("documented: " + what).isTrue();
        documented
                .path("headers")
                .properties()
                .forEach(header -> assertThat(response.getHeaders())
                        .as(what)
                        .containsKey(header.getKey().toLowerCase(Locale.ROOT)));
        if (response.getBody() == null) {
            assertThat(documented.has("content")).as(what).isFalse();
            return response;
        }
        String type = response.getHeaders().getOrDefault("content-type", "").split(";", 2)[0];
        JsonNode content = documented.path("content").path(type);
        assertThat(content.isObject()).as("media type of " + what).isTrue();
        if (type.endsWith("json")) {
            assertThat(problems(content.path("schema"), response.getBody()))
                    .as(what)
                    .isEmpty();
        }
        if (request != null && response.getStatusCode() < 300) {
            JsonNode schema = resolved(operation.get().path("requestBody")).at("/content/application~1json/schema");
            if (schema.isObject()) {
                assertThat(problems(schema, request))
                        .as(what + " to " + request)
                        .isEmpty();
            }
        }
        return response;
    }

    private static Set<ValidationMessage> problems(JsonNode schema, String body) {
        ObjectNode whole = JSON.createObjectNode();
        whole.set("components", DOCUMENT.path("components"));
        schema.properties().forEach(word -> whole.set(word.getKey(), word.getValue()));
        try {
            return JsonSchemaFactory.getInstance(VersionFlag.V202012)
                    .getSchema(whole, CONFIG)
                    .validate(JSON.readTree(body));
        } catch (JsonProcessingException e) {
            throw new AssertionError("not JSON: " + body, e);
        }
    }

    /** What is documented for the most specific path that matches. */
    private static Optional<JsonNode> operation(String method, String path) {
        return DOCUMENT.path("paths").properties().stream()
                .filter(template -> path.matches(template.getKey().replaceAll("\\{[a-z]+}", "[^/]+")))
                .map(template -> template.getValue().path(method.toLowerCase(Locale.ROOT)))
                .filter(JsonNode::isObject)
                .findFirst();
    }

    static JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? DOCUMENT.at(node.path("$ref").asText().substring(1)) : node;
    }

    static JsonNode schema(String name) {
        JsonNode schema = DOCUMENT.at("/components/schemas/" + name);
        assertThat(schema.isObject()).as(name).isTrue();
        return schema;
    }
}
