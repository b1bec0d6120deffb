package dev.spillway.core.tenant;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Names a tenant: a lower-case letter, then up to 30 letters, digits or hyphens. Neither {@code gateway}, the shared pool,
 * nor {@code api} is a tenant: a tenant's id is its host's name, and those two hosts are taken.
 */
public record TenantId(String value) implements Comparable<TenantId> {
    private static final Set<String> TAKEN = Set.of("gateway", "api");
    private static final Pattern FORM = Pattern.compile("[a-z][a-z0-9-]{0,30}");

    public TenantId {
        if (!isValid(value)) {
            throw new IllegalArgumentException(
                    "not a tenant id: '" + value + "' (want [a-z][a-z0-9-]{0,30}, and neither"
                            + " 'gateway' nor 'api', whose hosts are the shared pool's and the HTTP API's)");
        }
    }

    /** The id that outside input names, if it can be one at all. */
    public static Optional<TenantId> parse(String text) {
        return isValid(text) ? Optional.of(new TenantId(text)) : Optional.empty();
    }

    private static boolean isValid(String text) {
        return FORM.matcher(text).matches() && !TAKEN.contains(text);
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
