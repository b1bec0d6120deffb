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
import java.util.Set;
import java.util.TreeSet;

/**
 * What {@code deployment.json} and {@code tenants.json} say, as far as operators' commands need it. The infrastructure reads
 * the same files and is stricter with them.
 *
 * @param name begins the name of everything
 */
public record DeploymentFiles(String name, String region, String domain, List<TenantEntry> tenants) {
    private static final JsonMapper JSON = new JsonMapper();

    /** @param maximum containers at most */
    public record TenantEntry(TenantId id, Mode mode, Set<String> numbers, String accountSid, int maximum) {
        /** Phone numbers stay out of messages. */
        @Override
        public String toString() {
            return "TenantEntry[" + id + "]";
        }
    }

    /** @throws IllegalArgumentException if they cannot be read */
    public static DeploymentFiles read(Path directory) {
        JsonNode deployment = tree(directory.resolve("deployment.json"));
        List<TenantEntry> tenants = new ArrayList<>();
        for (JsonNode tenant : tree(directory.resolve("tenants.json")).path("tenants")) {
            Set<String> numbers = new TreeSet<>();
            tenant.path("numbers").forEach(number -> numbers.add(number.asText()));
            tenants.add(new TenantEntry(
                    new TenantId(tenant.path("id").asText()),
                    tenant.path("mode").asText().equals("production") ? Mode.PRODUCTION : Mode.ON_DEMAND,
                    numbers,
                    tenant.path("accountSid").asText(),
                    tenant.path("maximum").asInt(20)));
        }
        return new DeploymentFiles(
                deployment.path("name").asText(),
                deployment.path("region").asText(),
                deployment.path("domain").asText(),
                tenants);
    }

    private static JsonNode tree(Path file) {
        try {
            return JSON.readTree(file.toFile());
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    public String publicUrl() {
        return "https://api." + domain;
    }

    public String voiceUrl(TenantId tenant) {
        return "https://" + tenant + "." + domain + "/voice";
    }

    public String tenantSecret(TenantId tenant) {
        return name + "/tenant/" + tenant;
    }

    public String service(PoolId pool) {
        return name + "-" + pool;
    }
}
