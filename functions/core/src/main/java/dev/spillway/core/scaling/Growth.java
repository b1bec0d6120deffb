package dev.spillway.core.scaling;

import dev.spillway.core.Timing;
import dev.spillway.core.background.Shift;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.handoff.HeldCall;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import java.time.Instant;
import java.util.Optional;

/**
 * Makes a pool grow: plans, writes the desired count to the pool item with an optimistic version, and only then tells
 * ECS. After telling, the version is read again and ECS told again if it moved, so that of two writers the later one's
 * count stands. A lost reply is harmless: counts are absolute, and the reconciler makes ECS follow the table.
 */
public final class Growth {
    /** Lost races against other writers of the count before giving up; the next event or schedule asks again. */
    private static final int TRIES = 4;

    private final Pools pools;
    private final Containers containers;
    private final Fleet fleet;
    private final Announcements announcements;
    private final Journal journal;
    private final Timing timing;
    private final Backlog backlog;

    /** For a system that makes no calls. */
    public Growth(
            Pools pools,
            Containers containers,
            Fleet fleet,
            Announcements announcements,
            Journal journal,
            Timing timing) {
        this(pools, containers, fleet, announcements, journal, timing, Backlog.NONE);
    }

    public Growth(
            Pools pools,
            Containers containers,
            Fleet fleet,
            Announcements announcements,
            Journal journal,
            Timing timing,
            Backlog backlog) {
        this.pools = pools;
        this.containers = containers;
        this.fleet = fleet;
        this.announcements = announcements;
        this.journal = journal;
        this.timing = timing;
        this.backlog = backlog;
    }

    /** The same rules for one shift of background work, whose writes are fenced. */
    public Growth in(Shift shift) {
        return new Growth(shift.pools(), shift.containers(), fleet, announcements, journal, timing, backlog);
    }

    /** Asks the pool's rule; {@code refused} as in {@link ScaleOut#plan}. */
    public ScaleOut ask(PoolId id, boolean refused, Instant now) {
        ScaleOut decision = new ScaleOut.Stay("there is no pool " + id);
        boolean unanswered = refused;
        for (int i = 0; i < TRIES; i++) {
            Optional<PoolView> found = pools.read(id);
            if (found.isEmpty()) {
                return decision;
            }
            PoolView view = found.get();
            decision = id.isGateway()
                    ? ScaleOut.planSpare(view, timing, now)
                    : ScaleOut.plan(view, waiting(id, now), backlog.of(view, now), unanswered, timing, now);
            if (carryOut(view, decision, now)) {
                // Whoever keeps slots free may want more than the one that came back, and nobody waits who would ask
                // again.
                boolean maybeMore = decision instanceof ScaleOut.Undrain
                        && view.pool().policy().scaleOut() == ScaleOutRule.AHEAD;
                if (!maybeMore) {
                    return decision;
                }
                unanswered = false;
            }
        }
        return decision instanceof ScaleOut.Undrain
                ? decision
                : new ScaleOut.Stay("lost " + TRIES + " races for the desired count; it is asked again");
    }

    /** Calls out that could be made now or soon: they keep a pool awake. */
    Backlog.Work work(PoolView view, Instant now) {
        return backlog.of(view, now);
    }

    private int waiting(PoolId id, Instant now) {
        return id.tenant()
                .flatMap(tenant -> pools.read(PoolId.GATEWAY)
                        .map(gateway -> (int) HeldCall.of(tenant, gateway, now).stream()
                                .filter(HeldCall::isWaiting)
                                .count()))
                .orElse(0);
    }

    /** Whether the decision stands; false if a race was lost and it has to be made anew. */
    private boolean carryOut(PoolView view, ScaleOut decision, Instant now) {
        PoolId id = view.pool().id();
        switch (decision) {
            case ScaleOut.Stay stay -> {
                if (!id.isGateway() && !stay.reason().startsWith("no call")) {
                    journal.write(entry("scale-out-stay", id, stay.reason()));
                }
                return true;
            }
            case ScaleOut.BackOff backOff -> {
                Pool.Decision note = new Pool.Decision("back off until " + backOff.until(), backOff.reason(), now);
                // It is asked for every caller meanwhile: said again, it would push out what was decided before.
                if (!note.repeats(view.pool().lastDecision())) {
                    pools.note(id, note);
                }
                journal.write(entry("scale-out-back-off", id, backOff.reason()));
                return true;
            }
            case ScaleOut.Undrain undrain -> {
                boolean back = containers.become(
                        id,
                        undrain.container().id(),
                        ContainerState.DRAINING,
                        ContainerState.READY,
                        false,
                        "wanted again",
                        now);
                if (back) {
                    journal.write(entry("undrain", id, undrain.reason())
                            .with("container", undrain.container().id())
                            .count(Metric.SCALE_DECISIONS));
                    announcements.publish(new Announcement.ContainerReady(
                            id, undrain.container().id(), now));
                }
                return back;
            }
            case ScaleOut.Grow grow -> {
                Pool.Decision note = new Pool.Decision(
                        "scale out " + view.pool().desired() + " -> " + grow.desired(), grow.reason(), now);
                if (!pools.desire(id, grow.desired(), view.pool().version(), null, note)) {
                    return false;
                }
                journal.write(entry("scale-out", id, grow.reason())
                        .with("from", view.pool().desired())
                        .with("to", grow.desired())
                        .count(Metric.SCALE_DECISIONS));
                tellFleet(id);
                return true;
            }
        }
    }

    /** Tells ECS what the table says, and again if the table moved meanwhile. */
    public void tellFleet(PoolId id) {
        for (int i = 0; i < TRIES; i++) {
            Optional<Pool> before = pools.read(id).map(PoolView::pool);
            if (before.isEmpty()) {
                return;
            }
            fleet.setDesired(before.get().service(), before.get().desired());
            boolean moved = pools.read(id)
                    .filter(after -> after.pool().version() != before.get().version())
                    .isPresent();
            if (!moved) {
                return;
            }
        }
    }

    private static Entry entry(String event, PoolId id, String reason) {
        return Entry.of(event).with("pool", id).with("reason", reason);
    }
}
