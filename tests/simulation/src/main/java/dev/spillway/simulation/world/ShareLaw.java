package dev.spillway.simulation.world;

import dev.spillway.core.call.Generation;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * New calls of one tenant leave one container's slots of the gateway to the others. The share is looked up before the claim: it
 * may be exceeded by what was claimed since the function began. Counted are the containers that could take calls when it
 * looked: one that has fallen silent gives no slots, and its claims use none. Where that changed while the function was at
 * work, either way is right.
 */
final class ShareLaw {
    private final MemoryTable table;
    private final Scheduler scheduler;
    private final Laws laws;
    private final Map<ContainerId, Instant> heardAgain = new HashMap<>();
    /** A claim is dated when its writer began, which may be seconds before it is there. */
    private final Map<Generation, Long> writtenAt = new HashMap<>();
    /** Calls that have been given a slot: a webhook of theirs that comes late brings no new call. */
    private final Set<Object> within = new HashSet<>();

    ShareLaw(MemoryTable table, Scheduler scheduler, Laws laws) {
        this.table = table;
        this.scheduler = scheduler;
        this.laws = laws;
    }

    /** Looks at each new claim on the gateway. */
    Gate.Witness ofContainers() {
        return (method, arguments) -> {
            if (!PoolId.GATEWAY.equals(arguments[0])) {
                return result -> {};
            }
            return switch (method.getName()) {
                case "heartbeat" -> {
                    ContainerId id = (ContainerId) arguments[1];
                    Instant now = scheduler.instant();
                    table.peek(PoolId.GATEWAY, id)
                            .filter(container -> !container.isAlive(now.plusSeconds(Clocks.DIFFER_SECONDS)))
                            .ifPresent(container -> heardAgain.put(id, now));
                    yield result -> {};
                }
                case "claim" -> {
                    Claim claim = (Claim) arguments[3];
                    yield result -> {
                        if (result instanceof ClaimResult.Claimed) {
                            writtenAt.putIfAbsent(claim.generation(), scheduler.now());
                            if (within.add(arguments[2])) {
                                claimed(arguments[2], claim, (Instant) arguments[5]);
                            }
                        }
                    };
                }
                case "admit" -> {
                    Claim claim = (Claim) arguments[4];
                    yield result -> {
                        if (result instanceof ClaimResult.Claimed) {
                            within.add(arguments[3]);
                            writtenAt.putIfAbsent(claim.generation(), scheduler.now());
                        }
                    };
                }
                default -> result -> {};
            };
        };
    }

    /** What a container claims is a call that it takes over, and no new one. */
    private void claimed(Object key, Claim claim, Instant now) {
        Scheduler.Actor writer = scheduler.running();
        if (writer == null || !writer.process().mayDie() || claim.generation().hop() != 1) {
            return;
        }
        Instant begun = Scheduler.START.plusNanos(writer.startedAt() * 1_000).minusSeconds(Clocks.DIFFER_SECONDS);
        List<Container> surely = new ArrayList<>();
        List<Container> perhaps = new ArrayList<>();
        for (Container container : table.look(PoolId.GATEWAY).containers()) {
            boolean ready = container.state() == ContainerState.READY;
            if (ready && !container.isAlive(now)) {
                continue;
            }
            boolean changed = container.stateSince().isAfter(begun)
                    || heardAgain.getOrDefault(container.id(), Instant.MIN).isAfter(begun);
            if (changed) {
                perhaps.add(container);
            } else if (ready) {
                surely.add(container);
            }
        }
        for (int chosen = 0; chosen < (1 << perhaps.size()); chosen++) {
            List<Container> seen = new ArrayList<>(surely);
            for (int i = 0; i < perhaps.size(); i++) {
                if (((chosen >> i) & 1) == 1) {
                    seen.add(perhaps.get(i));
                }
            }
            if (held(seen, key, claim.tenant(), writer.startedAt()) < share(seen)) {
                return;
            }
        }
        throw laws.broken(
                Invariant.APART,
                "tenant " + claim.tenant() + " has " + held(surely, key, claim.tenant(), writer.startedAt())
                        + " new calls on the gateway and is given one more, and its share is " + share(surely));
    }

    private static int share(List<Container> seen) {
        int slots = seen.stream().mapToInt(Container::limit).sum();
        int largest = seen.stream().mapToInt(Container::limit).max().orElse(0);
        return Math.max(largest, slots - largest);
    }

    /** Other new calls that surely were there when the function began. */
    private long held(List<Container> seen, Object newcomer, TenantId tenant, long begunMicros) {
        return seen.stream()
                .flatMap(container -> container.claims().entrySet().stream())
                .filter(entry -> !entry.getKey().equals(newcomer))
                .filter(entry -> wasThere(entry.getValue(), tenant, begunMicros))
                .map(Map.Entry::getKey)
                .distinct()
                .count();
    }

    private boolean wasThere(Claim claim, TenantId tenant, long begunMicros) {
        return claim.tenant().equals(tenant)
                && claim.generation().hop() == 1
                && claim.phase() != Claim.Phase.COOLDOWN
                && writtenAt.getOrDefault(claim.generation(), Long.MAX_VALUE) < begunMicros;
    }
}
