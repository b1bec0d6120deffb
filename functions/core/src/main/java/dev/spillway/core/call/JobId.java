package dev.spillway.core.call;

import dev.spillway.core.tenant.TenantId;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names a job, a call that is to be made: {@code {tenant}.{random}}. It names its tenant, so that a caller's rights can be
 * limited by the path alone.
 *
 * @param random 20 digits or lower-case letters
 */
public record JobId(TenantId tenant, String random) implements ClaimKey, Comparable<JobId> {
    private static final Pattern RANDOM = Pattern.compile("[0-9a-z]{20}");
    private static final Pattern FORM = Pattern.compile("([^.]{1,31})\\.([0-9a-z]{20})");

    public JobId {
        Objects.requireNonNull(tenant);
        if (!RANDOM.matcher(random).matches()) {
            throw new IllegalArgumentException("not a job's id (want 20 digits or lower-case letters)");
        }
    }

    public static Optional<JobId> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches()
                ? TenantId.parse(matcher.group(1)).map(tenant -> new JobId(tenant, matcher.group(2)))
                : Optional.empty();
    }

    @Override
    public String value() {
        return tenant + "." + random;
    }

    @Override
    public int compareTo(JobId other) {
        return value().compareTo(other.value());
    }

    @Override
    public String toString() {
        return value();
    }
}
