package dev.spillway.core.call;

import dev.spillway.core.pool.ContainerId;
import java.time.Instant;
import java.util.Objects;

/** A slot in the tenant's own pool, held ready for a call that is on the gateway. */
public record Offer(ContainerId container, Generation generation, Instant at) {
    public Offer {
        Objects.requireNonNull(container);
        Objects.requireNonNull(generation);
        Objects.requireNonNull(at);
    }
}
