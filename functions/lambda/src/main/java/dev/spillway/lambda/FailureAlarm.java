package dev.spillway.lambda;

import dev.spillway.core.DependencyException;
import dev.spillway.core.background.Leases;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes one alert a minute and pool of however many failures of background work. One failure is none yet: the next visit
 * usually mends it. A success begins the count anew. What this instance of a function has not seen, since a visit was
 * killed or was another instance's, it learns from the pool's item; the minute is kept there too, for all functions. With
 * the table down each instance goes by what it knows itself.
 */
final class FailureAlarm {
    /** Failures in a row of one work on one pool. */
    private static final int REPEATED = 2;

    private static final String ALERT = "background-failing";
    private static final Duration APART = Duration.ofMinutes(1);

    private final Leases leases;
    private final Pools pools;
    private final Journal journal;
    private final InstantSource clock;
    private final MinuteLimit limit = new MinuteLimit();
    private final Map<Place, Integer> inARow = new ConcurrentHashMap<>();

    private record Place(String work, PoolId pool) {}

    FailureAlarm(Leases leases, Pools pools, Journal journal, InstantSource clock) {
        this.leases = leases;
        this.pools = pools;
        this.journal = journal;
        this.clock = clock;
    }

    /** @param unfinished visits in a row before this one that were not completed, by the pool's item */
    void began(String work, PoolId pool, int unfinished) {
        int known = inARow.getOrDefault(new Place(work, pool), 0);
        if (unfinished > known) {
            inARow.put(new Place(work, pool), unfinished);
            alert(work, pool, unfinished, "its last visit was killed, or nobody could say how it ended");
        }
    }

    void succeeded(String work, PoolId pool) {
        inARow.remove(new Place(work, pool));
    }

    void failed(String work, PoolId pool, Throwable reason) {
        alert(work, pool, inARow.merge(new Place(work, pool), 1, Integer::sum), reason.toString());
    }

    /** For work that is done without a lease. */
    void watch(String work, PoolId pool, Runnable visit) {
        try {
            visit.run();
        } catch (RuntimeException e) {
            failed(work, pool, e);
            throw e;
        }
        succeeded(work, pool);
    }

    private void alert(String work, PoolId pool, int failures, String reason) {
        if (failures >= REPEATED && isDue(pool)) {
            journal.write(Entry.alert(
                            ALERT,
                            work + " failed " + failures + " times in a row for pool " + pool + ": " + reason,
                            calls(pool))
                    .with("work", work)
                    .with("failures", failures)
                    .with("pool", pool));
        }
    }

    private boolean isDue(PoolId pool) {
        try {
            return leases.mayAlert(pool, clock.instant(), APART);
        } catch (DependencyException e) {
            return limit.passes(ALERT + " " + pool, clock.instant());
        }
    }

    /** The calls that a pool carries, which nobody looks after meanwhile; 0 if that cannot be read either. */
    private long calls(PoolId pool) {
        try {
            return pools.read(pool).stream()
                    .flatMap(view -> view.containers().stream())
                    .flatMap(container -> container.claims().keySet().stream())
                    .filter(CallSid.class::isInstance)
                    .distinct()
                    .count();
        } catch (DependencyException e) {
            return 0;
        }
    }
}
