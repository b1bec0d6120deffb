package dev.spillway.localcloud.twilio;

import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/**
 * How long and how often a webhook is tried: read from the URL's fragment, such as {@code #ct=1000&rt=3000&tt=5000&rc=0}
 * (Twilio: "Webhooks connection overrides"). Values out of range fall back to the default, and unknown keys are ignored.
 *
 * @param connectTimeout ct, of one connection attempt
 * @param readTimeout rt, from the request sent to the answer's end
 * @param totalTimeout tt, of everything, retries included
 * @param retries rc
 * @param retryOn rp: ct, rt, 4xx, 5xx, all
 */
record ConnectionOverrides(
        Duration connectTimeout, Duration readTimeout, Duration totalTimeout, int retries, Set<String> retryOn) {
    static final ConnectionOverrides DEFAULTS = new ConnectionOverrides(
            Duration.ofSeconds(5), Duration.ofSeconds(15), Duration.ofSeconds(15), 1, Set.of("ct"));

    static ConnectionOverrides of(URI url) {
        String fragment = url.getFragment();
        if (fragment == null) {
            return DEFAULTS;
        }
        Duration connect = DEFAULTS.connectTimeout;
        Duration read = DEFAULTS.readTimeout;
        Duration total = DEFAULTS.totalTimeout;
        int retries = DEFAULTS.retries;
        Set<String> retryOn = DEFAULTS.retryOn;
        for (String pair : fragment.split("&")) {
            String[] parts = pair.split("=", 2);
            String value = parts.length > 1 ? parts[1] : "";
            switch (parts[0]) {
                case "ct" -> connect = millis(value, 10_000, connect);
                case "rt" -> read = millis(value, 15_000, read);
                case "tt" -> total = millis(value, 15_000, total);
                case "rc" -> retries = value.matches("[0-5]") ? Integer.parseInt(value) : retries;
                case "rp" -> retryOn = Set.of(value.toLowerCase(Locale.ROOT).split(","));
                default -> {} // edge and SNI choices have no meaning on loopback
            }
        }
        return new ConnectionOverrides(connect, read, total, retries, retryOn);
    }

    private static Duration millis(String value, int most, Duration otherwise) {
        if (!value.matches("[0-9]{1,6}")) {
            return otherwise;
        }
        int millis = Integer.parseInt(value);
        return millis < 100 || millis > most ? otherwise : Duration.ofMillis(millis);
    }

    /** Whether a failure of that kind is tried again. */
    boolean retries(WebhookAnswer.Failure failure) {
        return retryOn.contains("all") || retryOn.contains(failure.policy());
    }

    /** The URL as it goes over the wire. */
    static URI withoutFragment(URI url) {
        String text = url.toString();
        int hash = text.indexOf('#');
        return hash < 0 ? url : URI.create(text.substring(0, hash));
    }
}
