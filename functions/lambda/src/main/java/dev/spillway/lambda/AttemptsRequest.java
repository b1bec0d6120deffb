package dev.spillway.lambda;

import dev.spillway.core.attempt.Attempts.Cursor;
import dev.spillway.core.tenant.TenantId;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a request for attempts asks for, or what is wrong with it. */
sealed interface AttemptsRequest {
    /** Attempts are kept for 30 days. */
    Duration LONGEST = Duration.ofDays(31);

    Duration USUAL = Duration.ofDays(1);
    int USUAL_LIMIT = 50;
    int MOST = 100;

    record Page(TenantId tenant, Instant since, @Nullable Cursor after, int limit) implements AttemptsRequest {}

    record One(TenantId tenant, String id) implements AttemptsRequest {}

    record Wrong(List<ProblemDetails.Field> fields) implements AttemptsRequest {}

    /** @param id from the path; null if the list is asked for */
    static AttemptsRequest of(@Nullable String id, Map<String, String> query, Instant now) {
        List<ProblemDetails.Field> wrong = new ArrayList<>();
        Optional<TenantId> tenant = TenantId.parse(query.getOrDefault("tenant", ""));
        if (tenant.isEmpty()) {
            wrong.add(new ProblemDetails.Field("tenant", "want a tenant's id"));
        }
        Optional<Instant> since = since(query.get("since"), now);
        if (since.isEmpty()) {
            wrong.add(new ProblemDetails.Field(
                    "since",
                    "want an instant as 2026-11-29T09:00:00Z, not in the future and not older than " + LONGEST.toDays()
                            + " days"));
        }
        String cursor = query.get("cursor");
        Optional<Cursor> after = cursor == null ? Optional.empty() : Cursor.parse(cursor);
        if (cursor != null && after.isEmpty()) {
            wrong.add(new ProblemDetails.Field("cursor", "want the next of an earlier page"));
        }
        int limit = limit(query.getOrDefault("limit", String.valueOf(USUAL_LIMIT)));
        if (limit < 1 || limit > MOST) {
            wrong.add(new ProblemDetails.Field("limit", "want a number from 1 to " + MOST));
        }
        if (id != null && !id.matches("[A-Za-z0-9.-]{1,64}")) {
            wrong.add(new ProblemDetails.Field("id", "want a CallSid or a job's id"));
        }
        if (!wrong.isEmpty()) {
            return new Wrong(wrong);
        }
        return id == null
                ? new Page(tenant.orElseThrow(), since.orElseThrow(), after.orElse(null), limit)
                : new One(tenant.orElseThrow(), id);
    }

    private static Optional<Instant> since(@Nullable String text, Instant now) {
        if (text == null) {
            return Optional.of(now.minus(USUAL).truncatedTo(ChronoUnit.MILLIS));
        }
        try {
            Instant since = Instant.parse(text).truncatedTo(ChronoUnit.MILLIS);
            return since.isAfter(now) || since.isBefore(now.minus(LONGEST)) ? Optional.empty() : Optional.of(since);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static int limit(String text) {
        return text.matches("[0-9]{1,6}") ? Integer.parseInt(text) : 0;
    }
}
