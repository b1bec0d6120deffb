package dev.spillway.load.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sums what {@code GET /pools/{tenant}} says of the tenants that are called. */
final class StackInventory implements InventorySource {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Those are not there any more. */
    private static final Set<String> GONE = Set.of("LOST", "STOPPING", "STARTING");

    private final SignedRequests api;
    private final List<String> tenants;

    StackInventory(SignedRequests api, List<String> tenants) {
        this.api = api;
        this.tenants = tenants;
    }

    @Override
    public Inventory read() throws IOException, InterruptedException {
        int containers = 0;
        int starting = 0;
        int claims = 0;
        int cleanup = 0;
        int slots = 0;
        int held = 0;
        Double oldest = null;
        int minimum = 0;
        long decisions = 0;
        for (String tenant : tenants) {
            JsonNode pool = pool(tenant);
            for (JsonNode container : pool.path("containers")) {
                if (GONE.contains(container.path("state").asText())) {
                    continue;
                }
                containers++;
                slots += container.path("slots").path("limit").asInt();
                for (Map.Entry<String, JsonNode> phase :
                        container.path("claims").properties()) {
                    claims += phase.getValue().asInt();
                    cleanup += phase.getKey().equalsIgnoreCase("cooldown")
                            ? phase.getValue().asInt()
                            : 0;
                }
            }
            for (JsonNode call : pool.path("held")) {
                held++;
                oldest = older(oldest, call.path("seconds").asDouble());
            }
            starting += pool.path("starting").asInt();
            minimum += pool.path("policy").path("minimum").asInt();
            decisions += pool.path("desired").path("version").asLong();
        }
        return new Inventory(
                containers,
                starting,
                claims,
                cleanup,
                slots,
                held,
                oldest,
                minimum,
                "pools " + String.join("+", tenants),
                decisions);
    }

    private static Double older(@Nullable Double one, double other) {
        return one == null ? other : Math.max(one, other);
    }

    private JsonNode pool(String tenant) throws IOException, InterruptedException {
        HttpResponse<String> answer = api.send("GET", "/pools/" + tenant, Map.of(), "");
        if (answer.statusCode() != 200) {
            throw new IOException("GET /pools/" + tenant + " was answered by " + answer.statusCode());
        }
        return JSON.readTree(answer.body());
    }
}
