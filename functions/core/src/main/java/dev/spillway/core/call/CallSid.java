package dev.spillway.core.call;

import java.util.Optional;
import java.util.regex.Pattern;

/** Twilio's name for a call: {@code CA} and 32 hexadecimal digits. */
public record CallSid(String value) implements ClaimKey, Comparable<CallSid> {
    private static final Pattern FORM = Pattern.compile("CA[0-9a-fA-F]{32}");

    public CallSid {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("not a CallSid (want CA and 32 hexadecimal digits)");
        }
    }

    public static Optional<CallSid> parse(String text) {
        return FORM.matcher(text).matches() ? Optional.of(new CallSid(text)) : Optional.empty();
    }

    @Override
    public int compareTo(CallSid other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
