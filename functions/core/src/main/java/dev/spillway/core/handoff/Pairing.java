package dev.spillway.core.handoff;

import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** A held call and the container whose slot it should be offered. */
public record Pairing(HeldCall held, Container container) {

    /**
     * Waiting calls, oldest first, to free slots, fullest container first. A call for which a slot is reserved already, by
     * a run that did not come to announce it, is paired with that slot and takes no other. Nothing while an order keeps calls
     * out of the pool. Pure: claims nothing.
     */
    public static List<Pairing> plan(List<HeldCall> held, PoolView own, Instant now) {
        if (own.pool().orders().closing(now).isPresent()) {
            return List.of();
        }
        Iterator<Container> slots = own.claimable(now)
                .sorted(Comparator.comparingInt((Container container) -> container.free(now))
                        .thenComparing(Container::id))
                .flatMap(container -> Collections.nCopies(container.free(now), container).stream())
                .iterator();
        List<Pairing> pairs = new ArrayList<>();
        for (HeldCall call : held.stream().filter(HeldCall::isWaiting).toList()) {
            Optional<Container> reserved = reservedFor(call, own, now);
            if (reserved.isPresent()) {
                pairs.add(new Pairing(call, reserved.get()));
            } else if (slots.hasNext()) {
                pairs.add(new Pairing(call, slots.next()));
            }
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
