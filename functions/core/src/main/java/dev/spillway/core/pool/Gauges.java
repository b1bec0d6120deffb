package dev.spillway.core.pool;

import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import java.time.Instant;

/**
 * A pool's slots at one moment.
 *
 * @param live slots with a conversation
 * @param reserved slots taken for calls that have not connected yet
 * @param cooldown slots of calls that are over as others say, and that their container still shows
 * @param ready all slots of the containers that are READY and alive
 * @param usable slots of those that a call could take now
 * @param ceiling slots of as many containers as the pool may have at most
 */
public record Gauges(int live, int reserved, int cooldown, int ready, int usable, int ceiling) {

    /** Claims count wherever they are but on a LOST container: one that is silent may well go on talking. */
    public static Gauges of(PoolView view, Instant now) {
        Policy policy = view.pool().policy();
        return new Gauges(
                claims(view, Claim.Phase.CONNECTED),
                claims(view, Claim.Phase.RESERVED),
                claims(view, Claim.Phase.COOLDOWN),
                view.claimable(now).mapToInt(Container::limit).sum(),
                view.free(now),
                policy.maximum() * policy.limit());
    }

    private static int claims(PoolView view, Claim.Phase phase) {
        return (int) view.containers().stream()
                .filter(container -> container.state() != ContainerState.LOST)
                .flatMap(container -> container.claims().values().stream())
                .filter(claim -> claim.phase() == phase)
                .count();
    }

    /** One line of the journal; its field {@code tenant} is the pool's name, so that the gateway has a series of its own. */
    public Entry entry(PoolId pool) {
        return Entry.of("gauges")
                .with("tenant", pool)
                .measure(Metric.LIVE_SLOTS, live)
                .measure(Metric.RESERVED_SLOTS, reserved)
                .measure(Metric.COOLDOWN_SLOTS, cooldown)
                .measure(Metric.READY_SLOTS, ready)
                .measure(Metric.USABLE_SLOTS, usable)
                .measure(Metric.SLOT_CEILING, ceiling);
    }
}
