package dev.spillway.core.pool;

import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Offer;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A slot taken for one call, kept on its container's item under the call's id.
 *
 * @param arrivedAt when the call first asked for a slot: held calls are handed over oldest first
 * @param offer on a gateway claim, the slot in the tenant's pool to which the call should be handed
 */
public record Claim(
        Generation generation,
        Phase phase,
        TenantId tenant,
        Instant arrivedAt,
        Instant claimedAt,
        @Nullable Offer offer) {

    /** {@code reserved → connected → (cooldown) → gone}; cooldown is left only by the container itself. */
    public enum Phase {
        RESERVED,
        CONNECTED,
        COOLDOWN
    }

    public Claim {
        Objects.requireNonNull(generation);
        Objects.requireNonNull(phase);
        Objects.requireNonNull(tenant);
        Objects.requireNonNull(arrivedAt);
        Objects.requireNonNull(claimedAt);
    }

    public static Claim reserved(Generation generation, TenantId tenant, Instant arrivedAt, Instant now) {
        return new Claim(generation, Phase.RESERVED, tenant, arrivedAt, now, null);
    }

    public static Claim connected(Generation generation, TenantId tenant, Instant arrivedAt, Instant now) {
        return new Claim(generation, Phase.CONNECTED, tenant, arrivedAt, now, null);
    }

    public Claim offered(Offer slot) {
        return new Claim(generation, phase, tenant, arrivedAt, claimedAt, slot);
    }
}
