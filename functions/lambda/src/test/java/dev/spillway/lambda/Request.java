package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext.Http;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** A webhook as API Gateway delivers it; correctly signed unless a test makes it wrong. */
final class Request {
    private String method = "POST";
    private String path;
    private String query = "";
    private String type = "application/x-www-form-urlencoded; charset=utf-8";
    private final Map<String, String> params = new TreeMap<>();
    private String token = World.TOKEN;
    private @Nullable String signature;
    private @Nullable String signedUrl;
    private @Nullable String body;
    private boolean signed = true;

    private Request(String path) {
        this.path = path;
    }

    /** An inbound call of acme's. */
    static Request of(String path) {
        Request request = new Request(path);
        request.params.putAll(Map.of(
                "CallSid", World.call().value(),
                "AccountSid", World.ACCOUNT,
                "From", "+15005550006",
                "To", World.NUMBER,
                "CallStatus", "ringing",
                "Direction", "inbound",
                "ApiVersion", "2010-04-01"));
        return request;
    }

    static Request fallback() {
        return of("/twilio/fallback/acme")
                .with("ErrorCode", "11217")
                .with("ErrorUrl", "https://media.example.com/voice");
    }

    static Request continued(String hop) {
        return of("/twilio/continue/acme/" + hop).with("CallStatus", "in-progress");
    }

    Request with(String name, String value) {
        params.put(name, value);
        return this;
    }

    Request without(String name) {
        params.remove(name);
        return this;
    }

    Request params(Map<String, String> all) {
        params.clear();
        params.putAll(all);
        return this;
    }

    Request path(String other) {
        path = other;
        return this;
    }

    Request query(String other) {
        query = other;
        return this;
    }

    Request method(String other) {
        method = other;
        return this;
    }

    Request type(String other) {
        type = other;
        return this;
    }

    Request token(String other) {
        token = other;
        return this;
    }

    Request signature(String other) {
        signature = other;
        return this;
    }

    /** Signed for another URL than the one it is sent to. */
    Request signedFor(String url) {
        signedUrl = url;
        return this;
    }

    Request unsigned() {
        signed = false;
        return this;
    }

    /** This text as the body, whatever the parameters are. */
    Request body(String text) {
        body = text;
        return this;
    }

    APIGatewayV2HTTPEvent event() {
        String form = params.entrySet().stream()
                .map(entry -> encoded(entry.getKey()) + "=" + encoded(entry.getValue()))
                .collect(Collectors.joining("&"));
        String url = signedUrl != null ? signedUrl : World.PUBLIC_URL + path + (query.isEmpty() ? "" : "?" + query);
        Map<String, String> headers = new HashMap<>(Map.of("content-type", type));
        if (signed) {
            headers.put("x-twilio-signature", signature != null ? signature : sign(url));
        }
        return APIGatewayV2HTTPEvent.builder()
                .withRawPath(path)
                .withRawQueryString(query)
                .withHeaders(headers)
                .withBody(
                        body != null ? body : Base64.getEncoder().encodeToString(form.getBytes(StandardCharsets.UTF_8)))
                .withIsBase64Encoded(true)
                .withRequestContext(RequestContext.builder()
                        .withHttp(Http.builder().withMethod(method).build())
                        .build())
                .build();
    }

    private String sign(String url) {
        StringBuilder text = new StringBuilder(url);
        params.forEach((name, value) -> text.append(name).append(value));
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(token.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
            return Base64.getEncoder()
                    .encodeToString(mac.doFinal(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
