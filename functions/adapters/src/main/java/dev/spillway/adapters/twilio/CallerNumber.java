package dev.spillway.adapters.twilio;

import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.stream.StreamKey;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Who calls, by an inbound webhook's {@code From}. */
public final class CallerNumber {
    /**
     * What Twilio writes when the number is withheld: ANONYMOUS, RESTRICTED, BLOCKED, UNKNOWN and UNAVAILABLE on a
     * telephone's keys (Twilio, "Why am I getting calls from these strange numbers"). Many people share them.
     */
    private static final Set<String> WITHHELD =
            Set.of("+266696687", "+7378742833", "+2562533", "+8566696", "+86282452253");

    private CallerNumber() {}

    /**
     * The hash of the caller's number; empty if the number is withheld, or the caller has none.
     *
     * @param parameters a webhook's form
     * @param key of the pool of the called tenant
     */
    public static Optional<CallerHash> hash(Map<String, String> parameters, StreamKey key) {
        String from = parameters.getOrDefault("From", "");
        boolean inbound = !parameters.getOrDefault("Direction", "inbound").startsWith("outbound");
        return inbound && from.matches("\\+[0-9]{5,15}") && !WITHHELD.contains(from)
                ? Optional.of(key.callerHash(from))
                : Optional.empty();
    }
}
