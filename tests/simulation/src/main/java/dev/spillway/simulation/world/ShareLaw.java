package dev.spillway.simulation.world;

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
import java.util.List;
import java.util.Map;

/**
 * New calls of one tenant leave one container's slots of the gateway to the others. The share is looked up before the claim: it
 * may be exceeded by what was claimed since the function began. Counted are the containers that could take calls when it
 * looked: one that has fallen silent gives no slots, and its claims use none. Where that changed while the function was at
 * work, either way is right.
 */
final class ShareLaw {
    /** Two clocks are 1.5 s off each. */
    private static final long CLOCKS_DIFFER_SECONDS = 3;

    private final MemoryTable table;
    private final Scheduler scheduler;
    private final Laws laws;
    private final Map<ContainerId, Instant> heardAgain = new HashMap<>();

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
                            .filter(container -> !container.isAlive(now.plusSeconds(CLOCKS_DIFFER_SECONDS)))
                            .ifPresent(container -> heardAgain.put(id, now));
                    yield result -> {};
                }
                case "claim" ->
                    result -> {
                        if (result instanceof ClaimResult.Claimed) {
                            claimed((Claim) arguments[3], (Instant) arguments[5]);
                        }
                    };
                default -> result -> {};
            };
        };
    }

    /** What a container claims is a call that it takes over, and no new one. */
    private void claimed(Claim claim, Instant now) {
        Scheduler.Actor writer = scheduler.running();
        if (writer == null || !writer.process().mayDie() || claim.generation().hop() != 1) {
            return;
        }
        Instant begun = Scheduler.START.plusNanos(writer.startedAt() * 1_000).minusSeconds(CLOCKS_DIFFER_SECONDS);
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
            if (held(seen, claim.tenant(), begun) < share(seen)) {
                return;
            }
        }
        throw laws.broken(
                Invariant.APART,
                "tenant " + claim.tenant() + " has " + held(surely, claim.tenant(), begun)
                        + " new calls on the gateway and is given one more, and its share is " + share(surely));
    }

    private static int share(List<Container> seen) {
        int slots = seen.stream().mapToInt(Container::limit).sum();
        int largest = seen.stream().mapToInt(Container::limit).max().orElse(0);
        return Math.max(largest, slots - largest);
    }

    /** New calls that surely were there when the function began. */
    private static long held(List<Container> seen, TenantId tenant, Instant begun) {
        return seen.stream()
                .flatMap(container -> container.claims().values().stream())
                .filter(claim -> claim.tenant().equals(tenant)
                        && claim.generation().hop() == 1
                        && claim.phase() != Claim.Phase.COOLDOWN
                        && claim.claimedAt().isBefore(begun))
                .count();
    }
}
