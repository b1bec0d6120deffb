package dev.spillway.simulation.lab;

import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The tenant's containers and their pool's item: carries out what was decided, on virtual time. */
final class TenantPool {
    static final TenantId TENANT = new TenantId("lab");
    static final PoolId ID = PoolId.of(TENANT);

    private final Agenda agenda;
    private final Conditions conditions;
    private final Tally tally;
    private final Consumer<Box> onReady;

    /** In the order of their numbers, gone ones left out. */
    private final List<Box> boxes = new ArrayList<>();

    private Pool pool;
    private int launched;
    private int starting;

    TenantPool(Agenda agenda, Conditions conditions, Policy policy, Tally tally, Consumer<Box> onReady) {
        this.agenda = agenda;
        this.conditions = conditions;
        this.tally = tally;
        this.onReady = onReady;
        this.pool = Pool.fresh(ID, policy, "lab", "wss://lab.example.com", agenda.now());
        if (conditions.reserve() > 0) {
            OutboundPolicy none = OutboundPolicy.NONE;
            this.pool = pool.withOutbound(Outbound.of(new OutboundPolicy(
                    0, conditions.reserve(), 0, 1, 0, Map.of(), none.countries(), none.suppressed(), none.warmth())));
        }
        for (int i = 0; i < policy.minimum(); i++) {
            Box box = new Box(ID, ++launched, conditions.limit(), 0, agenda.now());
            box.ready(agenda.now());
            boxes.add(box);
            tally.launched(0);
        }
    }

    /** What the functions would read. */
    PoolView view() {
        List<Container> registered = new ArrayList<>(boxes.size());
        for (Box box : boxes) {
            if (box.state() != ContainerState.STARTING) {
                registered.add(box.item());
            }
        }
        return new PoolView(pool, registered);
    }

    Pool pool() {
        return pool;
    }

    /** These calls out talk now. */
    void outbound(Map<JobId, Generation> calls) {
        Outbound now = pool.outbound();
        pool = pool.withOutbound(new Outbound(now.policy(), now.lease(), calls, now.pace()));
    }

    List<Box> boxes() {
        return boxes;
    }

    int starting() {
        return starting;
    }

    int ready() {
        return (int) boxes.stream()
                .filter(box -> box.state() == ContainerState.READY)
                .count();
    }

    Optional<Box> box(ContainerId id) {
        return boxes.stream().filter(box -> box.item().id().equals(id)).findFirst();
    }

    /** The ready container with the fewest calls, as a load balancer with least outstanding requests chooses. */
    Optional<Box> leastBusy() {
        Box best = null;
        for (Box box : boxes) {
            if (box.state() == ContainerState.READY && (best == null || box.calls() < best.calls())) {
                best = box;
            }
        }
        return Optional.ofNullable(best);
    }

    /** The ready container with the most calls that has room. */
    Optional<Box> fullestWithRoom() {
        Box best = null;
        for (Box box : boxes) {
            if (box.state() == ContainerState.READY && !box.isFull() && (best == null || box.calls() > best.calls())) {
                best = box;
            }
        }
        return Optional.ofNullable(best);
    }

    void restartIdleWindow(Instant now) {
        if (now.isAfter(pool.idleSince())) {
            pool = pool.with(draft -> draft.idleSince = now);
        }
    }

    /** ECS starts what is missing to the count. */
    void desire(int desired, String reason) {
        boolean grows = desired > pool.desired();
        pool = pool.with(draft -> {
            draft.desired = desired;
            draft.version++;
            draft.launchSince = grows ? agenda.now() : draft.launchSince;
        });
        while (tasks() < desired) {
            Box box = new Box(ID, ++launched, conditions.limit(), agenda.millis(), agenda.now());
            boxes.add(box);
            starting++;
            tally.launched(agenda.millis());
            agenda.in(conditions.timing().coldStart(), () -> {
                starting--;
                box.ready(agenda.now());
                tally.event("ready", ready());
                onReady.accept(box);
            });
        }
        tally.event("asked for " + desired + ": " + reason, ready());
    }

    private int tasks() {
        return boxes.size() - pool.lowered().size();
    }

    void drain(Box box, String reason) {
        box.become(ContainerState.DRAINING, ScaleIn.IDLE, agenda.now());
        tally.event("draining: " + reason, ready());
        closeIfEmpty(box);
    }

    void undrain(Box box, String reason) {
        box.become(ContainerState.READY, "wanted again", agenda.now());
        tally.event("undrained: " + reason, ready());
    }

    /** A draining container sees with its next heartbeat that it is empty, and says so. */
    void closeIfEmpty(Box box) {
        if (box.state() != ContainerState.DRAINING || box.calls() > 0) {
            return;
        }
        agenda.in(conditions.timing().heartbeat().dividedBy(2), () -> {
            if (box.state() == ContainerState.DRAINING && box.calls() == 0) {
                box.become(ContainerState.DRAINED, box.item().stateReason(), agenda.now());
                agenda.in(conditions.announcement(), this::stopDrained);
            }
        });
    }

    /** Lowers the count for each container that is drained, where the core lets it. */
    void stopDrained() {
        for (Box box : List.copyOf(boxes)) {
            if (box.state() != ContainerState.DRAINED) {
                continue;
            }
            Fleet.Service service = new Fleet.Service(pool.desired(), tasks() - starting, starting, false, "r1");
            if (ScaleIn.planLowering(view(), service, box.item(), conditions.timing(), agenda.now())
                    instanceof ScaleIn.Lowering.Lower lower) {
                lower(box, lower.desired());
            }
        }
    }

    private void lower(Box box, int desired) {
        box.become(ContainerState.STOPPING, box.item().stateReason(), agenda.now());
        Map<ContainerId, Instant> lowered = new HashMap<>(pool.lowered());
        lowered.put(box.item().id(), agenda.now());
        pool = pool.with(draft -> {
            draft.desired = desired;
            draft.version++;
            draft.lowered = lowered;
        });
        agenda.in(conditions.exit(), () -> {
            boxes.remove(box);
            Map<ContainerId, Instant> left = new HashMap<>(pool.lowered());
            left.remove(box.item().id());
            pool = pool.with(draft -> draft.lowered = left);
            tally.gone(box.askedAtMillis, agenda.millis());
            tally.event("stopped", ready());
        });
    }

    void lock() {
        pool = pool.with(draft ->
                draft.scaleInLockedUntil = agenda.now().plus(conditions.timing().scaleInLock()));
    }
}
