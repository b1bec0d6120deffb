package dev.spillway.core.handoff;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A held call and the container whose slot it should be offered. */
public record Pairing(HeldCall held, Container container) {

    /** A container that has refused that call a slot. */
    public record Refusal(CallSid call, ContainerId by) {}

    /** With no container that refused anything. */
    public static List<Pairing> plan(List<HeldCall> held, PoolView own, Instant now) {
        return plan(held, own, Set.of(), now);
    }

    /**
     * Waiting calls, oldest first, to free slots, fullest container first. A call for which a slot is reserved already, by
     * a run that did not come to announce it, is paired with that slot and takes no other. Nothing while an order keeps calls
     * out of the pool. Pure: claims nothing.
     *
     * @param refusals no call is paired with a container that has just refused it
     */
    public static List<Pairing> plan(List<HeldCall> held, PoolView own, Set<Refusal> refusals, Instant now) {
        if (own.pool().orders().closing(now).isPresent()) {
            return List.of();
        }
        List<Container> slots = own.claimable(now)
                .sorted(Comparator.comparingInt((Container container) -> container.free(now))
                        .thenComparing(Container::id))
                .flatMap(container -> Collections.nCopies(container.free(now), container).stream())
                .collect(Collectors.toCollection(ArrayList::new));
        List<Pairing> pairs = new ArrayList<>();
        for (HeldCall call : held.stream().filter(HeldCall::isWaiting).toList()) {
            Predicate<Container> open = slot -> !refusals.contains(new Refusal(call.sid(), slot.id()));
            Optional<Container> reserved = reservedFor(call, own, now).filter(open);
            Optional<Container> slot = reserved.isPresent()
                    ? reserved
                    : slots.stream().filter(open).findFirst();
            slot.ifPresent(taken -> {
                pairs.add(new Pairing(call, taken));
                if (reserved.isEmpty()) {
                    slots.remove(taken);
                }
            });
        }
        return pairs;
    }

    private static Optional<Container> reservedFor(HeldCall call, PoolView own, Instant now) {
        return own.containers().stream()
                .filter(container -> container.isAlive(now))
                .filter(container -> {
                    Claim claim = container.claims().get(call.sid());
                    return claim != null
                            && claim.phase() == Claim.Phase.RESERVED
                            && claim.generation().hop()
                                    == call.claim().generation().hop() + 1;
                })
                .findFirst();
    }
}
