package dev.spillway.core.usage;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.attempt.Attempts.Cursor;
import dev.spillway.core.attempt.Attempts.Page;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what a tenant used. */
public final class UsageReading {
    /** What the table gives at once. */
    private static final int PAGE = 100;

    private final Pools pools;
    private final Attempts attempts;
    private final Lives lives;

    public UsageReading(Pools pools, Attempts attempts, Lives lives) {
        this.pools = pools;
        this.attempts = attempts;
        this.lives = lives;
    }

    /** Empty if there is no such tenant. */
    public Optional<Usage> read(TenantId tenant, Instant from, Instant to, Instant now) {
        PoolId pool = PoolId.of(tenant);
        return pools.read(pool).map(view -> {
            List<Life> all = new ArrayList<>(lives.endedSince(pool, from));
            view.containers()
                    .forEach(container -> all.add(new Life(container.startedAt(), later(container.startedAt(), now))));
            return Usage.of(arrived(tenant, from, to), all, from, to, now);
        });
    }

    /** A container's clock may be ahead of ours. */
    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private List<Attempt> arrived(TenantId tenant, Instant from, Instant to) {
        List<Attempt> all = new ArrayList<>();
        Cursor next = null;
        do {
            Page page = attempts.page(tenant, from, next, PAGE);
            page.attempts().stream()
                    .filter(attempt -> attempt.arrivedAt().isBefore(to))
                    .forEach(all::add);
            boolean past = page.attempts().stream()
                    .anyMatch(attempt -> !attempt.arrivedAt().isBefore(to));
            next = past ? null : page.next();
        } while (next != null);
        return all;
    }
}
