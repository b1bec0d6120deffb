package dev.spillway.media.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.ContainerId;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The metadata endpoint (version 4) and the agent's task protection (FACTS 7). Every method blocks for two seconds at most.
 */
public final class EcsHost implements Host {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MILLIS = 2_000;
    private static final int LONGEST_BODY = 1 << 20;

    private final String agentUri;
    private final String metadataUri;

    /**
     * @param agentUri {@code ECS_AGENT_URI}
     * @param metadataUri {@code ECS_CONTAINER_METADATA_URI_V4}
     */
    public EcsHost(String agentUri, String metadataUri) {
        this.agentUri = agentUri;
        this.metadataUri = metadataUri;
    }

    @Override
    public Identity identity() {
        JsonNode task = ask("GET", metadataUri + "/task", null);
        String arn = task.path("TaskARN").asText();
        String address = task.path("Containers")
                .path(0)
                .path("Networks")
                .path(0)
                .path("IPv4Addresses")
                .path(0)
                .asText();
        Optional<ContainerId> id = ContainerId.parse(arn.substring(arn.lastIndexOf('/') + 1));
        if (id.isEmpty() || address.isEmpty()) {
            throw new DependencyException(
                    "task metadata", "no TaskARN or no IPv4 address in the answer", new IOException(arn));
        }
        return new Identity(
                id.get(),
                address,
                task.path("Family").asText() + ":" + task.path("Revision").asText());
    }

    @Override
    public Granted protect(int minutes) {
        JsonNode answer = ask(
                "PUT",
                agentUri + "/task-protection/v1/state",
                "{\"ProtectionEnabled\":true,\"ExpiresInMinutes\":" + minutes + "}");
        String expires = answer.path("protection").path("ExpirationDate").asText();
        if (answer.path("protection").path("ProtectionEnabled").asBoolean() && !expires.isEmpty()) {
            try {
                return new Granted.Until(Instant.parse(expires));
            } catch (DateTimeParseException e) {
                throw new DependencyException("ECS agent", "no date: " + expires, e);
            }
        }
        String refused = answer.path("failure").path("Reason").asText();
        if (refused.isEmpty()) {
            throw new DependencyException(
                    "ECS agent",
                    "no protection: " + answer.path("error").path("Code").asText("unknown answer"),
                    new IOException("PUT task-protection"));
        }
        return new Granted.Refused(refused);
    }

    @Override
    public void unprotect() {
        JsonNode answer = ask("PUT", agentUri + "/task-protection/v1/state", "{\"ProtectionEnabled\":false}");
        if (!answer.has("protection")) {
            throw new DependencyException(
                    "ECS agent", "the protection was not dropped", new IOException("PUT task-protection"));
        }
    }

    private static JsonNode ask(String method, String url, @Nullable String body) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create(url).toURL().openConnection();
            try {
                connection.setConnectTimeout(MILLIS);
                connection.setReadTimeout(MILLIS);
                connection.setRequestMethod(method);
                connection.setRequestProperty("Connection", "close");
                if (body != null) {
                    connection.setDoOutput(true);
                    connection.setRequestProperty("Content-Type", "application/json");
                    try (var out = connection.getOutputStream()) {
                        out.write(body.getBytes(StandardCharsets.UTF_8));
                    }
                }
                InputStream in =
                        connection.getResponseCode() < 400 ? connection.getInputStream() : connection.getErrorStream();
                if (in == null) {
                    throw new IOException("status " + connection.getResponseCode() + " without a body");
                }
                try (in) {
                    return JSON.readTree(in.readNBytes(LONGEST_BODY));
                }
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            throw new DependencyException("task host", method + " " + url + " failed", e);
        }
    }
}
