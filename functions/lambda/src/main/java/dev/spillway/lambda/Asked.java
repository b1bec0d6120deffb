package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A request of the HTTP API, read from API Gateway's payload. */
record Asked(
        String method,
        List<String> path,
        Map<String, String> headers,
        Map<String, String> query,
        String rawBody,
        boolean inBase64) {
    static Asked of(APIGatewayV2HTTPEvent event) {
        var context = event.getRequestContext();
        String method = context == null
                        || context.getHttp() == null
                        || context.getHttp().getMethod() == null
                ? ""
                : context.getHttp().getMethod();
        String path = event.getRawPath() == null ? "" : event.getRawPath();
        return new Asked(
                method,
                List.of(path.substring(path.isEmpty() ? 0 : 1).split("/", -1)),
                event.getHeaders() == null ? Map.of() : event.getHeaders(),
                event.getQueryStringParameters() == null ? Map.of() : event.getQueryStringParameters(),
                event.getBody() == null ? "" : event.getBody(),
                event.getIsBase64Encoded());
    }

    /** One part of the path; empty beyond its end. */
    String part(int index) {
        return index < path.size() ? path.get(index) : "";
    }

    boolean isJson() {
        String type = header("content-type").orElse("").split(";", 2)[0].strip();
        return type.equalsIgnoreCase("application/json");
    }

    /** @param name in lower case */
    Optional<String> header(String name) {
        return headers.entrySet().stream()
                .filter(entry -> entry.getKey().toLowerCase(Locale.ROOT).equals(name))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /** Empty if it is not the base64 that it is said to be. */
    Optional<String> body() {
        if (!inBase64) {
            return Optional.of(rawBody);
        }
        try {
            return Optional.of(new String(Base64.getDecoder().decode(rawBody), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
