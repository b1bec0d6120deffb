package dev.spillway.localcloud;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** AWS Secrets Manager on loopback: GetSecretValue and PutSecretValue over JSON 1.1. Secrets can be set, rotated and removed while it runs. */
public final class SecretsStandIn implements AutoCloseable {

    private record Secret(String value, String versionId, Instant createdAt) {}

    private static final String GET = "secretsmanager.GetSecretValue";
    private static final String PUT = "secretsmanager.PutSecretValue";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Map<String, Secret> secrets = new ConcurrentHashMap<>();
    private final LocalHttpServer server;
    private volatile boolean down;

    /** Listens on {@code port}, 0 for any. */
    public SecretsStandIn(int port) {
        server = new LocalHttpServer("secrets", port, this::handle);
    }

    public URI url() {
        return server.url();
    }

    public LocalHttpServer server() {
        return server;
    }

    /** What a secret holds now; null if there is none. */
    public @Nullable String value(String name) {
        Secret secret = secrets.get(name);
        return secret == null ? null : secret.value();
    }

    /** Sets a secret; a new value is a new version. */
    public void put(String name, String value) {
        secrets.put(name, new Secret(value, UUID.randomUUID().toString(), Instant.now()));
    }

    public void remove(String name) {
        secrets.remove(name);
    }

    /** The ARN of a secret; GetSecretValue takes it in place of the name. */
    public static String arn(String name) {
        return "arn:aws:secretsmanager:" + EcsNames.REGION + ":" + EcsNames.ACCOUNT + ":secret:" + name + "-AbCdEf";
    }

    /** While down, connections are dropped without an answer. */
    public void down(boolean isDown) {
        down = isDown;
    }

    private LocalHttpServer.Response handle(LocalHttpServer.Request request) throws IOException {
        if (down) {
            return LocalHttpServer.Response.NONE;
        }
        String target = request.headers().getOrDefault("x-amz-target", "");
        JsonNode input = MAPPER.readTree(request.body());
        String name = nameOf(input.path("SecretId").asText());
        if (target.equals(PUT) && input.path("SecretString").isTextual()) {
            put(name, input.path("SecretString").asText());
        } else if (!target.equals(GET)) {
            return AwsJson.error(400, "UnknownOperationException", "only GetSecretValue and PutSecretValue are known");
        }
        @Nullable Secret secret = secrets.get(name);
        if (secret == null) {
            return AwsJson.error(400, "ResourceNotFoundException", "Secrets Manager can't find the specified secret.");
        }
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("ARN", arn(name));
        answer.put("Name", name);
        answer.put("VersionId", secret.versionId());
        if (target.equals(GET)) {
            answer.put("SecretString", secret.value());
        }
        answer.putArray("VersionStages").add("AWSCURRENT");
        answer.set("CreatedDate", EcsJson.epochSeconds(secret.createdAt()));
        return AwsJson.answer(answer);
    }

    private static String nameOf(String nameOrArn) {
        if (!nameOrArn.startsWith("arn:")) {
            return nameOrArn;
        }
        String named = nameOrArn.substring(nameOrArn.lastIndexOf(":secret:") + ":secret:".length());
        return named.endsWith("-AbCdEf") ? named.substring(0, named.length() - "-AbCdEf".length()) : named;
    }

    @Override
    public void close() {
        server.close();
    }
}
