package dev.spillway.core.order;

import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which orders were given to a pool, by whom and why, and what became of them. Everything may throw {@link
 * DependencyException}.
 */
public interface OrderLog {
    Duration KEPT = Duration.ofDays(90);

    /** How far an order has come. */
    enum Stage {
        /** Written before the order itself: if nothing follows, whether it was given is unknown. */
        ASKED,
        GIVEN,
        /** Another order came first. */
        OVERTAKEN,
        /** Written before it is ended before its time: if nothing follows, whether it was is unknown. */
        ENDING,
        /** Ended before its time. */
        ENDED
    }

    /**
     * @param endedBy who ended it before its time, or wanted to; null while it runs, and if it ran out
     * @param at when it came to this stage
     */
    record Entry(Order order, Stage stage, @Nullable Principal endedBy, Instant at) {}

    /** Writes the entry over the one of an earlier stage of the same order; {@link Stage#ENDING} never over the end itself. */
    void write(PoolId pool, Entry entry);

    /** The newest entries first. */
    List<Entry> newest(PoolId pool, int most);
}
