package dev.spillway.core.memory;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.attempt.Outline;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lists what the table knows of a tenant's attempts at one instant. */
final class MemoryAttempts implements Attempts {
    /** The order of the cursors' texts. */
    private static final Comparator<Cursor> ARRIVAL = Comparator.comparingLong(
                    (Cursor cursor) -> cursor.arrivedAt().toEpochMilli())
            .thenComparing(Cursor::id);

    private final Operations operations;
    private final Function<TenantId, List<Attempt>> known;

    MemoryAttempts(Operations operations, Function<TenantId, List<Attempt>> known) {
        this.operations = operations;
        this.known = known;
    }

    @Override
    public Page page(TenantId tenant, Instant since, @Nullable Cursor after, int limit) {
        List<Attempt> rest = operations.perform(
                Operation.ATTEMPTS_PAGE,
                () -> since(tenant, since)
                        .filter(attempt -> after == null || ARRIVAL.compare(Cursor.of(attempt), after) > 0)
                        .limit(limit + 1L)
                        .toList());
        if (rest.size() <= limit) {
            return new Page(rest, null);
        }
        return new Page(rest.subList(0, limit), Cursor.of(rest.get(limit - 1)));
    }

    @Override
    public List<Outline> outlines(TenantId tenant, Instant from, Instant to) {
        return operations.perform(
                Operation.ATTEMPTS_OUTLINES,
                () -> since(tenant, from)
                        .filter(attempt -> !attempt.arrivedAt().isAfter(to))
                        .map(Attempt::outline)
                        .toList());
    }

    @Override
    public Optional<Attempt> find(TenantId tenant, String id) {
        return operations.perform(
                Operation.ATTEMPTS_FIND,
                () -> known.apply(tenant).stream()
                        .filter(attempt -> attempt.id().equals(id)
                                || (attempt.call() != null
                                        && attempt.call().value().equals(id)))
                        .findFirst());
    }

    private Stream<Attempt> since(TenantId tenant, Instant since) {
        return known.apply(tenant).stream()
                .filter(attempt -> !attempt.arrivedAt().isBefore(since))
                .sorted(Comparator.comparing(Cursor::of, ARRIVAL));
    }
}
