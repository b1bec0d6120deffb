package dev.spillway.load.adapter;

import dev.spillway.load.adapter.Target.ApiKey;
import dev.spillway.load.ledger.Bundle;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Requests to Spillway's HTTP API, signed with AWS Signature Version 4 as its routes want it. */
final class SignedRequests implements AutoCloseable {
    private static final Pattern REGION = Pattern.compile("\\.execute-api\\.([a-z0-9-]+)\\.amazonaws\\.com");
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final URI url;
    private final @Nullable ApiKey key;
    private final String region;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(3))
            .build();

    SignedRequests(URI url, @Nullable ApiKey key) {
        this.url = url;
        this.key = key;
        Matcher regional = REGION.matcher(String.valueOf(url.getHost()));
        this.region = regional.find() ? regional.group(1) : "us-east-1";
    }

    /** @param path with its query, if any, in the order of its keys */
    HttpResponse<String> send(String method, String path, Map<String, String> headers, String body)
            throws IOException, InterruptedException {
        URI uri = URI.create(url.toString().replaceAll("/$", "") + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(PATIENCE)
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        headers.forEach(request::header);
        if (key != null) {
            sign(key, method, uri, body, Instant.now()).forEach(request::header);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private Map<String, String> sign(ApiKey with, String method, URI uri, String body, Instant now) {
        String stamp = STAMP.format(now);
        String day = stamp.substring(0, 8);
        TreeMap<String, String> signed = new TreeMap<>();
        signed.put("host", uri.getAuthority());
        signed.put("x-amz-date", stamp);
        if (with.sessionToken() != null) {
            signed.put("x-amz-security-token", with.sessionToken());
        }
        String names = String.join(";", signed.keySet());
        String canonical = String.join(
                "\n",
                method,
                uri.getRawPath(),
                uri.getRawQuery() == null ? "" : uri.getRawQuery(),
                signed.entrySet().stream()
                        .map(entry -> entry.getKey() + ":" + entry.getValue() + "\n")
                        .collect(Collectors.joining()),
                names,
                Bundle.sha256(body.getBytes(StandardCharsets.UTF_8)));
        String scope = day + "/" + region + "/execute-api/aws4_request";
        String text = String.join(
                "\n", "AWS4-HMAC-SHA256", stamp, scope, Bundle.sha256(canonical.getBytes(StandardCharsets.UTF_8)));
        byte[] secret = ("AWS4" + with.secretAccessKey()).getBytes(StandardCharsets.UTF_8);
        byte[] signing = hmac(hmac(hmac(hmac(secret, day), region), "execute-api"), "aws4_request");
        TreeMap<String, String> headers = new TreeMap<>(signed);
        headers.remove("host"); // the client sends it itself
        headers.put(
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=" + with.accessKeyId() + "/" + scope + ", SignedHeaders=" + names
                        + ", Signature=" + HexFormat.of().formatHex(hmac(signing, text)));
        return headers;
    }

    private static byte[] hmac(byte[] with, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(with, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
