package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The console's page: one file with its own style and script, which its policy names by their hashes. Nothing else runs, and
 * nothing is loaded but from where the page came from.
 */
final class ConsolePage {
    private static final String FILE = "console.html";

    private final String html;
    private final String policy;

    ConsolePage() {
        this.html = read();
        this.policy = String.join(
                "; ",
                "default-src 'none'",
                "script-src " + hashes("script", html),
                "style-src " + hashes("style", html),
                "connect-src 'self'",
                "img-src data:",
                "base-uri 'none'",
                "form-action 'none'",
                "frame-ancestors 'none'",
                "require-trusted-types-for 'script'");
    }

    private static String read() {
        try (InputStream file = ConsolePage.class.getResourceAsStream(FILE)) {
            if (file == null) {
                throw new IllegalStateException("the jar lacks " + FILE);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of what stands between the tags, as browsers take it. */
    private static String hashes(String tag, String html) {
        Matcher elements = Pattern.compile("<" + tag + ">(.*?)</" + tag + ">", Pattern.DOTALL)
                .matcher(html);
        List<String> hashes = new ArrayList<>();
        while (elements.find()) {
            hashes.add("'sha256-" + sha256(elements.group(1)) + "'");
        }
        return String.join(" ", hashes);
    }

    private static String sha256(String text) {
        try {
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    APIGatewayV2HTTPResponse response() {
        return APIGatewayV2HTTPResponse.builder()
                .withStatusCode(200)
                .withHeaders(Map.of(
                        "content-type", "text/html; charset=utf-8",
                        "content-security-policy", policy,
                        "x-content-type-options", "nosniff",
                        "referrer-policy", "no-referrer",
                        "cache-control", "no-store"))
                .withBody(html)
                .withIsBase64Encoded(false)
                .build();
    }
}
