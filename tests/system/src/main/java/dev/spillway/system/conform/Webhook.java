package dev.spillway.system.conform;

import dev.spillway.core.call.CallSid;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Twilio's webhook of an incoming call.
 *
 * @param token it is signed with; empty for none
 */
record Webhook(Map<String, String> form, String token) {
    static Webhook of(CallSid call) {
        return new Webhook(
                Map.of(
                        "CallSid",
                        call.value(),
                        "AccountSid",
                        Trial.ACCOUNT,
                        "From",
                        "+15005550001",
                        "To",
                        Trial.NUMBER,
                        "CallStatus",
                        "ringing",
                        "Direction",
                        "inbound"),
                Ground.TOKEN);
    }

    Webhook with(String field, String value) {
        Map<String, String> other = new TreeMap<>(form);
        other.put(field, value);
        return new Webhook(other, token);
    }

    Webhook signedWith(String other) {
        return new Webhook(form, other);
    }

    /**
     * @param url where it is sent
     * @param publicUrl what its signature names
     */
    HttpRequest.Builder request(URI url, String publicUrl) {
        String body = form.entrySet().stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .header("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        return token.isEmpty() ? request : request.header("X-Twilio-Signature", signature(publicUrl));
    }

    private String signature(String publicUrl) {
        StringBuilder text = new StringBuilder(publicUrl);
        new TreeMap<>(form).forEach((name, value) -> text.append(name).append(value));
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(token.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
            return Base64.getEncoder()
                    .encodeToString(mac.doFinal(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no HmacSHA1", e);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
