package dev.spillway.localcloud.twilio;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** X-Twilio-Signature: HMAC-SHA1 under the auth token over the URL and the sorted parameters, in base64. */
public final class Signature {
    private Signature() {}

    public static String of(String authToken, String url, Map<String, String> parameters) {
        StringBuilder text = new StringBuilder(url);
        new TreeMap<>(parameters).forEach((key, value) -> text.append(key).append(value));
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(authToken.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
            return Base64.getEncoder()
                    .encodeToString(mac.doFinal(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA1", e);
        }
    }
}
