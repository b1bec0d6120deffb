package dev.spillway.core.handoff;

import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A held call and the container whose slot it should be offered. */
public record Pairing(HeldCall held, Container container) {

    /** Waiting calls, oldest first, to free slots, fullest container first. Pure: claims nothing. */
    public static List<Pairing> plan(List<HeldCall> held, PoolView own, Instant now) {
        List<Container> slots = own.claimable(now)
                .sorted(Comparator.comparingInt((Container container) -> container.free(now))
                        .thenComparing(Container::id))
                .flatMap(container -> java.util.Collections.nCopies(container.free(now), container).stream())
                .toList();
        List<HeldCall> waiting = held.stream().filter(HeldCall::isWaiting).toList();
        List<Pairing> pairs = new ArrayList<>();
        for (int i = 0; i < Math.min(slots.size(), waiting.size()); i++) {
            pairs.add(new Pairing(waiting.get(i), slots.get(i)));
        }
        return pairs;
    }
}
