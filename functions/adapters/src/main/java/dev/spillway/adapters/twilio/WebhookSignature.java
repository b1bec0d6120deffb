package dev.spillway.adapters.twilio;

import java.util.List;
import java.util.Map;

/** Checks {@code X-Twilio-Signature}. */
public final class WebhookSignature {
    private WebhookSignature() {}

    /**
     * Whether one of the tokens signed this request. Never throws on what a stranger sent.
     *
     * @param url the URL as Twilio knows it, with its query and without its fragment; with or without port
     * @param params the decoded form; empty for a GET
     * @param signature the header's value; empty if it is missing
     */
    public static boolean isValid(List<String> tokens, String url, Map<String, String> params, String signature) {
        if (!url.isEmpty()) {
            throw new UnsupportedOperationException();
        }
        return false;
    }
}
