package dev.spillway.localcloud;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Payload format 2.0 of API Gateway HTTP APIs, both ways. */
final class PayloadV2 {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final DateTimeFormatter CLF =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT).withZone(ZoneOffset.UTC);

    private PayloadV2() {}

    /** @param user who signed; null on a route without IAM */
    static byte[] event(RouteTemplate route, Request request, @Nullable IamUser user) {
        ObjectNode event = JSON.createObjectNode();
        event.put("version", "2.0").put("routeKey", route.key()).put("rawPath", request.path());
        event.put("rawQueryString", request.query());
        Map<String, String> headers = new LinkedHashMap<>(request.headers());
        String cookie = headers.remove("cookie");
        if (cookie != null) {
            var cookies = event.putArray("cookies");
            for (String one : cookie.split("; *")) {
                cookies.add(one);
            }
        }
        headers.put("x-forwarded-for", "127.0.0.1");
        headers.put("x-forwarded-proto", "http");
        ObjectNode headerNode = event.putObject("headers");
        headers.forEach(headerNode::put);
        Map<String, String> query = queryParameters(request.query());
        if (!query.isEmpty()) {
            ObjectNode node = event.putObject("queryStringParameters");
            query.forEach(node::put);
        }
        context(event.putObject("requestContext"), route, request, user);
        Map<String, String> parameters = route.parameters(request.path());
        if (!parameters.isEmpty()) {
            ObjectNode node = event.putObject("pathParameters");
            parameters.forEach(node::put);
        }
        body(event, request);
        return event.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void context(ObjectNode context, RouteTemplate route, Request request, @Nullable IamUser user) {
        String host = request.headers().getOrDefault("host", "127.0.0.1");
        Instant now = Instant.now();
        context.put("accountId", "000000000000").put("apiId", "localcloud");
        if (user != null) {
            context.putObject("authorizer")
                    .putObject("iam")
                    .put("accessKey", user.accessKeyId())
                    .put("accountId", user.account())
                    .put("callerId", user.accessKeyId())
                    .putNull("cognitoIdentity")
                    .putNull("principalOrgId")
                    .put("userArn", user.arn())
                    .put("userId", user.accessKeyId());
        }
        context.put("domainName", host).put("domainPrefix", host.split("\\.", 2)[0]);
        context.putObject("http")
                .put("method", request.method())
                .put("path", request.path())
                .put("protocol", "HTTP/1.1")
                .put("sourceIp", "127.0.0.1")
                .put("userAgent", request.headers().getOrDefault("user-agent", ""));
        context.put("requestId", UUID.randomUUID().toString()).put("routeKey", route.key());
        context.put("stage", "$default").put("time", CLF.format(now)).put("timeEpoch", now.toEpochMilli());
    }

    private static void body(ObjectNode event, Request request) {
        boolean text = isText(request.headers().getOrDefault("content-type", ""));
        if (request.body().length > 0) {
            event.put("body", text ? request.text() : Base64.getEncoder().encodeToString(request.body()));
        }
        event.put("isBase64Encoded", !text && request.body().length > 0);
    }

    /** Only these come as text; form bodies come in base64. */
    private static boolean isText(String contentType) {
        String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return type.startsWith("text/") || type.endsWith("json") || type.endsWith("xml") || type.endsWith("javascript");
    }

    private static Map<String, String> queryParameters(String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair : query.split("&")) {
            if (!pair.isEmpty()) {
                String[] parts = pair.split("=", 2);
                parameters.merge(
                        decode(parts[0]), parts.length > 1 ? decode(parts[1]) : "", (one, other) -> one + "," + other);
            }
        }
        return parameters;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    /** What the client gets for a function's answer; empty if the answer is not JSON or not well formed. */
    static Optional<Response> response(byte[] answer) {
        try {
            JsonNode node = JSON.readTree(answer);
            if (node == null || node.isMissingNode()) {
                return Optional.empty();
            }
            if (node.isTextual()) {
                return Optional.of(Response.json(200, node.textValue()));
            }
            if (!node.isObject() || !node.has("statusCode")) {
                return Optional.of(Response.json(200, node.toString()));
            }
            return structured(node);
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<Response> structured(JsonNode node) {
        int status = node.get("statusCode").asInt();
        if (status < 100 || status > 599) {
            return Optional.empty();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        node.path("headers").properties().forEach(header -> {
            headers.put(
                    header.getKey().toLowerCase(Locale.ROOT), header.getValue().asText());
        });
        headers.remove("content-length");
        headers.putIfAbsent("content-type", "text/plain; charset=utf-8");
        JsonNode text = node.path("body");
        String body =
                text.isTextual() ? text.textValue() : text.isMissingNode() || text.isNull() ? "" : text.toString();
        byte[] bytes = node.path("isBase64Encoded").asBoolean()
                ? Base64.getDecoder().decode(body)
                : body.getBytes(StandardCharsets.UTF_8);
        return Optional.of(new Response(status, headers, bytes));
    }
}
