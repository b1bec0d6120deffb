package dev.spillway.localcloud;

import dev.spillway.localcloud.LocalHttpServer.Request;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Checks AWS Signature Version 4 for {@code execute-api}, as the service's documentation tells it. Written apart from any
 * SDK, so that an SDK's signer and this one prove each other.
 */
final class SigV4 {
    private static final Pattern AUTHORIZATION = Pattern.compile("AWS4-HMAC-SHA256 +Credential=([^/, ]+)/([0-9]{8})/"
            + "([a-z0-9-]+)/([a-z0-9-]+)/aws4_request, *SignedHeaders=([a-z0-9;-]+), *Signature=([0-9a-f]{64})");
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    /** A signature made longer ago, or in the future, is worth nothing. */
    private static final Duration SKEW = Duration.ofMinutes(5);

    private SigV4() {}

    sealed interface Verdict {
        record Signed(IamUser user) implements Verdict {}

        record Refused(String reason) implements Verdict {}
    }

    /** @param users by access key id */
    static Verdict verify(Request request, Map<String, IamUser> users, Instant now) {
        Matcher given = AUTHORIZATION.matcher(request.headers().getOrDefault("authorization", ""));
        if (!given.matches()) {
            return new Verdict.Refused("no AWS4-HMAC-SHA256 authorization");
        }
        IamUser user = users.get(given.group(1));
        if (user == null) {
            return new Verdict.Refused("no such access key");
        }
        if (!given.group(4).equals("execute-api")) {
            return new Verdict.Refused("signed for " + given.group(4) + ", not for execute-api");
        }
        String stamp = request.headers().getOrDefault("x-amz-date", "");
        if (!stamp.startsWith(given.group(2)) || !isRecent(stamp, now)) {
            return new Verdict.Refused("signed at another time");
        }
        List<String> signed = List.of(given.group(5).split(";"));
        if (!signed.contains("host") || !signed.contains("x-amz-date")) {
            return new Verdict.Refused("host and x-amz-date have to be signed");
        }
        String bodyHash = hex(sha256(request.body()));
        if (!request.headers().getOrDefault("x-amz-content-sha256", bodyHash).equals(bodyHash)) {
            return new Verdict.Refused("another body was signed");
        }
        String canonical = String.join(
                "\n",
                request.method(),
                path(request.path()),
                query(request.query()),
                headers(signed, request.headers()),
                given.group(5),
                bodyHash);
        String scope = given.group(2) + "/" + given.group(3) + "/execute-api/aws4_request";
        String text = String.join(
                "\n", "AWS4-HMAC-SHA256", stamp, scope, hex(sha256(canonical.getBytes(StandardCharsets.UTF_8))));
        byte[] key = ("AWS4" + user.secretAccessKey()).getBytes(StandardCharsets.UTF_8);
        for (String part : scope.split("/")) {
            key = hmac(key, part);
        }
        byte[] wanted = hmac(key, text);
        return MessageDigest.isEqual(wanted, HexFormat.of().parseHex(given.group(6)))
                ? new Verdict.Signed(user)
                : new Verdict.Refused("the signature does not match");
    }

    private static boolean isRecent(String stamp, Instant now) {
        try {
            Instant at = STAMP.parse(stamp, Instant::from);
            return Duration.between(at, now).abs().compareTo(SKEW) <= 0;
        } catch (DateTimeException e) {
            return false;
        }
    }

    /** Encoded once more than it was sent, as for every service but S3. */
    private static String path(String sent) {
        return Arrays.stream(sent.split("/", -1)).map(SigV4::encoded).collect(Collectors.joining("/"));
    }

    private static String query(String sent) {
        return Arrays.stream(sent.split("&"))
                .filter(pair -> !pair.isEmpty())
                .map(pair -> pair.split("=", 2))
                .map(pair -> encoded(decoded(pair[0])) + "=" + (pair.length > 1 ? encoded(decoded(pair[1])) : ""))
                .sorted()
                .collect(Collectors.joining("&"));
    }

    private static String headers(List<String> signed, Map<String, String> sent) {
        return signed.stream()
                .map(name -> name + ":" + sent.getOrDefault(name, "").strip().replaceAll(" +", " ") + "\n")
                .collect(Collectors.joining());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text; // a stray percent sign: no signature will match it
        }
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has HmacSHA256", e);
        }
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
