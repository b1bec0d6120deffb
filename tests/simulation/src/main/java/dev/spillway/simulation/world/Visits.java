package dev.spillway.simulation.world;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.background.Shift;
import dev.spillway.core.background.Shifts;
import dev.spillway.core.order.OrderFollowing;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.reconcile.Reconciliation;
import dev.spillway.core.reconcile.SilenceWatch;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.scaling.Retirement;
import java.time.Instant;
import java.util.function.BiConsumer;

/** Background work on one pool under its lease, as the functions do it; the laws hear of each visit that came to its end. */
final class Visits {
    /** Looks at a lease that another holds before its pool is left to that one. */
    private static final int LOOKS = 4;

    private final Scheduler scheduler;
    private final Timing timing;
    private final Flows flows;
    private final HeldInVain heldInVain;
    private final OrderLaws orderLaws;
    private int holders;

    /** What is done there. */
    record Flows(
            Pools pools,
            Shifts shifts,
            OrderFollowing following,
            Retirement retirement,
            Reconciliation reconciliation,
            Growth growth) {}

    Visits(Scheduler scheduler, Timing timing, Flows flows, HeldInVain heldInVain, OrderLaws orderLaws) {
        this.scheduler = scheduler;
        this.timing = timing;
        this.flows = flows;
        this.heldInVain = heldInVain;
        this.orderLaws = orderLaws;
    }

    void sweep(PoolId pool) {
        long asked = scheduler.now();
        boolean done = visit("idle-sweeper", pool, (shift, now) -> {
            flows.following.in(shift).visit(shift.pool(), now);
            flows.retirement.sweep(shift, now);
        });
        if (done) {
            orderLaws.followed(pool, asked);
        }
    }

    void stopDrained(PoolId pool) {
        visit("idle-sweeper", pool, flows.retirement::stopDrained);
    }

    void reconcile(PoolId pool) {
        long asked = scheduler.now();
        if (visit("zombie-reconciler", pool, flows.reconciliation::visit)) {
            heldInVain.reconciled(pool, asked);
        }
    }

    void scaleGateway() {
        visit(
                "gateway-scaler",
                PoolId.GATEWAY,
                (shift, now) -> flows.growth.in(shift).ask(PoolId.GATEWAY, false, now));
    }

    /** Until the next round: pools in which somebody falls silent with calls are reconciled before their turn. */
    void watch() {
        new SilenceWatch(flows.pools, timing, scheduler::believed, wait -> {
                    scheduler.sleep(Scheduler.micros(wait));
                    return true;
                })
                .watch(
                        World.POOLS,
                        scheduler.believed(),
                        (all, look) -> all.stream().filter(look).count() > 0,
                        this::reconcileBeforeItsTurn);
    }

    private void reconcileBeforeItsTurn(PoolId pool) {
        try {
            reconcile(pool);
        } catch (DependencyException e) {
            // its turn comes
        }
    }

    /** Whether it was made, and nobody took the pool before it was complete. */
    private boolean visit(String what, PoolId pool, BiConsumer<Shift, Instant> work) {
        String holder = what + " holder" + ++holders;
        for (int look = 1; ; look++) {
            switch (flows.shifts.begin(pool, holder, scheduler.believed())) {
                case Shifts.Start.Begun begun -> {
                    return carryOut(begun.shift(), work);
                }
                case Shifts.Start.NoPool none -> {
                    return false;
                }
                case Shifts.Start.Busy busy -> {
                    if (look > LOOKS) {
                        return false;
                    }
                    scheduler.sleep(Scheduler.micros(timing.backgroundPatience().dividedBy(LOOKS)));
                }
            }
        }
    }

    private boolean carryOut(Shift shift, BiConsumer<Shift, Instant> work) {
        try {
            work.accept(shift, scheduler.believed());
        } catch (DependencyException e) {
            try {
                flows.shifts.breakOff(shift, scheduler.believed());
            } catch (DependencyException alsoThat) {
                e.addSuppressed(alsoThat);
            }
            throw e;
        }
        return flows.shifts.complete(shift, scheduler.believed());
    }
}
