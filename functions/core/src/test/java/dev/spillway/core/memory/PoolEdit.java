package dev.spillway.core.memory;

import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import java.time.Instant;
import java.util.Map;

/** One change of a pool's item: each method gives the item with that change alone. */
record PoolEdit(Pool pool) {
    static PoolEdit of(Pool pool) {
        return new PoolEdit(pool);
    }

    Pool desired(int desired, Instant launchSince, Map<ContainerId, Instant> lowered, Pool.Decision decision) {
        return new Pool(
                pool.id(),
                pool.policy(),
                pool.service(),
                pool.streamUrl(),
                desired,
                pool.version() + 1,
                launchSince,
                pool.idleSince(),
                pool.scaleInLockedUntil(),
                lowered,
                pool.launches(),
                decision,
                pool.silentSince(),
                pool.heardAgainAt(),
                pool.outbound());
    }

    Pool decision(Pool.Decision decision) {
        return with(pool.idleSince(), pool.scaleInLockedUntil(), pool.lowered(), decision);
    }

    Pool idleSince(Instant idleSince) {
        return with(idleSince, pool.scaleInLockedUntil(), pool.lowered(), pool.lastDecision());
    }

    Pool lockedUntil(Instant until) {
        return with(pool.idleSince(), until, pool.lowered(), pool.lastDecision());
    }

    Pool lowered(Map<ContainerId, Instant> lowered) {
        return with(pool.idleSince(), pool.scaleInLockedUntil(), lowered, pool.lastDecision());
    }

    Pool launches(Pool.Launches launches, Instant launchSince) {
        return with(launchSince, launches, pool.silentSince(), pool.heardAgainAt());
    }

    Pool silence(Instant silentSince, Instant heardAgainAt) {
        return with(pool.launchSince(), pool.launches(), silentSince, heardAgainAt);
    }

    private Pool with(
            Instant idleSince, Instant lockedUntil, Map<ContainerId, Instant> lowered, Pool.Decision decision) {
        return new Pool(
                pool.id(),
                pool.policy(),
                pool.service(),
                pool.streamUrl(),
                pool.desired(),
                pool.version(),
                pool.launchSince(),
                idleSince,
                lockedUntil,
                lowered,
                pool.launches(),
                decision,
                pool.silentSince(),
                pool.heardAgainAt(),
                pool.outbound());
    }

    private Pool with(Instant launchSince, Pool.Launches launches, Instant silentSince, Instant heardAgainAt) {
        return new Pool(
                pool.id(),
                pool.policy(),
                pool.service(),
                pool.streamUrl(),
                pool.desired(),
                pool.version(),
                launchSince,
                pool.idleSince(),
                pool.scaleInLockedUntil(),
                pool.lowered(),
                launches,
                pool.lastDecision(),
                silentSince,
                heardAgainAt,
                pool.outbound());
    }
}
