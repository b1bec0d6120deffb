package dev.spillway.core.console;

import dev.spillway.core.DependencyException;
import dev.spillway.core.attempt.AttemptListing;
import dev.spillway.core.attempt.AttemptListing.Listed;
import dev.spillway.core.attempt.AttemptListing.Listing;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Reads what the console shows. It is asked every other second for each page that is open, so it reads little, all of it by
 * key and from the table alone: ECS allows the whole account few questions, and the scalers need them. In DynamoDB that is
 * one query for each of the two pools, one of the index for the window's outlines (another for each megabyte more, which is
 * some 4,000 attempts), one for the keys of the last attempts, and one batch of these, with another for the calls of jobs.
 */
public final class ConsoleReading {
    /** A day's would be read anew every other second; the list of attempts has it. */
    public static final Duration WINDOW = Duration.ofHours(1);

    /** A guess: what is older has scrolled away. */
    private static final int LAST_ATTEMPTS = 20;

    private static final int MOST_OF_CALLS = 60;

    private final Pools pools;
    private final AttemptListing attempts;

    public ConsoleReading(Pools pools, AttemptListing attempts) {
        this.pools = pools;
        this.attempts = attempts;
    }

    /**
     * Empty if there is no such pool.
     *
     * @throws DependencyException when the table cannot be read
     */
    public Optional<Console> read(TenantId tenant, Instant now) {
        return pools.read(PoolId.of(tenant)).map(own -> read(tenant, own, now));
    }

    private Console read(TenantId tenant, PoolView own, Instant now) {
        Instant since = now.minus(WINDOW);
        Optional<PoolView> gateway = pools.read(PoolId.GATEWAY);
        Listing latest = attempts.latest(tenant, since, LAST_ATTEMPTS, now);
        return new Console(
                own,
                gateway,
                since,
                latest.summary().orElseThrow(),
                Decisions.of(
                        own, latest.attempts().stream().map(Listed::attempt).toList(), MOST_OF_CALLS));
    }
}
