package dev.spillway.lambda;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.tenant.Tenant;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A webhook that is surely Twilio's and surely about this tenant.
 *
 * @param hop the hop that the call was on; 0 for a call that was placed nowhere
 * @param dial which dial it is about; null for one that does not say
 * @param parameters the decoded form; holds phone numbers, so it is never logged
 * @param directoryRead false if the tenant's item could not be read: the signature is that of the tenant's default
 *     secret, and the numbers are not checked
 */
record Webhook(
        WebhookKind kind,
        Tenant tenant,
        CallSid call,
        int hop,
        @Nullable DialName dial,
        Map<String, String> parameters,
        boolean directoryRead) {
    private static final Pattern STATUS = Pattern.compile("[a-z-]{1,20}");
    private static final Pattern CODE = Pattern.compile("\\b[0-9]{5}\\b");

    /** Names a dial: which job's, and by which claim. */
    record DialName(JobId job, Generation generation) {}

    Webhook {
        parameters = Map.copyOf(parameters);
    }

    String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }

    /** The error code of Twilio's that a parameter names, alone or in a sentence; {@code none} if it names none. */
    String code(String name) {
        Matcher code = CODE.matcher(parameter(name));
        return code.find() ? code.group() : "none";
    }

    /**
     * Whether it came because the door of the tenant's pool refused the call: a full container, a draining one, or a load
     * balancer without a target. Those write nothing; Twilio's word is all that is known of it.
     */
    boolean isTurnedAway() {
        String failed = parameter("ErrorUrl").split("[?#]", 2)[0];
        return kind == WebhookKind.FALLBACK
                && hop == 0
                && failed.endsWith("/voice")
                && !parameter("ErrorCode").isEmpty();
    }

    /** Whether the number that the call was given to has answered, and that conversation is over. */
    boolean isServed() {
        String dialled = parameter("DialCallStatus");
        return kind == WebhookKind.CONTINUE && (dialled.equals("completed") || dialled.equals("answered"));
    }

    /** Why it came, for the log and the story. */
    String cause() {
        String why = kind == WebhookKind.FALLBACK ? "fallback, Twilio error " + code("ErrorCode") : kind.segment();
        String cause = dial != null
                ? why + " of job " + dial.job()
                : kind == WebhookKind.FALLBACK ? why : why + " of hop " + hop + transfer();
        return directoryRead ? cause : cause + "; numbers unchecked: the tenant directory cannot be read";
    }

    /** How a transfer went, in Twilio's word. */
    private String transfer() {
        String status = parameter("DialCallStatus");
        return STATUS.matcher(status).matches() ? ", transfer " + status : "";
    }

    /** Without the parameters: they hold phone numbers. */
    @Override
    public String toString() {
        return "Webhook[" + kind + ", " + tenant.id() + ", " + call + ", hop " + hop + "]";
    }
}
