package dev.spillway.media;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * Answers whatever a starting container asks, on loopback and just well enough for a rehearsal: items are kept as they were
 * put, every update succeeds without effect, every protection is granted.
 */
final class TrainingGround implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final Map<String, JsonNode> items = new TreeMap<>();

    TrainingGround() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String target = exchange.getRequestHeaders().getFirst("X-Amz-Target");
        byte[] asked = exchange.getRequestBody().readAllBytes();
        String answer = target == null
                ? host(exchange.getRequestURI().getPath())
                : service(target.substring(target.indexOf('.') + 1), JSON.readTree(asked))
                        .toString();
        byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/x-amz-json-1.0");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static String host(String path) {
        return path.endsWith("/task")
                ? "{\"TaskARN\":\"arn:aws:ecs:local:0:task/training/training\",\"Family\":\"training\",\"Revision\":\"1\","
                        + "\"Containers\":[{\"Networks\":[{\"IPv4Addresses\":[\"127.0.0.1\"]}]}]}"
                : "{\"protection\":{\"ProtectionEnabled\":true,\"ExpirationDate\":\"2100-01-01T00:00:00Z\"}}";
    }

    private synchronized ObjectNode service(String operation, JsonNode request) {
        ObjectNode answer = JSON.createObjectNode();
        switch (operation) {
            case "PutItem" -> items.put(key(request.path("Item")), request.path("Item"));
            case "GetItem" -> {
                JsonNode item = items.get(key(request.path("Key")));
                if (item != null) {
                    answer.set("Item", item);
                }
            }
            case "UpdateItem" -> {
                JsonNode item = items.get(key(request.path("Key")));
                if (item != null) {
                    answer.set("Attributes", item);
                }
            }
            case "Query" -> {
                String partition = firstValue(request.path("ExpressionAttributeValues"));
                ArrayNode found = answer.putArray("Items");
                items.forEach((key, item) -> {
                    if (item.path("pk").path("S").asText().equals(partition)) {
                        found.add(item);
                    }
                });
            }
            case "GetSecretValue" -> answer.put("SecretString", "{\"authToken\":\"" + Training.TOKEN + "\"}");
            default -> answer.put("FailedEntryCount", 0).putArray("Entries");
        }
        return answer;
    }

    private static String firstValue(JsonNode values) {
        return values.properties().stream()
                .findFirst()
                .map(entry -> entry.getValue().path("S").asText())
                .orElse("");
    }

    private static String key(JsonNode item) {
        return item.path("pk").path("S").asText() + "|"
                + item.path("sk").path("S").asText();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
