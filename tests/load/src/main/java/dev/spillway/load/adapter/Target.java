package dev.spillway.load.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A Spillway system: what {@code ./spillway local --info FILE} writes, or the same keys written by hand for a deployed one.
 *
 * @param gatewayUrl of the gateway's load balancer; null if streams to it cannot be told from others
 * @param twilioUrl of the local stack's Twilio stand-in; null if the system asks the real one
 * @param agentTakes what a class may say of its agent, and has an effect: the target's agent reads it from the media stream
 * @param key signs requests to the HTTP API; null for unsigned ones
 */
public record Target(
        URI apiUrl,
        @Nullable URI gatewayUrl,
        @Nullable URI twilioUrl,
        @Nullable ApiKey key,
        List<Tenant> tenants,
        Set<String> agentTakes) {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]", "::1");

    public Target {
        tenants = List.copyOf(tenants);
        agentTakes = Set.copyOf(agentTakes);
    }

    /** A target whose agent takes nothing from a class. */
    public Target(
            URI apiUrl, @Nullable URI gatewayUrl, @Nullable URI twilioUrl, @Nullable ApiKey key, List<Tenant> tenants) {
        this(apiUrl, gatewayUrl, twilioUrl, key, tenants, Set.of());
    }

    /** Whether a URL with that host stays on this machine, and so needs nobody's leave. */
    public static boolean isLoopback(String host) {
        return LOOPBACK.contains(host);
    }

    /** AWS keys, with the token of a session or without. */
    public record ApiKey(
            String accessKeyId,
            String secretAccessKey,
            @Nullable String sessionToken) {
        @Override
        public String toString() {
            return "ApiKey[" + accessKeyId + "]";
        }
    }

    /**
     * One who has a number.
     *
     * @param authToken signs the webhooks
     * @param loadBalancerUrl whose {@code /voice} is the number's primary URL
     */
    public record Tenant(String id, String number, String accountSid, String authToken, URI loadBalancerUrl) {
        @Override
        public String toString() {
            return "Tenant[" + id + "]";
        }
    }

    /** @throws IOException if it is no such file, or names a number that is somebody's */
    public static Target read(Path file, Map<String, String> environment) throws IOException {
        JsonNode node = new ObjectMapper().readTree(file.toFile());
        String api = node.path("apiUrl").asText();
        List<Tenant> tenants = new ArrayList<>();
        for (JsonNode one : node.path("tenants")) {
            String number = one.path("number").asText();
            if (!TestNumbers.isOne(number)) {
                throw new IOException(
                        file + ": the number of tenant " + one.path("id").asText()
                                + " is not one that Twilio keeps for tests (+1500555 and four digits)");
            }
            tenants.add(new Tenant(
                    one.path("id").asText(),
                    number,
                    one.path("accountSid").asText(),
                    one.path("authToken").asText(),
                    URI.create(one.path("loadBalancerUrl").asText())));
        }
        if (api.isEmpty() || tenants.isEmpty()) {
            throw new IOException(file + " is not what ./spillway local --info FILE writes: no apiUrl, or no tenants");
        }
        Set<String> takes = new LinkedHashSet<>();
        node.path("agentTakes").forEach(one -> takes.add(one.asText()));
        return new Target(
                URI.create(api),
                uri(node, "gatewayUrl"),
                uri(node, "twilioUrl"),
                key(node, environment),
                tenants,
                takes);
    }

    private static @Nullable URI uri(JsonNode node, String key) {
        String text = node.path(key).asText("");
        return text.isEmpty() ? null : URI.create(text);
    }

    private static @Nullable ApiKey key(JsonNode node, Map<String, String> environment) {
        JsonNode operator = node.path("operator");
        if (operator.isObject()) {
            return new ApiKey(
                    operator.path("accessKeyId").asText(),
                    operator.path("secretAccessKey").asText(),
                    null);
        }
        String id = environment.get("AWS_ACCESS_KEY_ID");
        String secret = environment.get("AWS_SECRET_ACCESS_KEY");
        return id == null || secret == null ? null : new ApiKey(id, secret, environment.get("AWS_SESSION_TOKEN"));
    }

    /** @throws IllegalArgumentException if there is none of that name */
    Tenant tenant(@Nullable String id) {
        return tenants.stream()
                .filter(tenant -> id == null || tenant.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the target has no tenant '" + id + "'"));
    }

    /** Every host that a run would talk to. */
    Set<String> hosts() {
        Set<String> hosts = new LinkedHashSet<>();
        hosts.add(String.valueOf(apiUrl.getHost()));
        tenants.forEach(
                tenant -> hosts.add(String.valueOf(tenant.loadBalancerUrl().getHost())));
        if (gatewayUrl != null) {
            hosts.add(String.valueOf(gatewayUrl.getHost()));
        }
        if (twilioUrl != null) {
            hosts.add(String.valueOf(twilioUrl.getHost()));
        }
        return hosts;
    }
}
