package dev.spillway.media.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Twilio's webhook for an incoming call, signed as FACTS 2 describes. */
public final class Webhook {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Pattern STREAM = Pattern.compile("<Stream[^>]* url=\"wss://[^/]+(/[^\"]+)\"");

    private Webhook() {}

    public static Map<String, String> form(String callSid) {
        return Map.of(
                "CallSid", callSid,
                "AccountSid", "AC00000000000000000000000000000000",
                "From", "+15005550001",
                "To", "+15005550006",
                "CallStatus", "ringing",
                "Direction", "inbound");
    }

    /** Posts a signed form. */
    public static HttpResponse<String> post(URI uri, Map<String, String> form) {
        return post(uri, form, sign(Rig.TOKEN, Rig.VOICE_URL, form));
    }

    public static HttpResponse<String> post(URI uri, Map<String, String> form, String signature) {
        String body = form.entrySet().stream()
                .map(field -> encode(field.getKey()) + "=" + encode(field.getValue()))
                .collect(Collectors.joining("&"));
        return send(HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
                .header("X-Twilio-Signature", signature)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    public static HttpResponse<String> get(URI uri) {
        return send(HttpRequest.newBuilder(uri).build());
    }

    public static HttpResponse<String> getAs(String userAgent, URI uri) {
        return send(HttpRequest.newBuilder(uri).header("User-Agent", userAgent).build());
    }

    public static HttpResponse<String> delete(URI uri) {
        return send(HttpRequest.newBuilder(uri).DELETE().build());
    }

    public static HttpResponse<String> send(HttpRequest request) {
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** The path of the stream in a TwiML answer. */
    public static String streamPath(String twiml) {
        Matcher matcher = STREAM.matcher(twiml);
        if (!matcher.find()) {
            throw new AssertionError("no stream in " + twiml);
        }
        return matcher.group(1);
    }

    public static String sign(String token, String url, Map<String, String> form) {
        StringBuilder text = new StringBuilder(url);
        new TreeMap<>(form).forEach((name, value) -> text.append(name).append(value));
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(token.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
            return Base64.getEncoder()
                    .encodeToString(mac.doFinal(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (java.security.GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
