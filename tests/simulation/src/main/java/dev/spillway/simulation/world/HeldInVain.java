package dev.spillway.simulation.world;

import dev.spillway.core.handoff.HeldCall;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.ScaleOut;
import dev.spillway.core.tenant.TenantId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Calls that the gateway holds while their own pool's rule, if it were asked now, would have the pool grow: nothing is on its
 * way to them. The rule has to be asked again while calls stay held (DESIGN, "Scaling"): by events at once, and whatever
 * becomes of these, by the reconciler.
 */
final class HeldInVain {
    /** An event is delivered within a second when nothing fails, and what it starts takes some more. */
    private static final long LONGEST_WHEN_CALM = 20_000_000;
    /**
     * What may happen between the reading and the asking of one visit (a call comes, a clock differs) does not happen in two
     * that follow one another.
     */
    private static final int MOST_VISITS = 2;

    private final MemoryTable table;
    private final Scheduler scheduler;
    private final Laws laws;
    private final boolean calm;
    private final Map<PoolId, Span> spans = new HashMap<>();

    /** @param calm whether nothing goes wrong at all */
    HeldInVain(MemoryTable table, Scheduler scheduler, Laws laws, boolean calm) {
        this.table = table;
        this.scheduler = scheduler;
        this.laws = laws;
        this.calm = calm;
    }

    /** Since when it is so, without a moment at which it was not, and how many visits have left it so. */
    private record Span(long sinceMicros, int visits) {}

    /** Looks at the pools of these tenants; as often as there is something to see. */
    void look(List<TenantId> tenants) {
        if (!table.isClaimed(PoolId.GATEWAY)) {
            spans.clear(); // as at most times
            return;
        }
        PoolView gateway = table.look(PoolId.GATEWAY);
        tenants.forEach(tenant -> look(tenant, gateway));
    }

    private void look(TenantId tenant, PoolView gateway) {
        PoolId pool = PoolId.of(tenant);
        if (!isInVain(tenant, gateway)) {
            spans.remove(pool);
            return;
        }
        long since = spans.computeIfAbsent(pool, first -> new Span(scheduler.now(), 0)).sinceMicros;
        if (calm && scheduler.now() - since > LONGEST_WHEN_CALM) {
            throw broken(pool, since, "nobody has asked for growth");
        }
    }

    /**
     * The reconciler has visited that pool, and no part of its visit failed.
     *
     * @param begunMicros when that visit began
     */
    void reconciled(PoolId pool, long begunMicros) {
        pool.tenant().ifPresent(tenant -> look(tenant, table.look(PoolId.GATEWAY)));
        Span span = spans.get(pool);
        if (span == null || span.sinceMicros > begunMicros) {
            return;
        }
        Span longer = new Span(span.sinceMicros, span.visits + 1);
        spans.put(pool, longer);
        if (longer.visits >= MOST_VISITS) {
            throw broken(pool, span.sinceMicros, longer.visits + " visits of the reconciler have left it so");
        }
    }

    private boolean isInVain(TenantId tenant, PoolView gateway) {
        List<HeldCall> waiting = HeldCall.of(tenant, gateway, scheduler.instant()).stream()
                .filter(HeldCall::isWaiting)
                .toList();
        return waiting.stream().anyMatch(held -> held.claim().phase() == Claim.Phase.CONNECTED)
                && ScaleOut.plan(
                                table.look(PoolId.of(tenant)), waiting.size(), false, World.TIMING, scheduler.instant())
                        instanceof ScaleOut.Grow;
    }

    private Violation broken(PoolId pool, long since, String what) {
        return laws.broken(
                Invariant.OWNED,
                "calls of pool " + pool + " are held by the gateway since " + since / 1_000_000
                        + " s, its rule would have it grow, and " + what);
    }
}
