package dev.spillway.adapters.secrets;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.spillway.adapters.aws.Failure;
import dev.spillway.core.DependencyException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;

/**
 * Reads secrets, token by token: a mapper of trees would be a tenth of a function's start. What is in one never gets into
 * a message: a parser's message would repeat it, so it is not passed on.
 */
final class SecretText {
    private static final String DEPENDENCY = "secrets";
    private static final JsonFactory JSON = new JsonFactory();

    private final SecretsManagerClient client;

    SecretText(SecretsManagerClient client) {
        this.client = client;
    }

    /** The texts of the JSON object in the secret, by their names. */
    Map<String, String> read(String name) {
        String text;
        try {
            text = client.getSecretValue(request -> request.secretId(name)).secretString();
        } catch (SdkException e) {
            throw Failure.of(e).toException(DEPENDENCY, "reading secret " + name, e);
        }
        try {
            return texts(text == null ? "" : text).orElseThrow(() -> wrong(name, "it is not a JSON object"));
        } catch (IOException e) {
            // Without the parser's message.
            throw wrong(name, "it is not a JSON object");
        }
    }

    private static Optional<Map<String, String>> texts(String object) throws IOException {
        try (JsonParser json = JSON.createParser(object)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return Optional.empty();
            }
            Map<String, String> texts = new HashMap<>();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                if (json.nextToken() == JsonToken.VALUE_STRING) {
                    texts.put(field, json.getText());
                } else {
                    json.skipChildren();
                }
            }
            return Optional.of(texts);
        }
    }

    /** A text in it, if it is there and not blank. */
    static Optional<String> field(Map<String, String> secret, String field) {
        return Optional.ofNullable(secret.get(field)).filter(text -> !text.isBlank());
    }

    static DependencyException wrong(String name, String what) {
        return new DependencyException(DEPENDENCY, "secret " + name + ": " + what, new IllegalStateException(what));
    }
}
