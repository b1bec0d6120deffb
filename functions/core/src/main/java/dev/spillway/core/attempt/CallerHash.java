package dev.spillway.core.attempt;

import java.util.regex.Pattern;

/**
 * Names a caller without telling the number: half of a keyed hash of it, with a key of the tenant's own, so that one
 * tenant's caller cannot be recognised among another's.
 *
 * @param value 22 letters of URL-safe base64
 */
public record CallerHash(String value) {
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{22}");

    public CallerHash {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("not a caller's hash (want 22 letters of URL-safe base64)");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
