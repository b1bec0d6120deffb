package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext.Http;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * As much of AWS as one rehearsed call needs, on loopback: a table that keeps what is put and agrees to every change, one
 * secret, and a bus that takes everything.
 */
final class RehearsalAws implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String PUBLIC_URL = "https://rehearsal.invalid";
    private static final String NUMBER = "+15005550001";
    private static final String ACCOUNT = "AC00000000000000000000000000000000";
    private static final TenantId TENANT = new TenantId("rehearsal");

    /** Signs the made-up webhook, and is nobody's. */
    private static final String TOKEN = "rehearsal";

    private final Map<String, JsonNode> items = new ConcurrentSkipListMap<>();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    RehearsalAws() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /** The function's own settings, but for where AWS is and who asks. */
    Map<String, String> environment(Map<String, String> own) {
        Map<String, String> all = new HashMap<>(own);
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        for (String service : new String[] {"DYNAMODB", "ECS", "EVENTBRIDGE", "SECRETS_MANAGER"}) {
            all.put("AWS_ENDPOINT_URL_" + service, url);
        }
        all.put("AWS_ACCESS_KEY_ID", "rehearsal");
        all.put("AWS_SECRET_ACCESS_KEY", "rehearsal");
        all.put("SPILLWAY_TABLE", "rehearsal");
        all.put("SPILLWAY_PUBLIC_URL", PUBLIC_URL);
        all.put("SPILLWAY_JOURNAL", "stderr");
        return all;
    }

    /** Puts what a call finds: its tenant, whose pool is empty, and a gateway container with room. */
    void set(Functions functions) {
        Instant now = Instant.now();
        ((DynamoTenants) functions.ports().tenants())
                .describe(new Tenant(
                        TENANT,
                        Set.of(NUMBER),
                        ACCOUNT,
                        "rehearsal",
                        new Persona("scripted", "alto", "Hello.", "Go on.", "Goodbye.")));
        DynamoPools pools = (DynamoPools) functions.ports().pools();
        Policy policy = new Policy(0, 10, 6, 0, Policy.ScaleOutRule.DEMAND, Policy.ScaleInRule.IDLE);
        pools.put(Pool.fresh(PoolId.of(TENANT), policy, "rehearsal", "wss://rehearsal.invalid", now));
        pools.put(Pool.fresh(PoolId.GATEWAY, policy, "gateway", "wss://gateway.invalid", now));
        functions
                .ports()
                .containers()
                .register(new Container(
                        PoolId.GATEWAY,
                        new ContainerId("0123456789abcdef0123456789abcdef"),
                        "rehearsal",
                        ContainerState.READY,
                        "",
                        now,
                        "127.0.0.1",
                        "1",
                        6,
                        Map.of(),
                        Report.empty(now),
                        now.plus(Duration.ofMinutes(1)),
                        now.plus(Duration.ofMinutes(10)),
                        now,
                        Instant.EPOCH,
                        false));
    }

    APIGatewayV2HTTPEvent webhook() {
        String path = "/twilio/fallback/" + TENANT;
        Map<String, String> form = new TreeMap<>(Map.of(
                "CallSid", "CA00000000000000000000000000000000",
                "AccountSid", ACCOUNT,
                "From", "+15005550006",
                "To", NUMBER,
                "CallStatus", "ringing",
                "Direction", "inbound",
                "ErrorCode", "11217",
                "ErrorUrl", "https://rehearsal.invalid/voice"));
        String body = form.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        StringBuilder signed = new StringBuilder(PUBLIC_URL + path);
        form.forEach((name, value) -> signed.append(name).append(value));
        return APIGatewayV2HTTPEvent.builder()
                .withRawPath(path)
                .withRawQueryString("")
                .withHeaders(Map.of(
                        "content-type",
                        "application/x-www-form-urlencoded; charset=utf-8",
                        "x-twilio-signature",
                        signature(signed.toString())))
                .withRequestContext(RequestContext.builder()
                        .withHttp(
                                Http.builder().withMethod("POST").withPath(path).build())
                        .build())
                .withBody(Base64.getEncoder().encodeToString(body.getBytes(StandardCharsets.UTF_8)))
                .withIsBase64Encoded(true)
                .build();
    }

    private static String signature(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(TOKEN.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA1", e);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode request = JSON.readTree(exchange.getRequestBody().readAllBytes());
            String target = String.valueOf(exchange.getRequestHeaders().getFirst("x-amz-target"));
            byte[] reply = JSON.writeValueAsBytes(reply(target.substring(target.indexOf('.') + 1), request));
            exchange.getResponseHeaders().set("content-type", "application/x-amz-json-1.0");
            exchange.sendResponseHeaders(200, reply.length);
            exchange.getResponseBody().write(reply);
        }
    }

    private ObjectNode reply(String operation, JsonNode request) {
        ObjectNode reply = JSON.createObjectNode();
        switch (operation) {
            case "PutItem" -> items.put(place(request.path("Item")), request.path("Item"));
            case "GetItem" -> find(request.path("Key"), reply, "Item");
            case "UpdateItem" -> find(request.path("Key"), reply, "Attributes");
            case "Query" -> {
                String partition =
                        request.at("/ExpressionAttributeValues/:pk/S").asText();
                ArrayNode found = reply.putArray("Items");
                items.forEach((place, item) -> {
                    if (place.startsWith(partition + "/")) {
                        found.add(item);
                    }
                });
                reply.put("Count", found.size());
            }
            case "GetSecretValue" ->
                reply.put("SecretString", "{\"authToken\":\"" + TOKEN + "\",\"key\":\"" + "A".repeat(44) + "\"}");
            case "PutEvents" -> {
                reply.put("FailedEntryCount", 0);
                reply.putArray("Entries").addObject().put("EventId", "rehearsal");
            }
            default -> reply.put("unknown", operation);
        }
        return reply;
    }

    private void find(JsonNode key, ObjectNode reply, String field) {
        JsonNode item = items.get(place(key));
        if (item != null) {
            reply.set(field, item);
        }
    }

    private static String place(JsonNode key) {
        return key.at("/pk/S").asText() + "/" + key.at("/sk/S").asText();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
