package dev.spillway.core.event;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;

/**
 * What the parts tell each other through the event bus. Delivery is at least once and in any order; every receiver asks
 * the table what is true, so that a repeated, late or lost one does no harm.
 */
public sealed interface Announcement {
    Instant at();

    /** The name on the bus. */
    default String detailType() {
        return getClass().getSimpleName();
    }

    /** Where an overflowing call went. */
    enum Placed {
        GATEWAY,
        UNCLAIMED,
        BUSY
    }

    /** A call found no slot in its tenant's pool. */
    record CallOverflowed(TenantId tenant, CallSid call, int hop, Placed placed, Instant at) implements Announcement {}

    /** A container can serve from now on. */
    record ContainerReady(PoolId pool, ContainerId container, Instant at) implements Announcement {}

    /** A slot is free again; whether anybody waits for it its pool tells. */
    record SlotFreed(PoolId pool, ContainerId container, Instant at) implements Announcement {}

    /** A container of a tenant's pool has taken its last slot: those of the others may be needed soon. */
    record SlotsTaken(PoolId pool, ContainerId container, Instant at) implements Announcement {}

    /**
     * Nothing came any more on the stream of a call that nobody has ended: whoever carried it to that container (a relay, a
     * load balancer) is frozen or gone, and its closing may not reach Twilio either.
     */
    record StreamSilent(TenantId tenant, CallSid call, int hop, ContainerId container, Instant at)
            implements Announcement {}

    /** A tenant's dialer may have something to do: jobs were accepted, or a call of its own ended. */
    record JobsWaiting(TenantId tenant, Instant at) implements Announcement {}

    /** A container has confirmed that it is empty and closed. */
    record ContainerDrained(PoolId pool, ContainerId container, Instant at) implements Announcement {}
}
