package dev.spillway.core.scaling;

import dev.spillway.core.Timing;
import dev.spillway.core.order.Order;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.Optional;

/** When a pool grows. The answers are absolute counts, so that asking twice, late or out of order does no harm. */
public sealed interface ScaleOut {
    String reason();

    /** Ask ECS for that many tasks in all. */
    record Grow(int desired, String reason) implements ScaleOut {}

    /** A container that is being drained for idleness is wanted again. */
    record Undrain(Container container, String reason) implements ScaleOut {}

    record Stay(String reason) implements ScaleOut {}

    /** Launches fail; nothing is asked for before {@code until}. */
    record BackOff(Instant until, String reason) implements ScaleOut {}

    /**
     * @param waiting held calls to which no slot has been offered
     * @param refused whether a caller was just told that everything is busy: demand that no held call shows
     */
    static ScaleOut plan(PoolView view, int waiting, boolean refused, Timing timing, Instant now) {
        return plan(view, waiting, Backlog.Work.NONE, refused, timing, now);
    }

    /**
     * The first wave of a batch whose start is known is asked for as one count under both rules: {@code plus-one} answers
     * callers who come unannounced, and these do not.
     *
     * @param waiting held calls to which no slot has been offered
     * @param work calls out that could be made now or soon, within the outbound limit
     * @param refused whether a caller was just told that everything is busy: demand that no held call shows
     */
    static ScaleOut plan(PoolView view, int waiting, Backlog.Work work, boolean refused, Timing timing, Instant now) {
        return plan(view, waiting, work, refused, Tuning.STANDARD, timing, now);
    }

    /** @param tuning the figures of the rule {@code ahead} */
    static ScaleOut plan(
            PoolView view, int waiting, Backlog.Work work, boolean refused, Tuning tuning, Timing timing, Instant now) {
        Optional<ScaleOut> ordered = ordered(view, timing, now);
        if (ordered.isPresent()) {
            return ordered.get();
        }
        Policy policy = view.pool().policy();
        int free = view.free(now);
        int jobs = work.due() + work.firstWave();
        int missing = ScaleIn.missing(view);
        if (missing > 0 && !now.isBefore(view.pool().launches().backOffUntil())) {
            return new Grow(
                    view.pool().desired() + missing,
                    missing + " containers of the minimum of " + policy.minimum() + " were drained by an order");
        }
        int reserve = reserve(view, waiting, jobs, refused, now) + spare(view, tuning, now);
        if (!refused && waiting + jobs + reserve <= free) {
            return new Stay(
                    waiting + jobs == 0
                            ? "no call is waiting"
                            : waiting + " waiting calls" + also(work, reserve) + " fit into " + free + " free slots");
        }
        if (now.isBefore(view.pool().launches().backOffUntil())) {
            return new BackOff(
                    view.pool().launches().backOffUntil(),
                    view.pool().launches().failures() + " launches in a row failed: "
                            + view.pool().launches().reason());
        }
        Optional<Container> draining = retiring(view, now);
        if (draining.isPresent()) {
            return new Undrain(
                    draining.get(),
                    waiting + " calls wait" + also(work, reserve) + " while a container is being drained");
        }
        int active = (int) view.claimable(now).count();
        // A container that refuses calls is no more than the calls it has: the others have to carry the rest.
        int needed = view.refusing(now)
                + containersFor(view.claimsOnRoomy(now) + waiting + jobs + reserve + (refused ? 1 : 0), policy);
        int wanted = switch (policy.scaleOut()) {
            case PLUS_ONE -> {
                int starting = view.starting(now, timing.coldStart());
                // The first text's rule: the operation is a no-op while a container is already on its way.
                int byRule = starting > 0 ? active : active + 1;
                yield work.firstWave() > 0 ? Math.max(byRule, needed) : byRule;
            }
            case DEMAND, AHEAD -> needed;
        };
        if (wanted <= active) {
            return new Stay("one container is already starting");
        }
        int stuck = view.stuck(now, timing.coldStart());
        int most = policy.maximum() - stuck;
        if (active >= most) {
            return new Stay("at the maximum of " + policy.maximum() + " containers, " + stuck + " of which are stuck");
        }
        return raise(
                view,
                Math.min(wanted, most) + view.others(now, timing.coldStart()),
                waiting + (refused ? " calls wait and one was refused" : " calls wait") + also(work, reserve) + " with "
                        + active + " containers active");
    }

    /** What an order in force makes of every question; empty if there is none. */
    private static Optional<ScaleOut> ordered(PoolView view, Timing timing, Instant now) {
        return view.pool().orders().inForce(Order.Subject.POOL, now).map(order -> switch (order.what()) {
            case Order.Pin pin -> pinned(view, pin.containers(), order.because(), timing, now);
            case Order.Pause pause -> new Stay(order.because());
            case Order.Drain drain -> new Stay(order.because());
            case Order.ToGateway toGateway -> new Stay(order.because());
            case Order.StopOutbound stop ->
                throw new IllegalArgumentException("an order about calls out, kept as one about the pool");
        });
    }

    private static ScaleOut pinned(PoolView view, int containers, String because, Timing timing, Instant now) {
        int wanted = Math.min(containers, view.pool().policy().maximum() - view.stuck(now, timing.coldStart()));
        if (view.claimable(now).count() >= wanted) {
            return new Stay(because);
        }
        if (now.isBefore(view.pool().launches().backOffUntil())) {
            return new BackOff(
                    view.pool().launches().backOffUntil(),
                    view.pool().launches().reason());
        }
        Optional<Container> draining = retiring(view, now);
        return draining.isPresent()
                ? new Undrain(draining.get(), because)
                : raise(view, wanted + view.others(now, timing.coldStart()), because);
    }

    /** One that leaves and could stay instead. */
    private static Optional<Container> retiring(PoolView view, Instant now) {
        return view.in(ContainerState.DRAINING)
                .filter(container -> container.isAlive(now))
                .filter(ScaleIn::isRetiring)
                .filter(container -> !container.mayExit()) // ECS stops its task, wanted or not
                .filter(container -> !container.report().isRefusing()) // it would answer no waiting call
                .findFirst();
    }

    /**
     * Slots kept for callers. Calls out never use them, so that what they need comes on top of it; without calls out the
     * demand rule keeps it while the pool is awake.
     */
    private static int reserve(PoolView view, int waiting, int jobs, boolean refused, Instant now) {
        boolean awake = waiting > 0 || refused || view.claimsOnClaimable(now) > 0;
        boolean kept = jobs > 0
                || (awake
                        && switch (view.pool().policy().scaleOut()) {
                            case PLUS_ONE -> false;
                            case DEMAND, AHEAD -> true;
                        });
        return kept ? view.pool().outbound().policy().inboundReserve() : 0;
    }

    /**
     * Slots that the rule {@code ahead} keeps free for those who call within a cold start, from the moment at which a container
     * is full: the load balancer spreads calls, so that the others are nearly full then. For the callers that the pool has:
     * those that wait are a burst, and whether more come is not known before they are seated.
     */
    private static int spare(PoolView view, Tuning tuning, Instant now) {
        return switch (view.pool().policy().scaleOut()) {
            case PLUS_ONE, DEMAND -> 0;
            case AHEAD ->
                view.claimable(now).anyMatch(container -> container.free(now) == 0)
                        ? tuning.spare(view.callersOnClaimable(now))
                        : 0;
        };
    }

    private static String also(Backlog.Work work, int reserve) {
        return (work.due() == 0 ? "" : ", " + work.due() + " jobs are due")
                + (work.firstWave() == 0 ? "" : ", " + work.firstWave() + " jobs start soon")
                + (reserve == 0 ? "" : ", " + reserve + " slots kept free");
    }

    /** The gateway keeps {@code spareSlots} free beyond the calls at hand. */
    static ScaleOut planSpare(PoolView view, Timing timing, Instant now) {
        Policy policy = view.pool().policy();
        int calls = view.claimsOnClaimable(now);
        int needed = view.refusing(now) + containersFor(view.claimsOnRoomy(now) + policy.spareSlots(), policy);
        int wanted = Math.clamp(needed, policy.minimum(), policy.maximum());
        if (now.isBefore(view.pool().launches().backOffUntil())) {
            return new BackOff(
                    view.pool().launches().backOffUntil(),
                    view.pool().launches().reason());
        }
        return raise(
                view,
                wanted + view.others(now, timing.coldStart()),
                calls + " calls and " + policy.spareSlots() + " spare slots want " + wanted + " containers");
    }

    private static int containersFor(int calls, Policy policy) {
        return Math.ceilDiv(calls, policy.limit());
    }

    /** Growing never lowers what was asked for before. */
    private static ScaleOut raise(PoolView view, int desired, String reason) {
        return desired > view.pool().desired()
                ? new Grow(desired, reason)
                : new Stay(reason + "; " + view.pool().desired() + " tasks are asked for already");
    }
}
