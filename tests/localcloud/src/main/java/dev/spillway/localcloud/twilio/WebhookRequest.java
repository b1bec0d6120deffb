package dev.spillway.localcloud.twilio;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** A webhook to be sent: a form by POST, or its fields in the query by GET; signed. */
record WebhookRequest(URI url, String method, Map<String, String> parameters, String authToken, boolean signFragment) {
    WebhookRequest {
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    }

    boolean isGet() {
        return method.equals("GET");
    }

    /** Where it goes: without the fragment, with the fields if they travel in the query. */
    URI target() {
        URI bare = ConnectionOverrides.withoutFragment(url);
        if (!isGet() || parameters.isEmpty()) {
            return bare;
        }
        return URI.create(bare + (bare.getRawQuery() == null ? "?" : "&") + form());
    }

    String form() {
        return parameters.entrySet().stream()
                .map(field -> encode(field.getKey()) + "=" + encode(field.getValue()))
                .collect(Collectors.joining("&"));
    }

    String signature() {
        String fragment = signFragment && url.getRawFragment() != null ? "#" + url.getRawFragment() : "";
        return Signature.of(authToken, target() + fragment, isGet() ? Map.of() : parameters);
    }

    @Override
    public String toString() {
        return "WebhookRequest[" + method + " " + url + "]"; // neither the token nor numbers reach a log
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
