package dev.spillway.core.console;

import dev.spillway.core.attempt.Summary;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One look at a tenant's pool for somebody who watches it.
 *
 * @param own the tenant's pool with its containers
 * @param gateway the shared pool; empty if there is none
 * @param since the attempts that are counted arrived at or after this instant
 * @param decisions the newest first
 */
public record Console(PoolView own, Optional<PoolView> gateway, Instant since, Summary attempts, List<Told> decisions) {
    public Console {
        Objects.requireNonNull(own);
        Objects.requireNonNull(gateway);
        Objects.requireNonNull(since);
        Objects.requireNonNull(attempts);
        decisions = List.copyOf(decisions);
    }
}
