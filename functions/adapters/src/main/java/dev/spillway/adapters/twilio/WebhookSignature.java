package dev.spillway.adapters.twilio;

import com.twilio.security.RequestValidator;
import java.util.List;
import java.util.Map;

/** Checks {@code X-Twilio-Signature} with Twilio's own validator. */
public final class WebhookSignature {
    private WebhookSignature() {}

    /**
     * Whether one of the tokens signed this request. Never throws on what a stranger sent, and takes the same time for a
     * wrong signature whichever of its letters is wrong.
     *
     * @param url the URL as Twilio knows it, with its query and without its fragment; with or without port
     * @param params the decoded form; empty for a GET
     * @param signature the header's value; empty if it is missing
     */
    public static boolean isValid(List<String> tokens, String url, Map<String, String> params, String signature) {
        if (signature.isBlank()) {
            return false;
        }
        boolean valid = false;
        for (String token : tokens) {
            // No early end: how long it takes does not tell which token was right.
            valid |= isSigned(token, url, params, signature);
        }
        return valid;
    }

    private static boolean isSigned(String token, String url, Map<String, String> params, String signature) {
        if (token.isEmpty()) {
            return false;
        }
        try {
            return new RequestValidator(token).validate(url, params, signature);
        } catch (RuntimeException e) {
            return false; // the validator wraps whatever it cannot parse
        }
    }
}
