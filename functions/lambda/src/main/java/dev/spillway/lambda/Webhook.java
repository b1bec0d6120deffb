package dev.spillway.lambda;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.tenant.Tenant;
import java.util.Map;

/**
 * A webhook that is surely Twilio's and surely about this tenant.
 *
 * @param hop the hop that the call was on; 0 for a call that was placed nowhere
 * @param parameters the decoded form; holds phone numbers, so it is never logged
 * @param directoryRead false if the tenant's item could not be read: the signature is that of the tenant's default
 *     secret, and the numbers are not checked
 */
record Webhook(
        WebhookKind kind, Tenant tenant, CallSid call, int hop, Map<String, String> parameters, boolean directoryRead) {

    Webhook {
        parameters = Map.copyOf(parameters);
    }

    String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }

    /** Why it came, for the log. */
    String cause() {
        String cause = kind == WebhookKind.FALLBACK
                ? "fallback, Twilio error " + code("ErrorCode")
                : kind.segment() + " of hop " + hop;
        return directoryRead ? cause : cause + "; numbers unchecked: the tenant directory cannot be read";
    }

    /** Without the parameters: they hold phone numbers. */
    @Override
    public String toString() {
        return "Webhook[" + kind + ", " + tenant.id() + ", " + call + ", hop " + hop + "]";
    }
}
