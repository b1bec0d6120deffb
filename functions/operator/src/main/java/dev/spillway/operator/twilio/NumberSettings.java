package dev.spillway.operator.twilio;

import dev.spillway.adapters.twilio.Callbacks;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.operator.DeploymentFiles;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a number is set up, by the names of Twilio's parameters.
 *
 * @param sid of the number at Twilio
 */
public record NumberSettings(String sid, String number, Map<String, String> values) {
    public NumberSettings {
        values = Map.copyOf(values);
    }

    /** What a tenant's numbers should have. */
    static Map<String, String> wanted(DeploymentFiles files, TenantId tenant) {
        Callbacks callbacks = new Callbacks(files.publicUrl());
        Map<String, String> wanted = new LinkedHashMap<>();
        wanted.put("VoiceUrl", files.voiceUrl(tenant) + Callbacks.OVERRIDES);
        wanted.put("VoiceMethod", "POST");
        wanted.put("VoiceFallbackUrl", callbacks.fallback(tenant) + Callbacks.FALLBACK_OVERRIDES);
        wanted.put("VoiceFallbackMethod", "POST");
        wanted.put("StatusCallback", callbacks.status(tenant, 0));
        wanted.put("StatusCallbackMethod", "POST");
        // A number with either of them does not look at its URLs.
        wanted.put("VoiceApplicationSid", "");
        wanted.put("TrunkSid", "");
        return wanted;
    }

    /** Two digits tell numbers apart well enough, and are nobody's number. */
    public static String masked(String number) {
        return "…" + number.substring(Math.max(0, number.length() - 2));
    }

    /** The number stays out of messages. */
    @Override
    public String toString() {
        return "NumberSettings[" + sid + "]";
    }
}
