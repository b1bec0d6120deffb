package dev.spillway.core.scaling;

import dev.spillway.core.Timing;
import dev.spillway.core.order.Order;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.PoolView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** When a pool shrinks: the first text's rule, one idle container per idle window, or whatever is too much. */
public sealed interface ScaleIn {
    /** The state reason of a container that is drained because the rule has no use for it. */
    String IDLE = "idle";

    /** The state reason of a container that is drained because an operator ordered it. */
    String ORDER = "order";

    /** The state reason of a container that is drained because a newer revision is READY. */
    String DEPLOYMENT = "deployment";

    String reason();

    /**
     * Close these containers to new calls.
     *
     * @param containers at least one. They have no calls, or such as may end there
     */
    record Drain(List<Container> containers, String reason) implements ScaleIn {
        public Drain {
            containers = List.copyOf(containers);
            if (containers.isEmpty()) {
                throw new IllegalArgumentException("a drain needs a container");
            }
        }

        Drain(Container container, String reason) {
            this(List.of(container), reason);
        }
    }

    /** Nothing is retired now. */
    record Keep(String reason) implements ScaleIn {}

    /** There is work: the idle window starts again. */
    record Restart(String reason) implements ScaleIn {}

    /** For a pool that makes no calls. */
    static ScaleIn plan(PoolView view, int held, Timing timing, Instant now) {
        return plan(view, held, Backlog.Work.NONE, timing, now);
    }

    /**
     * @param held calls of this pool's tenant that are on the gateway: they keep the pool awake
     * @param work calls out: those that are due keep the pool awake, and what those need that come within the keep-warm time
     *     is not retired
     */
    static ScaleIn plan(PoolView view, int held, Backlog.Work work, Timing timing, Instant now) {
        return plan(view, held, work, Tuning.STANDARD, timing, now);
    }

    /** @param tuning the figures of the rule {@code consolidate} */
    static ScaleIn plan(PoolView view, int held, Backlog.Work work, Tuning tuning, Timing timing, Instant now) {
        Optional<Order> ordered = view.pool().orders().inForce(Order.Subject.POOL, now);
        if (ordered.isPresent()) {
            return new Keep(ordered.get().because()); // draining by order is not for idleness: see OrderStep
        }
        Policy policy = view.pool().policy();
        List<Container> ready = view.claimable(now).toList();
        if (held + work.due() > 0) {
            return new Restart(held + work.due() + " calls are held by the gateway or wait to be made");
        }
        if (policy.scaleIn() == Policy.ScaleInRule.CONSOLIDATE) {
            return consolidate(view, ready, work, tuning, timing, now);
        }
        Optional<ScaleIn> busy = policy.spareSlots() > 0 ? withoutSurplus(ready, policy) : withCalls(view);
        if (busy.isPresent()) {
            return busy.get();
        }
        if (ready.size() <= policy.minimum()) {
            return new Keep(ready.size() + " containers, and the minimum is " + policy.minimum());
        }
        int warm = work.near() == 0
                ? 0
                : view.refusing(now)
                        + Math.ceilDiv(
                                work.near() + view.pool().outbound().policy().inboundReserve(), policy.limit());
        if (ready.size() <= warm) {
            return new Keep("kept warm: " + work.near() + " jobs come soon and need " + warm + " containers");
        }
        if (view.starting(now, timing.coldStart()) > 0) {
            return new Keep("a container is starting");
        }
        if (view.containers().stream()
                .anyMatch(container ->
                        container.state() == ContainerState.DRAINING || container.state() == ContainerState.DRAINED)) {
            return new Keep("a retirement is under way");
        }
        if (now.isBefore(view.pool().scaleInLockedUntil())) {
            return new Keep(
                    "another retirement began less than " + timing.scaleInLock().toSeconds() + " s ago");
        }
        Instant quietSince = policy.spareSlots() > 0 ? view.pool().idleSince() : quietSince(view, ready);
        Duration quiet = Duration.between(quietSince, now);
        if (quiet.compareTo(timing.idleWindow()) < 0) {
            return new Keep("idle for " + quiet.toSeconds() + " s of "
                    + timing.idleWindow().toSeconds() + " s");
        }
        return retirable(ready).stream()
                .filter(Container::isIdle)
                .min(Comparator.comparing(Container::startedAt).thenComparing(Container::id))
                .<ScaleIn>map(container -> new Drain(
                        container,
                        "idle for " + quiet.toSeconds() + " s: " + ready.size() + " -> " + (ready.size() - 1)))
                .orElseGet(() -> new Keep("no container is empty"));
    }

    /**
     * Drains the emptiest while a whole container is too much. Others may be draining meanwhile: their calls take minutes to
     * end, and whoever drains comes back first when demand does.
     */
    private static ScaleIn consolidate(
            PoolView view, List<Container> ready, Backlog.Work work, Tuning tuning, Timing timing, Instant now) {
        Policy policy = view.pool().policy();
        int calls = view.claimsOnClaimable(now);
        int reserve =
                calls + work.near() == 0 ? 0 : view.pool().outbound().policy().inboundReserve();
        // Those of a former revision leave with their calls: the next callers come to the new ones, as many as before.
        int leavingCalls = view.in(ContainerState.DRAINING)
                .filter(container -> container.stateReason().equals(DEPLOYMENT))
                .mapToInt(container -> container.claims().size())
                .sum();
        int needed = view.refusing(now)
                + Math.ceilDiv(
                        view.claimsOnRoomy(now)
                                + leavingCalls
                                + work.near()
                                + Math.max(reserve, policy.spareSlots())
                                + tuning.spareBeforeDraining(view.callersOnClaimable(now)),
                        policy.limit());
        int wanted = Math.max(needed, policy.minimum());
        if (ready.size() <= wanted) {
            return new Restart(ready.size() + " containers, and " + wanted + " are wanted");
        }
        if (view.starting(now, timing.coldStart()) > 0) {
            return new Keep("a container is starting");
        }
        if (now.isBefore(view.pool().scaleInLockedUntil())) {
            return new Keep(
                    "another retirement began less than " + timing.scaleInLock().toSeconds() + " s ago");
        }
        // The last one is what the next caller finds awake: for it the idle window counts, as in the first text.
        boolean last = ready.size() == 1;
        Instant since = last ? quietSince(view, ready) : view.pool().idleSince();
        Duration window = last ? timing.idleWindow() : tuning.surplus();
        Duration held = Duration.between(since, now);
        if (held.compareTo(window) < 0) {
            return new Keep("too many for " + held.toSeconds() + " s of " + window.toSeconds() + " s");
        }
        List<Container> emptiest = retirable(ready).stream()
                .sorted(Comparator.comparingInt(
                                (Container container) -> container.claims().size())
                        .thenComparing(Container::startedAt)
                        .thenComparing(Container::id))
                .toList();
        // Half of what is too much: their calls take minutes to end, and the load may turn. Those without calls all at
        // once, but
        // for the last, which waits for its idle window.
        int surplus = ready.size() - wanted;
        int idle = (int) emptiest.stream().filter(Container::isIdle).count();
        int atOnce = Math.max(surplus / 2, Math.min(ready.size() - Math.max(wanted, 1), idle));
        List<Container> leaving = emptiest.subList(0, Math.min(emptiest.size(), Math.max(1, atOnce)));
        return new Drain(
                leaving,
                calls + " calls want " + wanted + " containers: " + ready.size() + " -> "
                        + (ready.size() - leaving.size()));
    }

    /**
     * All, or while containers of several revisions are READY all but those of the revision that started last: if the new ones
     * were drained, they would wait for the deployment to end, and the former ones for a new one to be READY.
     */
    private static List<Container> retirable(List<Container> ready) {
        String youngest = ready.stream()
                .max(Comparator.comparing(Container::startedAt).thenComparing(Container::id))
                .map(Container::revision)
                .orElse("");
        List<Container> former = ready.stream()
                .filter(container -> !container.revision().equals(youngest))
                .toList();
        return former.isEmpty() ? ready : former;
    }

    private static Optional<ScaleIn> withCalls(PoolView view) {
        long busy = view.containers().stream()
                .filter(container -> container.state() != ContainerState.LOST)
                // Its last report may be of the time before its calls left, and nobody corrects it.
                .filter(container -> container.state() == ContainerState.STOPPING
                        ? !container.claims().isEmpty()
                        : !container.isIdle())
                .count();
        return busy > 0 ? Optional.of(new Restart(busy + " containers have calls")) : Optional.empty();
    }

    /** A pool with spare slots may shrink under load, as long as a whole container's slots are more than the spare. */
    private static Optional<ScaleIn> withoutSurplus(List<Container> ready, Policy policy) {
        int slots = ready.stream().mapToInt(Container::capacity).sum();
        int calls =
                ready.stream().mapToInt(container -> container.claims().size()).sum();
        int free = slots - calls;
        return free - policy.limit() < policy.spareSlots()
                ? Optional.of(new Restart(free + " free slots, and " + policy.spareSlots() + " are kept spare"))
                : Optional.empty();
    }

    private static Instant quietSince(PoolView view, List<Container> ready) {
        return ready.stream()
                .map(container -> container.report().lastActivity())
                .max(Comparator.naturalOrder())
                .filter(last -> last.isAfter(view.pool().idleSince()))
                .orElse(view.pool().idleSince());
    }

    /** Whether it is drained to leave for good, so that the desired count is lowered for it; it may be wanted again before. */
    static boolean isRetiring(Container container) {
        return container.stateReason().equals(IDLE) || container.stateReason().equals(ORDER);
    }

    /** Containers below the minimum that an order to drain has taken away, or is taking. */
    static int missing(PoolView view) {
        long leaving = view.containers().stream()
                .filter(container -> container.stateReason().equals(ORDER))
                .filter(container -> switch (container.state()) {
                    case DRAINING, DRAINED, STOPPING -> true;
                    case STARTING, READY, LOST -> false;
                })
                .filter(container -> !view.pool().lowered().containsKey(container.id()))
                .count();
        return (int) Math.max(
                0, view.pool().policy().minimum() + leaving - view.pool().desired());
    }

    /** Whether the desired count may be lowered for a drained container. */
    sealed interface Lowering {
        record Lower(int desired) implements Lowering {}

        record Wait(String reason) implements Lowering {}
    }

    /**
     * ECS chooses which task to stop, and only protection steers it: so the count is lowered only while every other
     * container that serves is surely protected, and nothing unprotected is on its way.
     */
    static Lowering planLowering(PoolView view, Fleet.Service service, Container drained, Timing timing, Instant now) {
        Optional<Order> pause = view.pool()
                .orders()
                .inForce(Order.Subject.POOL, now)
                .filter(order -> order.what() instanceof Order.Pause);
        if (pause.isPresent()) {
            return new Lowering.Wait(pause.get().because());
        }
        if (view.pool().lowered().containsKey(drained.id())) {
            return new Lowering.Wait("the count was lowered for it already");
        }
        if (service.deploying()) {
            return new Lowering.Wait("a deployment is running");
        }
        if (service.pending() > 0 || view.in(ContainerState.STARTING).findAny().isPresent()) {
            return new Lowering.Wait("a container is starting, and has no protection yet");
        }
        Optional<Container> unprotected = view.containers().stream()
                .filter(container -> !container.id().equals(drained.id()))
                .filter(container ->
                        container.state() == ContainerState.READY || container.state() == ContainerState.DRAINING)
                .filter(container -> container.protectedUntil().isBefore(now.plus(timing.protection())))
                .findFirst();
        if (unprotected.isPresent()) {
            return new Lowering.Wait("container " + unprotected.get().id() + " has no protection for another "
                    + timing.protection().toSeconds() + " s");
        }
        if (view.pool().desired() == 0) {
            return new Lowering.Wait("the desired count is 0 already");
        }
        return new Lowering.Lower(view.pool().desired() - 1);
    }
}
