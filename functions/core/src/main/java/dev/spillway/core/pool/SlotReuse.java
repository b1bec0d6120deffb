package dev.spillway.core.pool;

import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.JobId;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.Containers.ClaimResult.Claimed;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A slot that was taken again. Whoever claims one says so here: the fallback and the continue, the hand-off, the dialer, and
 * a container for the calls at its own door.
 *
 * @param taker the call or job that took it
 * @param free from the moment the slot was given back to the claim that took it
 */
public record SlotReuse(PoolId pool, ContainerId container, ClaimKey taker, Duration free) {

    /** Empty if no call had given the slot back before, or nobody knows when. */
    public static Optional<SlotReuse> of(
            PoolId pool, ContainerId container, ClaimKey taker, Claimed claimed, Instant now) {
        return Optional.ofNullable(claimed.freedAt())
                .map(freedAt -> new SlotReuse(pool, container, taker, between(freedAt, now)));
    }

    /** As {@link #of}, written where there is one. */
    public static void write(
            PoolId pool, ContainerId container, ClaimKey taker, Claimed claimed, Instant now, Journal journal) {
        of(pool, container, taker, claimed, now).map(SlotReuse::entry).ifPresent(journal::write);
    }

    /** Never negative: the clocks of two processes differ. */
    private static Duration between(Instant freedAt, Instant now) {
        return now.isAfter(freedAt) ? Duration.between(freedAt, now) : Duration.ZERO;
    }

    /** One line of the journal; its field {@code tenant} is the pool's name, as with {@link Gauges}. */
    public Entry entry() {
        return Entry.of("slot-reused")
                .with("tenant", pool)
                .with("container", container)
                .with(taker instanceof JobId ? "job" : "callSid", taker)
                .measure(Metric.SLOT_REUSE_SECONDS, free.toMillis() / 1000.0);
    }
}
