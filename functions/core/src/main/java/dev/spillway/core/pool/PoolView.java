package dev.spillway.core.pool;

import dev.spillway.core.scaling.ScaleIn;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** One consistent look at a pool: its own item and those of its containers. */
public record PoolView(Pool pool, List<Container> containers) {
    public PoolView {
        Objects.requireNonNull(pool);
        containers =
                containers.stream().sorted(Comparator.comparing(Container::id)).toList();
    }

    public Stream<Container> claimable(Instant now) {
        return containers.stream().filter(container -> container.isClaimable(now));
    }

    public Stream<Container> in(ContainerState state) {
        return containers.stream().filter(container -> container.state() == state);
    }

    public Optional<Container> container(ContainerId id) {
        return containers.stream()
                .filter(container -> container.id().equals(id))
                .findFirst();
    }

    /** Slots that calls could take now. */
    public int free(Instant now) {
        return containers.stream().mapToInt(container -> container.free(now)).sum();
    }

    /** Claimable containers that say that their memory is short or their agent is missing: they take no other calls. */
    public int refusing(Instant now) {
        return (int) claimable(now)
                .filter(container -> container.report().isRefusing())
                .count();
    }

    /** As {@link #claimsOnClaimable}, without those of containers that refuse others: what the others have to carry. */
    public int claimsOnRoomy(Instant now) {
        return claimable(now)
                .filter(container -> !container.report().isRefusing())
                .mapToInt(container -> container.claims().size())
                .sum();
    }

    /** Calls that have a slot on a claimable container. */
    public int claimsOnClaimable(Instant now) {
        return claimable(now).mapToInt(container -> container.claims().size()).sum();
    }

    /** Of those calls, the ones that came unannounced: all but the calls out, wherever these talk. */
    public int callersOnClaimable(Instant now) {
        return Math.max(0, claimsOnClaimable(now) - pool.outbound().calls().size());
    }

    /** Whether any container at all has been heard within its expiry. */
    public boolean isHeard(Instant now) {
        return containers.stream().anyMatch(container -> container.isAlive(now));
    }

    /**
     * Containers that are on their way: those that registered and are not READY, and those asked for that have not
     * registered. A launch older than three cold starts no longer counts: it may never arrive.
     */
    public int starting(Instant now, Duration coldStart) {
        Instant oldest = now.minus(coldStart.multipliedBy(3));
        long registered = in(ContainerState.STARTING)
                .filter(container -> container.startedAt().isAfter(oldest))
                .count();
        return (int) registered + (pool.launchSince().isAfter(oldest) ? unregistered() : 0);
    }

    /** Tasks asked for that have not registered. */
    private int unregistered() {
        return (int) Math.max(0, pool.desired() - tasksKnown());
    }

    /** Containers that are wanted and have not become READY, however long ago they were asked for. */
    public int missing() {
        long there = containers.stream()
                .filter(this::isCountedByFleet)
                .filter(container -> container.state() != ContainerState.STARTING)
                .count();
        return (int) Math.max(0, pool.desired() - there);
    }

    private long tasksKnown() {
        return containers.stream().filter(this::isCountedByFleet).count();
    }

    /** Whether ECS counts it against the desired count: not if the count was lowered for it, it is gone, or a deployment replaces it. */
    private boolean isCountedByFleet(Container container) {
        boolean replaced = container.stateReason().equals(ScaleIn.DEPLOYMENT);
        return !container.mayExit() && !replaced && !pool.lowered().containsKey(container.id());
    }

    /**
     * Tasks that are not claimable and will not be, but that ECS still counts: draining and drained ones, and those that
     * are stuck. What is sent to ECS is the wanted claimable containers plus these.
     */
    public int others(Instant now, Duration coldStart) {
        long retiring = containers.stream()
                .filter(this::isCountedByFleet)
                .filter(container -> switch (container.state()) {
                    case DRAINING, DRAINED, STOPPING -> true;
                    case STARTING, READY, LOST -> false;
                })
                .count();
        return (int) retiring + stuck(now, coldStart);
    }

    /** Tasks that should serve and may never do: silent or lost ones that ECS still runs, and overdue launches. */
    public int stuck(Instant now, Duration coldStart) {
        Instant oldest = now.minus(coldStart.multipliedBy(3));
        long known = containers.stream()
                .filter(this::isCountedByFleet)
                .filter(container -> switch (container.state()) {
                    case READY -> !container.isAlive(now);
                    case STARTING -> !container.startedAt().isAfter(oldest);
                    case LOST -> true;
                    case DRAINING, DRAINED, STOPPING -> false;
                })
                .count();
        return (int) known + (pool.launchSince().isAfter(oldest) ? 0 : unregistered());
    }
}
