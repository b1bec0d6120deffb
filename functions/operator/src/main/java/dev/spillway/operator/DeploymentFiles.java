package dev.spillway.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Mode;
import dev.spillway.core.tenant.TenantId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What {@code deployment.json} and {@code tenants.json} say, as far as operators' commands need it. The infrastructure reads
 * the same files and is stricter with them.
 *
 * @param name begins the name of everything
 * @param gatewayMaximum containers of the gateway at most
 * @param existing what the deployment uses and did not make
 */
public record DeploymentFiles(
        String name, String region, String domain, int gatewayMaximum, Existing existing, List<TenantEntry> tenants) {
    private static final JsonMapper JSON = new JsonMapper();

    /** The infrastructure's defaults. */
    private static final int USUAL_GATEWAY_MAXIMUM = 10;

    private static final int USUAL_MAXIMUM = 20;

    private static final double USUAL_DIALS = 1;

    /** CPU units to a vCPU. */
    private static final int WHOLE_VCPU = 1024;

    /**
     * Each is empty where the deployment makes its own.
     *
     * @param cluster its name
     * @param listener its ARN
     * @param certificate its ARN
     */
    public record Existing(
            Optional<String> cluster, Optional<String> listener, Optional<String> certificate, List<String> subnets) {
        public static final Existing NOTHING =
                new Existing(Optional.empty(), Optional.empty(), Optional.empty(), List.of());

        public Existing {
            subnets = List.copyOf(subnets);
        }
    }

    /**
     * @param maximum containers at most
     * @param vcpus of each container
     * @param dialsPerSecond calls out that it asks Twilio for; 0 if it makes none
     */
    public record TenantEntry(
            TenantId id,
            Mode mode,
            Set<String> numbers,
            String accountSid,
            int maximum,
            double vcpus,
            double dialsPerSecond) {
        /** Phone numbers stay out of messages. */
        @Override
        public String toString() {
            return "TenantEntry[" + id + "]";
        }
    }

    public DeploymentFiles {
        tenants = List.copyOf(tenants);
    }

    /** @throws IllegalArgumentException if they cannot be read */
    public static DeploymentFiles read(Path directory) {
        JsonNode deployment = tree(directory.resolve("deployment.json"));
        List<TenantEntry> tenants = new ArrayList<>();
        for (JsonNode tenant : tree(directory.resolve("tenants.json")).path("tenants")) {
            tenants.add(new TenantEntry(
                    new TenantId(tenant.path("id").asText()),
                    tenant.path("mode").asText().equals("production") ? Mode.PRODUCTION : Mode.ON_DEMAND,
                    new TreeSet<>(texts(tenant.path("numbers"))),
                    tenant.path("accountSid").asText(),
                    tenant.path("maximum").asInt(USUAL_MAXIMUM),
                    (double) tenant.path("cpu").asInt(WHOLE_VCPU) / WHOLE_VCPU,
                    tenant.has("outbound")
                            ? tenant.at("/outbound/dialsPerSecond").asDouble(USUAL_DIALS)
                            : 0));
        }
        JsonNode existing = deployment.path("existing");
        return new DeploymentFiles(
                deployment.path("name").asText(),
                deployment.path("region").asText(),
                deployment.path("domain").asText(),
                deployment.at("/gateway/maximum").asInt(USUAL_GATEWAY_MAXIMUM),
                new Existing(
                        text(existing.path("cluster")),
                        text(existing.at("/loadBalancer/listenerArn")),
                        text(existing.path("certificate")),
                        texts(existing.at("/vpc/subnets"))),
                tenants);
    }

    private static Optional<String> text(JsonNode node) {
        return node.isTextual() ? Optional.of(node.asText()) : Optional.empty();
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(element -> texts.add(element.asText()));
        return texts;
    }

    private static JsonNode tree(Path file) {
        try {
            return JSON.readTree(file.toFile());
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** The name of the cluster in which every service is. */
    public String cluster() {
        return existing.cluster().orElse(name);
    }

    public String publicUrl() {
        return "https://" + apiHost();
    }

    private String apiHost() {
        return "api." + domain;
    }

    /** The names under which Twilio comes: the HTTP API's and every pool's. */
    public List<String> hosts() {
        return Stream.concat(
                        Stream.of(apiHost(), PoolId.GATEWAY + "." + domain),
                        tenants.stream().map(tenant -> host(tenant.id())))
                .toList();
    }

    private String host(TenantId tenant) {
        return tenant + "." + domain;
    }

    public String voiceUrl(TenantId tenant) {
        return "https://" + host(tenant) + "/voice";
    }

    public String tenantSecret(TenantId tenant) {
        return name + "/tenant/" + tenant;
    }

    public String service(PoolId pool) {
        return name + "-" + pool;
    }

    /** Of a function, by its id. */
    public String function(String id) {
        return name + "-" + id;
    }
}
