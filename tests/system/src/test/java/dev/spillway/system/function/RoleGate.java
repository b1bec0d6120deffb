package dev.spillway.system.function;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.adapters.aws.ContainerAccess;
import dev.spillway.core.pool.PoolId;
import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * AWS as a pool's containers reach it under their task role: what the role allows goes on to the stand-in that it is meant
 * for, everything else is refused as IAM refuses it. Both are noted, so that a role can be compared with what is used.
 *
 * <p>It looks at what IAM looks at: the action, and with the table the partition keys of the items
 * ({@code dynamodb:LeadingKeys}).
 */
final class RoleGate implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Longer than any container waits. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What the SDK says before the operation's name, and what IAM calls the service. */
    private static final Map<String, String> SERVICES =
            Map.of("DynamoDB_20120810", "dynamodb", "AWSEvents", "events", "secretsmanager", "secretsmanager");

    /** What the HTTP client writes itself. */
    private static final Set<String> OWN = Set.of("host", "content-length", "connection", "expect", "upgrade");

    private final List<String> allowed;
    private final Map<String, URI> upstream;
    private final SortedSet<String> used = new ConcurrentSkipListSet<>();
    private final SortedSet<String> refused = new ConcurrentSkipListSet<>();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();
    private final LocalHttpServer server;

    /**
     * @param allowed as {@link ContainerAccess#actions()} has it; of several keys that fit, the first counts
     * @param upstream the stand-ins by the names of their services: {@code dynamodb}, {@code events}, {@code secretsmanager}
     */
    RoleGate(String name, List<String> allowed, Map<String, URI> upstream) {
        this.allowed = List.copyOf(allowed);
        this.upstream = Map.copyOf(upstream);
        this.server = new LocalHttpServer("role of " + name, 0, this::answer);
    }

    /** The role that the pool's containers are given. */
    static RoleGate of(PoolId pool, Map<String, URI> upstream) {
        ContainerAccess access = ContainerAccess.of(pool);
        List<String> ordered = Stream.concat(
                        access.table().entrySet().stream()
                                .flatMap(keys -> keys.getValue().stream().map(action -> action + " " + keys.getKey())),
                        access.others().stream())
                .toList();
        return new RoleGate(pool.value(), ordered, upstream);
    }

    LocalHttpServer server() {
        return server;
    }

    URI url() {
        return server.url();
    }

    /** Those of the role's permissions that were needed so far. */
    SortedSet<String> used() {
        return new TreeSet<>(used);
    }

    /** What was asked for and is not in the role: the action, and the item's partition key. */
    SortedSet<String> refused() {
        return new TreeSet<>(refused);
    }

    private Response answer(Request request) throws IOException, InterruptedException {
        String[] target = request.headers().getOrDefault("x-amz-target", "").split("\\.", 2);
        String service = SERVICES.getOrDefault(target[0], "unknown");
        String action = service + ":" + target[target.length - 1];
        JsonNode input = JSON.readTree(request.body());
        boolean passes = true;
        for (String key : keys(service, input)) {
            passes &= permits(action, key);
        }
        URI stands = upstream.get(service);
        if (!passes || stands == null) {
            return Response.json(
                    400,
                    "{\"__type\":\"AccessDeniedException\",\"message\":\"not authorized to perform: " + action + "\"}");
        }
        return passedOn(request, stands);
    }

    private boolean permits(String action, String key) {
        String asked = key.isEmpty() ? action : action + " " + key;
        for (String permission : allowed) {
            if (Pattern.matches(
                    Stream.of(permission.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")),
                    asked)) {
                used.add(permission);
                return true;
            }
        }
        refused.add(asked);
        return false;
    }

    /** The partition keys that a request is about, which no request to the table is without; one empty text for others. */
    private static List<String> keys(String service, JsonNode input) {
        if (!service.equals("dynamodb")) {
            return List.of("");
        }
        if (input.has("IndexName")) {
            return List.of("index " + input.path("IndexName").asText());
        }
        return Stream.of("/Key/pk/S", "/Item/pk/S", "/ExpressionAttributeValues/:pk/S")
                .map(input::at)
                .filter(JsonNode::isTextual)
                .map(JsonNode::asText)
                .findFirst()
                .map(List::of)
                .orElse(List.of("(no key)"));
    }

    private Response passedOn(Request request, URI stands) throws InterruptedException {
        HttpRequest.Builder on = HttpRequest.newBuilder(stands.resolve(request.target()))
                .timeout(PATIENCE)
                .method(request.method(), BodyPublishers.ofByteArray(request.body()));
        request.headers().forEach((name, value) -> {
            if (!OWN.contains(name)) {
                on.header(name, value);
            }
        });
        try {
            HttpResponse<byte[]> answer = http.send(on.build(), BodyHandlers.ofByteArray());
            Map<String, String> headers = new TreeMap<>();
            answer.headers().map().forEach((name, values) -> {
                if (!OWN.contains(name) && !name.startsWith(":") && !name.equals("transfer-encoding")) {
                    headers.put(name, String.join(",", values));
                }
            });
            return new Response(answer.statusCode(), headers, answer.body());
        } catch (IOException e) {
            return Response.NONE; // the stand-in is down, and so is the connection to it
        }
    }

    @Override
    public void close() {
        server.close();
        http.shutdownNow();
    }
}
