package dev.spillway.core.pool;

import dev.spillway.core.background.Background;
import dev.spillway.core.order.Orders;
import dev.spillway.core.outbound.Outbound;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A pool's own item.
 *
 * @param service the ECS service whose tasks are this pool's containers
 * @param streamUrl where streams for this pool are opened: scheme, host and port of its load balancer
 * @param desired the desired count last decided; ECS is made to follow it
 * @param version rises with every change of {@code desired}
 * @param launchSince the last time a container was asked for, or lost and so replaced by ECS
 * @param idleSince the start of the running idle window, unless a container reports later activity
 * @param scaleInLockedUntil no other retirement starts before then
 * @param lowered containers for which the desired count was already lowered, until they are gone
 * @param launches how launches have gone lately
 * @param lastDecision why the desired count is what it is
 * @param silentSince when the whole fleet fell silent; {@link Instant#MAX} if it is heard
 * @param heardAgainAt the first good read after such a silence; nothing is declared lost soon after it
 * @param background who does the background work, and whether it is done
 * @param orders what operators have ordered
 * @param outbound the rules and the running figures of the calls that this pool makes
 */
public record Pool(
        PoolId id,
        Policy policy,
        String service,
        String streamUrl,
        int desired,
        long version,
        Instant launchSince,
        Instant idleSince,
        Instant scaleInLockedUntil,
        Map<ContainerId, Instant> lowered,
        Launches launches,
        Decision lastDecision,
        Instant silentSince,
        Instant heardAgainAt,
        Background background,
        Orders orders,
        Outbound outbound) {

    /**
     * @param failures launches in a row that stopped before READY
     * @param reason the stopped reason of the last of them; empty if none
     * @param backOffUntil no container is asked for before then
     */
    public record Launches(int failures, String reason, Instant backOffUntil) {
        public static final Launches FINE = new Launches(0, "", Instant.EPOCH);
    }

    /** What was decided, why and when. */
    public record Decision(String what, String reason, Instant at) {
        public static final Decision NONE = new Decision("none", "nothing has been decided yet", Instant.EPOCH);
    }

    public Pool {
        Objects.requireNonNull(id);
        Objects.requireNonNull(policy);
        Objects.requireNonNull(service);
        Objects.requireNonNull(streamUrl);
        if (desired < 0) {
            throw new IllegalArgumentException("pool " + id + " cannot want " + desired + " containers");
        }
        Objects.requireNonNull(launchSince);
        Objects.requireNonNull(idleSince);
        Objects.requireNonNull(scaleInLockedUntil);
        lowered = Map.copyOf(lowered);
        Objects.requireNonNull(launches);
        Objects.requireNonNull(lastDecision);
        Objects.requireNonNull(silentSince);
        Objects.requireNonNull(heardAgainAt);
        Objects.requireNonNull(background);
        Objects.requireNonNull(orders);
        Objects.requireNonNull(outbound);
    }

    /** A pool that has just been described, with its minimum as desired count. */
    public static Pool fresh(PoolId id, Policy policy, String service, String streamUrl, Instant now) {
        return new Pool(
                id,
                policy,
                service,
                streamUrl,
                policy.minimum(),
                1,
                now,
                now,
                Instant.EPOCH,
                Map.of(),
                Launches.FINE,
                Decision.NONE,
                Instant.MAX,
                Instant.EPOCH,
                Background.NONE,
                Orders.NONE,
                Outbound.NONE);
    }

    /** The same pool after a change of some of its parts. */
    public Pool with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.pool();
    }

    public Pool withOutbound(Outbound next) {
        return with(draft -> draft.outbound = next);
    }

    /** The parts of a pool that change while it lives, open for one change. */
    public static final class Draft {
        private final Pool pool;
        public Policy policy;
        public int desired;
        public long version;
        public Instant launchSince;
        public Instant idleSince;
        public Instant scaleInLockedUntil;
        public Map<ContainerId, Instant> lowered;
        public Launches launches;
        public Decision lastDecision;
        public Instant silentSince;
        public Instant heardAgainAt;
        public Background background;
        public Orders orders;
        public Outbound outbound;

        private Draft(Pool pool) {
            this.pool = pool;
            policy = pool.policy;
            desired = pool.desired;
            version = pool.version;
            launchSince = pool.launchSince;
            idleSince = pool.idleSince;
            scaleInLockedUntil = pool.scaleInLockedUntil;
            lowered = pool.lowered;
            launches = pool.launches;
            lastDecision = pool.lastDecision;
            silentSince = pool.silentSince;
            heardAgainAt = pool.heardAgainAt;
            background = pool.background;
            orders = pool.orders;
            outbound = pool.outbound;
        }

        private Pool pool() {
            return new Pool(
                    pool.id,
                    policy,
                    pool.service,
                    pool.streamUrl,
                    desired,
                    version,
                    launchSince,
                    idleSince,
                    scaleInLockedUntil,
                    lowered,
                    launches,
                    lastDecision,
                    silentSince,
                    heardAgainAt,
                    background,
                    orders,
                    outbound);
        }
    }
}
