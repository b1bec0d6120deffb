package dev.spillway.core.pool;

import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
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
 * @param job the attempt that the call was dialled for, so that its container can name it too; null if somebody called
 */
public record Claim(
        Generation generation,
        Phase phase,
        TenantId tenant,
        Instant arrivedAt,
        Instant claimedAt,
        @Nullable Offer offer,
        @Nullable JobId job) {

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

    /** Of a call that somebody made. */
    public Claim(
            Generation generation,
            Phase phase,
            TenantId tenant,
            Instant arrivedAt,
            Instant claimedAt,
            @Nullable Offer offer) {
        this(generation, phase, tenant, arrivedAt, claimedAt, offer, null);
    }

    public static Claim reserved(Generation generation, TenantId tenant, Instant arrivedAt, Instant now) {
        return new Claim(generation, Phase.RESERVED, tenant, arrivedAt, now, null);
    }

    public static Claim connected(Generation generation, TenantId tenant, Instant arrivedAt, Instant now) {
        return new Claim(generation, Phase.CONNECTED, tenant, arrivedAt, now, null);
    }

    public Claim offered(Offer slot) {
        return new Claim(generation, phase, tenant, arrivedAt, claimedAt, slot, job);
    }

    /** @param attempt null for a call that somebody made */
    public Claim dialledFor(@Nullable JobId attempt) {
        return new Claim(generation, phase, tenant, arrivedAt, claimedAt, offer, attempt);
    }
}
