package dev.spillway.core.attempt;

import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a tenant in the order of their arrival. What is listed may be a moment old; an attempt that is listed
 * is as it stands. Everything may throw {@link dev.spillway.core.DependencyException}.
 */
public interface Attempts {
    /**
     * The attempts that arrived at or after {@code since}, from the oldest on.
     *
     * @param after where the page before this one ended; null for the first
     * @param limit how many at most, 1 or more
     */
    Page page(TenantId tenant, Instant since, @Nullable Cursor after, int limit);

    /** Every attempt that arrived at or after {@code from} and not after {@code to}, in the order of arrival. */
    List<Outline> outlines(TenantId tenant, Instant from, Instant to);

    /**
     * One attempt, as it stands.
     *
     * @param id of the attempt, or of a call that was dialled for a job: its job's attempt is given then
     */
    Optional<Attempt> find(TenantId tenant, String id);

    /** @param next where the next page begins; null if this was the last */
    record Page(List<Attempt> attempts, @Nullable Cursor next) {
        public Page {
            attempts = List.copyOf(attempts);
        }
    }

    /** The place of an attempt in the list. Its text is fit for a URL, and for comparing: arrival first, then the id. */
    record Cursor(Instant arrivedAt, String id) {
        private static final Pattern FORM = Pattern.compile("([0-9]{13})_([A-Za-z0-9.-]{1,64})");

        public Cursor {
            Objects.requireNonNull(arrivedAt);
            Objects.requireNonNull(id);
        }

        public static Cursor of(Attempt attempt) {
            return new Cursor(attempt.arrivedAt(), attempt.id());
        }

        public static Cursor of(Outline outline) {
            return new Cursor(outline.arrivedAt(), outline.id());
        }

        public static Optional<Cursor> parse(String text) {
            Matcher matcher = FORM.matcher(text);
            return matcher.matches()
                    ? Optional.of(new Cursor(Instant.ofEpochMilli(Long.parseLong(matcher.group(1))), matcher.group(2)))
                    : Optional.empty();
        }

        @Override
        public String toString() {
            return "%013d_%s".formatted(arrivedAt.toEpochMilli(), id);
        }
    }
}
