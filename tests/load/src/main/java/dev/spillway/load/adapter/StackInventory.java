package dev.spillway.load.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sums what {@code GET /pools/{tenant}} says of the tenants that are called, and the calls out that this generator still
 * waits for, which no pool tells of. What a pool does not say is unobserved, of the sum too.
 */
final class StackInventory implements InventorySource {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Those take no calls; what is claimed of them is still claimed. */
    private static final Set<String> NOT_THERE = Set.of("LOST", "STOPPING", "STARTING");
    /** Instants say when something was set, and not what. */
    private static final Set<String> INSTANTS = Set.of("id", "since", "until", "at");

    private final SignedRequests api;
    private final List<String> tenants;
    private final Supplier<Waiting> waiting;

    /** Calls out that wait to be dialled. */
    record Waiting(int count, @Nullable Double oldestSeconds) {}

    StackInventory(SignedRequests api, List<String> tenants, Supplier<Waiting> waiting) {
        this.api = api;
        this.tenants = tenants;
        this.waiting = waiting;
    }

    /** A sum that is unknown as soon as one of its parts is. */
    private static final class Sum {
        private @Nullable Long value = 0L;

        void add(JsonNode part) {
            Long so = value;
            value = so == null || !part.isNumber() ? null : Long.valueOf(so + part.longValue());
        }

        void count(JsonNode list, int those) {
            Long so = value;
            value = so == null || !list.isArray() ? null : Long.valueOf(so + those);
        }

        @Nullable
        Integer count() {
            Long so = value;
            return so == null ? null : Integer.valueOf(so.intValue());
        }
    }

    @Override
    public Inventory read() throws IOException, InterruptedException {
        Sum containers = new Sum();
        Sum starting = new Sum();
        Sum claims = new Sum();
        Sum cleanup = new Sum();
        Sum slots = new Sum();
        Sum held = new Sum();
        Sum minimum = new Sum();
        Sum decisions = new Sum();
        Sum empty = new Sum();
        Double oldest = null;
        for (String tenant : tenants) {
            JsonNode pool = pool(tenant);
            JsonNode list = pool.path("containers");
            containers.count(list, there(list));
            empty.count(list, there(list) == 0 ? 1 : 0);
            claims.count(list, 0);
            cleanup.count(list, 0);
            slots.count(list, 0);
            for (JsonNode container : list) {
                if (isThere(container)) {
                    slots.add(container.path("slots").path("limit"));
                }
                claimed(container, claims, cleanup);
            }
            held.count(pool.path("held"), pool.path("held").size());
            for (JsonNode call : pool.path("held")) {
                JsonNode seconds = call.path("seconds");
                oldest = seconds.isNumber() ? older(oldest, seconds.doubleValue()) : oldest;
            }
            starting.add(pool.path("starting"));
            minimum.add(pool.path("policy").path("minimum"));
            decisions.add(pool.path("desired").path("version"));
        }
        Waiting out = waiting.get();
        return new Inventory(
                containers.count(),
                starting.count(),
                claims.count(),
                cleanup.count(),
                slots.count(),
                held.count(),
                oldest,
                out.count(),
                out.oldestSeconds(),
                minimum.count(),
                "pools " + String.join("+", tenants),
                decisions.value,
                empty.count());
    }

    private static boolean isThere(JsonNode container) {
        return !NOT_THERE.contains(container.path("state").asText());
    }

    private static int there(JsonNode containers) {
        int there = 0;
        for (JsonNode container : containers) {
            there += isThere(container) ? 1 : 0;
        }
        return there;
    }

    /** Also of a container that is lost: a claim that it left behind is a slot that nobody gets. */
    private static void claimed(JsonNode container, Sum claims, Sum cleanup) {
        claims.add(
                container.path("claims").isObject() ? JSON.getNodeFactory().numberNode(0) : container.path("claims"));
        for (Map.Entry<String, JsonNode> phase : container.path("claims").properties()) {
            claims.add(phase.getValue());
            if (phase.getKey().equalsIgnoreCase("cooldown")) {
                cleanup.add(phase.getValue());
            }
        }
    }

    @Override
    public Optional<ObjectNode> configuration() throws IOException, InterruptedException {
        ObjectNode all = JSON.createObjectNode();
        for (String tenant : tenants) {
            JsonNode pool = pool(tenant);
            ObjectNode one = all.putObject(tenant);
            one.set("policy", pool.path("policy").isMissingNode() ? null : pool.path("policy"));
            var orders = one.putArray("orders");
            for (JsonNode order : pool.path("orders")) {
                ObjectNode kept = order.deepCopy();
                kept.remove(INSTANTS);
                orders.add(kept);
            }
            Set<String> revisions = new TreeSet<>();
            pool.path("containers")
                    .forEach(container ->
                            revisions.add(container.path("revision").asText("unavailable")));
            var list = one.putArray("revisions");
            revisions.forEach(list::add);
        }
        return Optional.of(all);
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
