package dev.spillway.adapters.secrets;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.spillway.adapters.aws.Failure;
import dev.spillway.core.DependencyException;
import java.util.Optional;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;

/** Reads secrets. What is in one never gets into a message: a parser's message would repeat it, so it is not passed on. */
final class SecretText {
    private static final String DEPENDENCY = "secrets";
    private static final JsonMapper JSON = new JsonMapper();

    private final SecretsManagerClient client;

    SecretText(SecretsManagerClient client) {
        this.client = client;
    }

    /** The JSON object in the secret. */
    JsonNode read(String name) {
        String text;
        try {
            text = client.getSecretValue(request -> request.secretId(name)).secretString();
        } catch (SdkException e) {
            throw Failure.of(e).toException(DEPENDENCY, "reading secret " + name, e);
        }
        try {
            JsonNode tree = text == null ? JSON.missingNode() : JSON.readTree(text);
            if (tree.isObject()) {
                return tree;
            }
        } catch (JsonProcessingException e) {
            // Told below, without the parser's message.
        }
        throw wrong(name, "it is not a JSON object");
    }

    /** A text in it, if it is there and not blank. */
    static Optional<String> field(JsonNode secret, String field) {
        return Optional.ofNullable(secret.get(field))
                .filter(JsonNode::isTextual)
                .map(JsonNode::textValue)
                .filter(text -> !text.isBlank());
    }

    static DependencyException wrong(String name, String what) {
        return new DependencyException(DEPENDENCY, "secret " + name + ": " + what, new IllegalStateException(what));
    }
}
