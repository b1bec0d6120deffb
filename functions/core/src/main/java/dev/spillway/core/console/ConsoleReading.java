package dev.spillway.core.console;

import dev.spillway.core.DependencyException;
import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.AttemptListing;
import dev.spillway.core.attempt.AttemptListing.Listed;
import dev.spillway.core.attempt.AttemptListing.Listing;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads what the console shows. It is asked every other second for each page that is open, so it reads little, all of it by
 * key and from the table alone: ECS allows the whole account few questions, and the scalers need them. In DynamoDB that is
 * one query for each of the two pools, one of the index for the window's outlines (another for each megabyte more, which is
 * some 4,000 attempts), one for the keys of the last attempts, and one batch of these, with another for the calls of jobs; and one read for each older
 * call that was moved within the last minutes.
 */
public final class ConsoleReading {
    /** A day's would be read anew every other second; the list of attempts has it. */
    public static final Duration WINDOW = Duration.ofHours(1);

    /** A guess: what is older has scrolled away. */
    private static final int LAST_ATTEMPTS = 20;

    private static final int MOST_OF_CALLS = 60;

    /** Calls that came earlier and were placed anew within {@link #LATELY}: each costs a read. */
    private static final int MOST_PLACED_ANEW = 10;

    private static final Duration LATELY = Duration.ofMinutes(5);

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
        List<Attempt> told =
                new ArrayList<>(latest.attempts().stream().map(Listed::attempt).toList());
        told.addAll(placedAnew(tenant, own, gateway, told, now));
        return new Console(own, gateway, since, latest.summary().orElseThrow(), Decisions.of(own, told, MOST_OF_CALLS));
    }

    /**
     * Older calls to which something happened: whoever was moved or handed over has a claim that is younger than his call. Usually
     * there is none, and nothing is read.
     */
    private List<Attempt> placedAnew(
            TenantId tenant, PoolView own, Optional<PoolView> gateway, List<Attempt> known, Instant now) {
        Set<String> ids = known.stream().map(Attempt::id).collect(Collectors.toSet());
        return Stream.concat(own.containers().stream(), gateway.stream().flatMap(view -> view.containers().stream()))
                .flatMap(container -> container.claims().entrySet().stream())
                .filter(entry -> entry.getValue().tenant().equals(tenant))
                .filter(entry -> entry.getValue().generation().hop() > 1)
                .filter(entry -> entry.getValue().claimedAt().plus(LATELY).isAfter(now))
                .filter(entry -> !ids.contains(attemptOf(entry.getKey(), entry.getValue())))
                .sorted(Comparator.comparing((Map.Entry<ClaimKey, Claim> entry) ->
                                entry.getValue().claimedAt())
                        .reversed())
                .map(entry -> attemptOf(entry.getKey(), entry.getValue()))
                .distinct()
                .limit(MOST_PLACED_ANEW)
                .flatMap(id -> attempts.attempt(tenant, id).stream())
                .toList();
    }

    private static String attemptOf(ClaimKey key, Claim claim) {
        return claim.job() == null ? key.value() : claim.job().value();
    }
}
