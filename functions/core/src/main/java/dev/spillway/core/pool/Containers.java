package dev.spillway.core.pool;

import dev.spillway.core.DependencyException;
import dev.spillway.core.background.Lease;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Offer;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The containers' items in the table: claims, states and heartbeats, each one conditional write on one item. {@code
 * false} and empty mean that the condition did not hold, and nothing changed. After a failed condition or a lost reply
 * the adapter reads consistently: finding the own generation means that the write was applied. Everything may throw
 * {@link DependencyException}.
 */
public interface Containers {
    /** What came of a claim. */
    sealed interface ClaimResult {
        /**
         * @param freedAt when the slot taken here was given back by the call before, if that is known: each end and each
         *     release notes its time on the item, and each claim takes one from there, the oldest first. A claim that
         *     was found made before tells none
         */
        record Claimed(@Nullable Instant freedAt) implements ClaimResult {}

        /** Full, not READY, expired, or the call has a claim there already. */
        record Refused(String reason) implements ClaimResult {}
    }

    Optional<Container> find(PoolId pool, ContainerId id);

    /** Takes a slot IF the container is READY, alive, not closed, has fewer than {@code limit} claims and none of this call or job. */
    ClaimResult claim(PoolId pool, ContainerId id, ClaimKey key, Claim claim, int limit, Instant now);

    /** Removes a claim that is still reserved with that generation: it can no longer connect. */
    boolean release(PoolId pool, ContainerId id, ClaimKey key, Generation generation);

    /**
     * Keeps a job's reserved claim of that generation under its call from now on, IF the call has no claim there: Twilio has
     * named the call. True also if that was done before.
     */
    boolean rename(PoolId pool, ContainerId id, JobId job, CallSid call, Generation generation);

    /** Turns a connected claim of that generation to cooldown: for anyone but the container itself. */
    boolean coolDown(PoolId pool, ContainerId id, CallSid call, Generation generation);

    /** Announces an offer on the claim of that generation. */
    boolean announce(PoolId pool, ContainerId id, CallSid call, Generation generation, Offer offer);

    /**
     * Goes from one state to the next IF it is in the first. {@code onlyWithoutClaims} also requires that no claim is
     * there: a claim and a drain race on this item, so exactly one of them wins.
     */
    boolean become(
            PoolId pool,
            ContainerId id,
            ContainerState from,
            ContainerState to,
            boolean onlyWithoutClaims,
            String reason,
            Instant now);

    /** ECS no longer counts it: it may exit by itself, if it has not. */
    void allowExit(PoolId pool, ContainerId id);

    /**
     * Keeps new calls out until then IF {@code seen} is what the item still says; {@link Instant#EPOCH} lets them in again. A
     * claim is refused while it lasts.
     */
    boolean closeUntil(PoolId pool, ContainerId id, Instant seen, Instant until);

    /** Deletes the item of a container that is gone, IF it is STOPPING or LOST. */
    void remove(PoolId pool, ContainerId id);

    /**
     * The same containers for one shift of background work. Every write also requires that no later shift has written to
     * the item, and leaves its own generation there as a fence: {@code IF attribute_not_exists(fence) OR fence <=
     * generation}. What containers and calls write needs no fence and leaves it alone.
     *
     * @return writes to that pool's containers alone; it throws {@link IllegalArgumentException} for a write to another's
     */
    Containers under(PoolId pool, Lease lease);

    // What only the container itself writes.

    /** Puts the item IF there is none. */
    boolean register(Container container);

    /**
     * One update of the container's own report and liveness IF the item exists AND carries this boot id; never touches
     * state or claims. Gives the whole item back; empty if the item is gone or another boot's.
     */
    Optional<Container> heartbeat(
            PoolId pool, ContainerId id, String bootId, Report report, Instant aliveUntil, Instant protectedUntil);

    /** {@code reserved → connected} IF reserved with that generation; gives the claim. Twice the same stream is refused here. */
    Optional<Claim> connect(PoolId pool, ContainerId id, CallSid call, Generation generation);

    /**
     * Writes a call that was admitted while the table could not be reached, or adopted: IF there is room and this boot. Claimed
     * also if that was done before.
     */
    ClaimResult admit(PoolId pool, ContainerId id, String bootId, CallSid call, Claim claim, int limit);

    /** Removes the container's own claim of that generation in whatever phase. */
    boolean end(PoolId pool, ContainerId id, CallSid call, Generation generation);
}
