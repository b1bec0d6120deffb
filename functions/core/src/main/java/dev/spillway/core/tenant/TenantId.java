package dev.spillway.core.tenant;

import java.util.Optional;
import java.util.regex.Pattern;

/** Names a tenant: a lower-case letter, then up to 30 letters, digits or hyphens. {@code gateway} is not a tenant. */
public record TenantId(String value) implements Comparable<TenantId> {
    private static final Pattern FORM = Pattern.compile("[a-z][a-z0-9-]{0,30}");

    public TenantId {
        if (!isValid(value)) {
            throw new IllegalArgumentException("not a tenant id: '" + value + "' (want [a-z][a-z0-9-]{0,30}, and not"
                    + " 'gateway', which names the shared pool)");
        }
    }

    /** The id that outside input names, if it can be one at all. */
    public static Optional<TenantId> parse(String text) {
        return isValid(text) ? Optional.of(new TenantId(text)) : Optional.empty();
    }

    private static boolean isValid(String text) {
        return FORM.matcher(text).matches() && !text.equals("gateway");
    }

    @Override
    public int compareTo(TenantId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
