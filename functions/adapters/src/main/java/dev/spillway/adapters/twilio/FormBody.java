package dev.spillway.adapters.twilio;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A body of {@code application/x-www-form-urlencoded}, as Twilio's webhooks have it. */
public final class FormBody {
    private FormBody() {}

    /** Whether a Content-Type header names a form, with whatever parameters. */
    public static boolean isNamedBy(String contentType) {
        return contentType.split(";", 2)[0].strip().equalsIgnoreCase("application/x-www-form-urlencoded");
    }

    /**
     * The decoded parameters; empty if the text is no form, or names a parameter twice: Twilio never does, and what is
     * signed could then not be told from what is read.
     */
    public static Optional<Map<String, String>> parse(String text) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair : text.split("&")) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            try {
                String name = decode(equals < 0 ? pair : pair.substring(0, equals));
                String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
                if (parameters.put(name, value) != null) {
                    return Optional.empty();
                }
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }
        return Optional.of(parameters);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
