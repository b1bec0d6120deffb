package dev.spillway.core.order;

import dev.spillway.core.background.Shift;
import dev.spillway.core.event.Announcement.JobsWaiting;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.scaling.ScaleIn;
import java.time.Instant;
import java.util.Optional;

/**
 * Makes a pool follow its orders. May be asked at any time and by several at once: each step is a conditional write, and
 * what one run did not come to do the next one does.
 */
public final class OrderFollowing {
    private final Pools pools;
    private final Containers containers;
    private final Growth growth;
    private final HandOff handOff;
    private final Announcements announcements;
    private final Journal journal;

    public OrderFollowing(
            Pools pools,
            Containers containers,
            Growth growth,
            HandOff handOff,
            Announcements announcements,
            Journal journal) {
        this.pools = pools;
        this.containers = containers;
        this.growth = growth;
        this.handOff = handOff;
        this.announcements = announcements;
        this.journal = journal;
    }

    /** The same for one shift of background work, whose writes are fenced. */
    public OrderFollowing in(Shift shift) {
        return new OrderFollowing(shift.pools(), shift.containers(), growth.in(shift), handOff, announcements, journal);
    }

    /** One visit: closes, opens and drains containers, and asks for those that are pinned or missing. */
    public void visit(PoolId id, Instant now) {
        Optional<PoolView> view = pools.read(id);
        if (view.isEmpty()) {
            return;
        }
        OrderStep.plan(view.get(), now).forEach(step -> take(id, step, now));
        boolean pinned = view.get()
                .pool()
                .orders()
                .inForce(Order.Subject.POOL, now)
                .filter(order -> order.what() instanceof Order.Pin)
                .isPresent();
        if (pinned || isBelowMinimum(view.get())) {
            growth.ask(id, false, now);
        }
    }

    /** After an order was given or ended: what had waited for it is looked at. */
    public void turn(PoolId id, Instant now) {
        visit(id, now);
        id.tenant().ifPresent(tenant -> {
            handOff.run(tenant, now);
            announcements.publish(new JobsWaiting(tenant, now));
        });
    }

    private void take(PoolId id, OrderStep step, Instant now) {
        Container container = step.container();
        switch (step) {
            case OrderStep.Close close -> {
                containers.closeUntil(id, container.id(), close.until());
                boolean opens = close.until().equals(Instant.EPOCH);
                journal.write(Entry.of(opens ? "order-opens" : "order-closes")
                        .with("pool", id)
                        .with("container", container.id())
                        .with("until", close.until()));
            }
            case OrderStep.Drain drain -> {
                boolean closed = containers.become(
                        id, container.id(), ContainerState.READY, ContainerState.DRAINING, false, ScaleIn.ORDER, now);
                if (closed) {
                    journal.write(Entry.of("drain")
                            .with("pool", id)
                            .with("container", container.id())
                            .with("reason", drain.reason())
                            .count(Metric.SCALE_DECISIONS));
                }
            }
        }
    }

    /** An order to drain has taken containers that always run. */
    private static boolean isBelowMinimum(PoolView view) {
        return !view.pool().id().isGateway() && ScaleIn.missing(view) > 0;
    }
}
