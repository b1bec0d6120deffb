package dev.spillway.core.pool;

import dev.spillway.core.background.Background;
import dev.spillway.core.order.Orders;
import dev.spillway.core.outbound.Outbound;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

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
 * @param earlier the decisions before the last, the newest first; {@link #MOST_EARLIER} at most
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
        List<Decision> earlier,
        Instant silentSince,
        Instant heardAgainAt,
        Background background,
        Orders orders,
        Outbound outbound) {
    /**
     * Every write of the item pays for its size: with the last one these are ten decisions, about 1.5 kB. A guess at how far
     * back somebody looks who watches; the log has them all.
     */
    public static final int MOST_EARLIER = 9;

    /**
     * @param failures launches in a row that stopped before READY
     * @param reason the stopped reason of the last of them; empty if none
     * @param backOffUntil no container is asked for before then
     */
    public record Launches(int failures, String reason, Instant backOffUntil) {
        public static final Launches FINE = new Launches(0, "", Instant.EPOCH);
    }

    /** What was decided, why and when. A reason that is very long, such as ECS may give, is cut. */
    public record Decision(String what, String reason, Instant at) {
        public static final int LONGEST_REASON = 300;
        public static final Decision NONE = new Decision("none", "nothing has been decided yet", Instant.EPOCH);

        public Decision {
            Objects.requireNonNull(what);
            Objects.requireNonNull(at);
            if (reason.length() > LONGEST_REASON) {
                reason = reason.substring(0, LONGEST_REASON - 1) + "…";
            }
        }

        /** Whether anything was decided. */
        public boolean isAny() {
            return !at.equals(Instant.EPOCH);
        }

        /** Whether it is the same, decided again. */
        public boolean repeats(Decision other) {
            return what.equals(other.what) && reason.equals(other.reason);
        }
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
        earlier = List.copyOf(earlier);
        if (earlier.size() > MOST_EARLIER) {
            throw new IllegalArgumentException(
                    "pool " + id + " keeps " + MOST_EARLIER + " earlier decisions, not " + earlier.size());
        }
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
                List.of(),
                Instant.MAX,
                Instant.EPOCH,
                Background.NONE,
                Orders.NONE,
                Outbound.NONE);
    }

    /** The decisions that are kept, the newest first. A note that was written twice, since its reply was lost, is there once. */
    public List<Decision> decisions() {
        return Stream.concat(Stream.of(lastDecision), earlier.stream())
                .filter(Decision::isAny)
                .distinct()
                .toList();
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
        public List<Decision> earlier;
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
            earlier = pool.earlier;
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
                    earlier,
                    silentSince,
                    heardAgainAt,
                    background,
                    orders,
                    outbound);
        }
    }
}
