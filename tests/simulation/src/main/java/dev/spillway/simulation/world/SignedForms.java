package dev.spillway.simulation.world;

import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What Twilio posts for a call, signed with the one token that every tenant has here. */
final class SignedForms {
    private static final String TOKEN = "token-of-the-simulation";

    static final TwilioTokens TOKENS = new TwilioTokens() {
        @Override
        public List<String> of(Tenant tenant) {
            return List.of(TOKEN);
        }

        @Override
        public void refresh(Tenant tenant) {}
    };

    private SignedForms() {}

    static Map<String, String> of(PhoneCall call) {
        return Map.of(
                "CallSid",
                call.sid().value(),
                "AccountSid",
                "AC00000000000000000000000000000000",
                "From",
                "+15005550001",
                "To",
                "+15005550006",
                "CallStatus",
                "ringing",
                "Direction",
                "inbound");
    }

    static String signature(String url, Map<String, String> form) {
        StringBuilder text = new StringBuilder(url);
        new TreeMap<>(form).forEach((name, value) -> text.append(name).append(value));
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(TOKEN.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
            return Base64.getEncoder()
                    .encodeToString(mac.doFinal(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
