package dev.spillway.core.memory;

import dev.spillway.core.background.Lease;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Offer;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Claim.Phase;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

final class MemoryContainers implements Containers {
    private record Key(PoolId pool, ContainerId id) {}

    private final Operations operations;
    private final InstantSource clock;
    private final Map<Key, Container> items;
    private final Map<Key, Deque<Instant>> freed;

    /** The generation of the last shift that wrote to each item. */
    private final Map<Key, Long> fences;

    private final @Nullable Fence fence;

    /** @param clock dates what is freed */
    MemoryContainers(Operations operations, InstantSource clock) {
        this.operations = operations;
        this.clock = clock;
        this.items = new HashMap<>();
        this.freed = new HashMap<>();
        this.fences = new HashMap<>();
        this.fence = null;
    }

    /** The same items behind a fence. */
    private MemoryContainers(MemoryContainers open, Fence fence) {
        this.operations = open.operations;
        this.clock = open.clock;
        this.items = open.items;
        this.freed = open.freed;
        this.fences = open.fences;
        this.fence = fence;
    }

    @Override
    public Containers under(PoolId pool, Lease lease) {
        return new MemoryContainers(this, new Fence(pool, lease));
    }

    /** Only inside an operation. */
    private boolean isOpen(Key key) {
        return fence == null || fence.lets(key.pool(), fences.getOrDefault(key, 0L));
    }

    /** Only inside an operation. */
    private void write(Key key, Container next) {
        items.put(key, next);
        if (fence != null) {
            fences.put(key, fence.lease().generation());
        }
    }

    void put(Container container) {
        operations.quietly(() -> items.put(new Key(container.pool(), container.id()), container));
    }

    Optional<Container> look(PoolId pool, ContainerId id) {
        return operations.quietly(() -> Optional.ofNullable(items.get(new Key(pool, id))));
    }

    /** Only inside an operation. */
    List<Container> of(PoolId pool) {
        return items.values().stream()
                .filter(container -> container.pool().equals(pool))
                .toList();
    }

    /** Only inside an operation. */
    boolean isClaimed(PoolId pool) {
        for (Container container : items.values()) {
            if (container.pool().equals(pool) && !container.claims().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Optional<Container> find(PoolId pool, ContainerId id) {
        return operations.perform(Operation.CONTAINERS_FIND, () -> Optional.ofNullable(items.get(new Key(pool, id))));
    }

    @Override
    public ClaimResult claim(PoolId pool, ContainerId id, ClaimKey call, Claim claim, int limit, Instant now) {
        return operations.perform(Operation.CONTAINERS_CLAIM, () -> {
            Container container = items.get(new Key(pool, id));
            if (container == null) {
                return new ClaimResult.Refused("no container " + id);
            }
            Claim there = container.claims().get(call);
            if (there != null) {
                // A lost reply: finding the own generation means that it was applied.
                return there.generation().equals(claim.generation())
                        ? new ClaimResult.Claimed(null)
                        : new ClaimResult.Refused("the call has a claim there already");
            }
            if (container.state() != ContainerState.READY) {
                return new ClaimResult.Refused("container " + id + " is " + container.state());
            }
            if (!container.isAlive(now)) {
                return new ClaimResult.Refused("container " + id + " is silent");
            }
            if (container.isClosed(now)) {
                return new ClaimResult.Refused("container " + id + " is closed by an order");
            }
            if (container.claims().size() >= limit) {
                return new ClaimResult.Refused("container " + id + " has " + limit + " claims");
            }
            items.put(new Key(pool, id), withClaim(container, call, claim));
            return new ClaimResult.Claimed(freed(pool, id).pollFirst());
        });
    }

    @Override
    public boolean release(PoolId pool, ContainerId id, ClaimKey call, Generation generation) {
        return onClaim(
                Operation.CONTAINERS_RELEASE,
                pool,
                id,
                call,
                generation,
                (container, claim) -> claim.phase() == Phase.RESERVED ? without(container, call) : null);
    }

    @Override
    public boolean rename(PoolId pool, ContainerId id, JobId job, CallSid call, Generation generation) {
        return change(Operation.CONTAINERS_RENAME, pool, id, container -> {
            Claim there = container.claims().get(call);
            if (there != null) {
                return there.generation().equals(generation) ? container : null;
            }
            Claim claim = container.claims().get(job);
            if (claim == null
                    || claim.phase() != Phase.RESERVED
                    || !claim.generation().equals(generation)) {
                return null;
            }
            return withClaim(withClaim(container, job, null), call, claim);
        });
    }

    @Override
    public boolean coolDown(PoolId pool, ContainerId id, CallSid call, Generation generation) {
        return onClaim(
                Operation.CONTAINERS_COOL_DOWN,
                pool,
                id,
                call,
                generation,
                (container, claim) -> claim.phase() == Phase.CONNECTED
                        ? withClaim(container, call, inPhase(claim, Phase.COOLDOWN))
                        : null);
    }

    @Override
    public boolean announce(PoolId pool, ContainerId id, CallSid call, Generation generation, Offer offer) {
        return onClaim(
                Operation.CONTAINERS_ANNOUNCE,
                pool,
                id,
                call,
                generation,
                (container, claim) -> withClaim(container, call, claim.offered(offer)));
    }

    @Override
    public boolean become(
            PoolId pool,
            ContainerId id,
            ContainerState from,
            ContainerState to,
            boolean onlyWithoutClaims,
            String reason,
            Instant now) {
        if (!from.mayBecome(to)) {
            throw new IllegalArgumentException(from + " never becomes " + to);
        }
        return change(
                Operation.CONTAINERS_BECOME,
                pool,
                id,
                container -> container.state() == from
                                && (!onlyWithoutClaims || container.claims().isEmpty())
                        ? container.withState(to, reason, now)
                        : null);
    }

    @Override
    public void allowExit(PoolId pool, ContainerId id) {
        change(Operation.CONTAINERS_ALLOW_EXIT, pool, id, Container::withMayExit);
    }

    @Override
    public boolean closeUntil(PoolId pool, ContainerId id, Instant seen, Instant until) {
        return change(
                Operation.CONTAINERS_CLOSE_UNTIL,
                pool,
                id,
                container -> container.closedUntil().equals(seen) ? container.closed(until) : null);
    }

    @Override
    public void remove(PoolId pool, ContainerId id) {
        operations.perform(
                Operation.CONTAINERS_REMOVE,
                () -> items.computeIfPresent(
                        new Key(pool, id),
                        (key, container) -> isOpen(key)
                                        && (container.state() == ContainerState.STOPPING
                                                || container.state() == ContainerState.LOST)
                                ? null
                                : container));
    }

    @Override
    public boolean register(Container container) {
        return operations.perform(
                Operation.CONTAINERS_REGISTER,
                () -> items.putIfAbsent(new Key(container.pool(), container.id()), container) == null);
    }

    @Override
    public Optional<Container> heartbeat(
            PoolId pool, ContainerId id, String bootId, Report report, Instant aliveUntil, Instant protectedUntil) {
        return operations.perform(Operation.CONTAINERS_HEARTBEAT, () -> {
            Container container = items.get(new Key(pool, id));
            if (container == null || !container.bootId().equals(bootId)) {
                return Optional.empty();
            }
            Container heard = container.heard(report, aliveUntil, protectedUntil);
            items.put(new Key(pool, id), heard);
            return Optional.of(heard);
        });
    }

    @Override
    public Optional<Claim> connect(PoolId pool, ContainerId id, CallSid call, Generation generation) {
        return operations.perform(Operation.CONTAINERS_CONNECT, () -> {
            Container container = items.get(new Key(pool, id));
            Claim claim = container == null ? null : container.claims().get(call);
            if (container == null
                    || claim == null
                    || claim.phase() != Phase.RESERVED
                    || !claim.generation().equals(generation)) {
                return Optional.empty();
            }
            Claim connected = inPhase(claim, Phase.CONNECTED);
            items.put(new Key(pool, id), withClaim(container, call, connected));
            return Optional.of(connected);
        });
    }

    @Override
    public ClaimResult admit(PoolId pool, ContainerId id, String bootId, CallSid call, Claim claim, int limit) {
        return operations.perform(Operation.CONTAINERS_ADMIT, () -> {
            Container container = items.get(new Key(pool, id));
            if (container == null || !container.bootId().equals(bootId)) {
                return new ClaimResult.Refused("no container " + id + " of boot " + bootId);
            }
            Claim there = container.claims().get(call);
            if (there != null) {
                return there.generation().equals(claim.generation())
                        ? new ClaimResult.Claimed(null)
                        : new ClaimResult.Refused("the call has a claim there already");
            }
            if (container.claims().size() >= limit) {
                return new ClaimResult.Refused("container " + id + " has " + limit + " claims");
            }
            items.put(new Key(pool, id), withClaim(container, call, claim));
            return new ClaimResult.Claimed(freed(pool, id).pollFirst());
        });
    }

    @Override
    public boolean end(PoolId pool, ContainerId id, CallSid call, Generation generation) {
        return onClaim(
                Operation.CONTAINERS_END, pool, id, call, generation, (container, claim) -> without(container, call));
    }

    /** Changes the item if the change gives one; null means that its condition did not hold. */
    private boolean change(
            Operation operation, PoolId pool, ContainerId id, Function<Container, @Nullable Container> change) {
        return operations.perform(operation, () -> {
            Container container = items.get(new Key(pool, id));
            Container next = container == null || !isOpen(new Key(pool, id)) ? null : change.apply(container);
            if (next == null) {
                return false;
            }
            write(new Key(pool, id), next);
            return true;
        });
    }

    private boolean onClaim(
            Operation operation,
            PoolId pool,
            ContainerId id,
            ClaimKey call,
            Generation generation,
            BiFunction<Container, Claim, @Nullable Container> change) {
        return change(operation, pool, id, container -> {
            Claim claim = container.claims().get(call);
            return claim != null && claim.generation().equals(generation) ? change.apply(container, claim) : null;
        });
    }

    private Deque<Instant> freed(PoolId pool, ContainerId id) {
        return freed.computeIfAbsent(new Key(pool, id), key -> new ArrayDeque<>());
    }

    private Container without(Container container, ClaimKey call) {
        freed(container.pool(), container.id()).addLast(clock.instant());
        return withClaim(container, call, null);
    }

    private static Container withClaim(Container container, ClaimKey call, @Nullable Claim claim) {
        Map<ClaimKey, Claim> claims = new HashMap<>(container.claims());
        if (claim == null) {
            claims.remove(call);
        } else {
            claims.put(call, claim);
        }
        return container.withClaims(claims);
    }

    private static Claim inPhase(Claim claim, Phase phase) {
        return new Claim(
                claim.generation(),
                phase,
                claim.tenant(),
                claim.arrivedAt(),
                claim.claimedAt(),
                claim.offer(),
                claim.job());
    }
}
