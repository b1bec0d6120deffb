package dev.spillway.localcloud.twilio;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * A phone number and its webhooks. URLs may carry connection overrides in their fragment.
 *
 * @param number in E.164
 * @param voiceUrl asked first when a call comes in
 * @param voiceFallbackUrl asked when TwiML cannot be fetched or run; without it such a call is dropped
 * @param statusCallback told when a call has ended
 */
public record TwilioNumber(
        String number,
        URI voiceUrl,
        @Nullable URI voiceFallbackUrl,
        @Nullable URI statusCallback) {
    public TwilioNumber {
        if (!number.startsWith("+")) {
            throw new IllegalArgumentException("a number is given in E.164, starting with a plus sign");
        }
    }
}
