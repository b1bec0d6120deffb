package dev.spillway.core.attempt;

import dev.spillway.core.attempt.Attempts.Cursor;
import dev.spillway.core.attempt.Attempts.Page;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lists a tenant's attempts, and links each to the first try of its caller or job; with the first page comes a summary. */
public final class AttemptListing {
    /** By how much another's clock may be ahead of ours. A guess; NTP keeps them within milliseconds. */
    private static final Duration CLOCKS = Duration.ofMinutes(1);

    private final Attempts attempts;

    public AttemptListing(Attempts attempts) {
        this.attempts = attempts;
    }

    /** @param first the id of the caller's first try; null if this is one itself */
    public record Listed(Attempt attempt, @Nullable String first) {
        public Listed {
            Objects.requireNonNull(attempt);
        }
    }

    /**
     * @param summary of every attempt since then; on the first page only, since it costs a read of the whole window
     * @param next where the next page begins; null if this was the last
     */
    public record Listing(
            List<Listed> attempts,
            Optional<Summary> summary,
            @Nullable Cursor next) {
        public Listing {
            attempts = List.copyOf(attempts);
        }
    }

    /** @param after where the page before this one ended; null for the first, which has the summary */
    public Listing list(TenantId tenant, Instant since, @Nullable Cursor after, int limit, Instant now) {
        return after == null ? first(tenant, since, limit, now) : later(tenant, since, after, limit);
    }

    private Listing first(TenantId tenant, Instant since, int limit, Instant now) {
        Window window = window(tenant, since, now);
        return listing(attempts.page(tenant, since, null, limit), window.links(), Optional.of(window.summary()));
    }

    /**
     * The last attempts since then, and the summary of all of them.
     *
     * @param limit how many at most, 1 or more
     */
    public Listing latest(TenantId tenant, Instant since, int limit, Instant now) {
        Window window = window(tenant, since, now);
        int before = window.outlines().size() - limit - 1;
        Cursor after = before < 0 ? null : Cursor.of(window.outlines().get(before));
        return listing(attempts.page(tenant, since, after, limit), window.links(), Optional.of(window.summary()));
    }

    /** Every attempt since an instant, and what links them to those shortly before. */
    private record Window(List<Outline> outlines, FirstTries links) {
        Summary summary() {
            return Summary.of(outlines, links);
        }
    }

    private Window window(TenantId tenant, Instant since, Instant now) {
        List<Outline> seen = attempts.outlines(tenant, since.minus(FirstTries.WINDOW), now.plus(CLOCKS));
        return new Window(
                seen.stream().filter(one -> !one.arrivedAt().isBefore(since)).toList(), FirstTries.among(seen));
    }

    /** Reads no more than the page, and what came shortly before it. */
    private Listing later(TenantId tenant, Instant since, Cursor after, int limit) {
        Page page = attempts.page(tenant, since, after, limit);
        List<Outline> near = page.attempts().isEmpty()
                ? List.of()
                : attempts.outlines(
                        tenant,
                        page.attempts().getFirst().arrivedAt().minus(FirstTries.WINDOW),
                        page.attempts().getLast().arrivedAt());
        return listing(page, FirstTries.among(near), Optional.empty());
    }

    private static Listing listing(Page page, FirstTries links, Optional<Summary> summary) {
        return new Listing(
                page.attempts().stream()
                        .map(attempt ->
                                new Listed(attempt, links.of(attempt.id()).orElse(null)))
                        .toList(),
                summary,
                page.next());
    }

    /** One attempt as it stands, without its links: one read. */
    public Optional<Attempt> attempt(TenantId tenant, String id) {
        return attempts.find(tenant, id);
    }

    public Optional<Listed> find(TenantId tenant, String id) {
        return attempts.find(tenant, id).map(attempt -> {
            List<Outline> before =
                    attempts.outlines(tenant, attempt.arrivedAt().minus(FirstTries.WINDOW), attempt.arrivedAt());
            Map<String, Outline> known =
                    before.stream().collect(Collectors.toMap(Outline::id, one -> one, (one, other) -> one));
            known.putIfAbsent(attempt.id(), attempt.outline()); // the list may be a moment old
            return new Listed(
                    attempt,
                    FirstTries.among(List.copyOf(known.values()))
                            .of(attempt.id())
                            .orElse(null));
        });
    }
}
