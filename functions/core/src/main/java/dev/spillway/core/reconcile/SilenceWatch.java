package dev.spillway.core.reconcile;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Pause;
import dev.spillway.core.Timing;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Between two rounds, looks for callers whose container has just fallen silent: it froze, or its host is gone, and they hear
 * nothing until somebody sends them on. A schedule comes no more often than once a minute, which they would wait for. While no
 * call is up the watch ends at once, so that a quiet deployment pays for no waiting.
 */
public final class SilenceWatch {
    private final Pools pools;
    private final Timing timing;
    private final InstantSource clock;
    private final Pause pause;

    public SilenceWatch(Pools pools, Timing timing, InstantSource clock, Pause pause) {
        this.pools = pools;
        this.timing = timing;
        this.clock = clock;
        this.pause = pause;
    }

    /** Looks at pools: one after the other, or several at once. */
    @FunctionalInterface
    public interface Looks {
        /** Whether the look says so of any; every pool is looked at. */
        boolean any(List<PoolId> pools, Predicate<PoolId> look);
    }

    /**
     * Looks until the next round is due. A pool that cannot be read may have calls, and is looked at again.
     *
     * @param all the pools of the round
     * @param begun when the round began
     * @param visit visits a pool before its turn; deals with its own failures
     */
    public void watch(List<PoolId> all, Instant begun, Looks looks, Consumer<PoolId> visit) {
        Duration apart = timing.silenceLook();
        Instant last = begun.plus(timing.round()).minus(apart);
        boolean calls = look(all, looks, view -> {});
        for (Instant next = begun.plus(apart); calls && !next.isAfter(last); next = next.plus(apart)) {
            Duration wait = Duration.between(clock.instant(), next);
            if (wait.isNegative()) {
                continue; // the look before took that long
            }
            if (!pause.isOver(wait)) {
                return;
            }
            calls = look(all, looks, view -> {
                if (hasSilentCallers(view, clock.instant())) {
                    visit.accept(view.pool().id());
                }
            });
        }
    }

    /** Whether a call may be up. */
    private boolean look(List<PoolId> all, Looks looks, Consumer<PoolView> seen) {
        return looks.any(all, pool -> {
            Optional<PoolView> view;
            try {
                view = pools.read(pool);
            } catch (DependencyException e) {
                return true;
            }
            view.ifPresent(seen);
            return view.filter(SilenceWatch::hasCalls).isPresent();
        });
    }

    static boolean hasCalls(PoolView view) {
        return view.containers().stream().anyMatch(SilenceWatch::hasCalls);
    }

    /** Whether a container with calls is not heard any more. Whether it is alive all the same, a visit finds out. */
    static boolean hasSilentCallers(PoolView view, Instant now) {
        return view.containers().stream().anyMatch(container -> hasCalls(container) && !container.isAlive(now));
    }

    private static boolean hasCalls(Container container) {
        return container.claims().entrySet().stream()
                .anyMatch(claim ->
                        claim.getKey() instanceof CallSid && claim.getValue().phase() != Claim.Phase.COOLDOWN);
    }
}
