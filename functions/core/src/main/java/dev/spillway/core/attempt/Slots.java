package dev.spillway.core.attempt;

import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.Objects;

/**
 * What a pool's claimable containers were doing when a call got no slot there. A call that is being admitted and has its
 * claim already counts both as setup and as reserved, so the parts may add up to more than the limit.
 *
 * @param live claims whose stream is connected
 * @param setup calls being admitted, by the containers' own reports
 * @param reserved claims whose stream has not come
 * @param cooldown claims of calls that are over, which their containers have not yet put away
 * @param limit slots in all
 */
public record Slots(PoolId pool, int live, int setup, int reserved, int cooldown, int limit) {
    public Slots {
        Objects.requireNonNull(pool);
        if (live < 0 || setup < 0 || reserved < 0 || cooldown < 0 || limit < 0) {
            throw new IllegalArgumentException("slots are counted from 0, not " + live + ", " + setup + ", " + reserved
                    + ", " + cooldown + " of " + limit);
        }
    }

    /** When nobody could look: nothing was seen of any slot. */
    public static Slots unseen(PoolId pool) {
        return new Slots(pool, 0, 0, 0, 0, 0);
    }

    public static Slots of(PoolView view, Instant now) {
        return new Slots(
                view.pool().id(),
                claims(view, Claim.Phase.CONNECTED, now),
                view.claimable(now)
                        .mapToInt(container -> container.report().setups())
                        .sum(),
                claims(view, Claim.Phase.RESERVED, now),
                claims(view, Claim.Phase.COOLDOWN, now),
                view.claimable(now).mapToInt(Container::limit).sum());
    }

    private static int claims(PoolView view, Claim.Phase phase, Instant now) {
        return (int) view.claimable(now)
                .flatMap(container -> container.claims().values().stream())
                .filter(claim -> claim.phase() == phase)
                .count();
    }
}
