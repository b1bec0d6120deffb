package dev.spillway.lambda;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Makes one alert a minute of however many failures of background work. One failure is none yet: the next visit usually
 * mends it. A success begins the count anew.
 */
final class FailureAlarm {
    /** Failures in a row of one work on one pool. */
    private static final int REPEATED = 2;

    private static final String ALERT = "background-failing";

    private final Pools pools;
    private final Journal journal;
    private final InstantSource clock;
    private final MinuteLimit limit = new MinuteLimit();
    private final Map<Place, Integer> inARow = new ConcurrentHashMap<>();

    private record Place(String work, PoolId pool) {}

    FailureAlarm(Pools pools, Journal journal, InstantSource clock) {
        this.pools = pools;
        this.journal = journal;
        this.clock = clock;
    }

    void succeeded(String work, PoolId pool) {
        inARow.remove(new Place(work, pool));
    }

    void failed(String work, PoolId pool, Throwable reason) {
        int failures = inARow.merge(new Place(work, pool), 1, Integer::sum);
        if (failures >= REPEATED && limit.passes(ALERT, clock.instant())) {
            Map<Place, Integer> repeated = inARow.entrySet().stream()
                    .filter(place -> place.getValue() >= REPEATED)
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
            journal.write(Entry.alert(
                            ALERT,
                            work + " failed " + failures + " times in a row for pool " + pool + ": " + reason,
                            repeated.keySet().stream()
                                    .map(Place::pool)
                                    .distinct()
                                    .mapToLong(this::calls)
                                    .sum())
                    .with(
                            "failures",
                            repeated.values().stream().mapToInt(n -> n).sum())
                    .with(
                            "pools",
                            repeated.keySet().stream()
                                    .map(Place::pool)
                                    .distinct()
                                    .map(PoolId::value)
                                    .sorted(Comparator.naturalOrder())
                                    .collect(Collectors.joining(" "))));
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
