package dev.spillway.media.admission;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of one claim of its own container. {@link Admission} alone changes its phase, under its lock;
 * the other fields are facts that become true once, written by whoever did the work.
 */
public final class Seat {
    /** A seat's life: {@code SETUP → WAITING → OPENING → LIVE → CLEANUP}; it may end early, and may begin at OPENING. */
    public enum Phase {
        /** The webhook is being answered. */
        SETUP,
        /** Answered; the stream has not come yet. */
        WAITING,
        /** The stream is open; its start is awaited or being checked. */
        OPENING,
        /** A conversation. */
        LIVE,
        /** The conversation is over and the claim is being taken back. */
        CLEANUP
    }

    private final CallSid sid;
    private final TenantId tenant;
    private final Generation generation;
    private final Instant arrivedAt;
    private final Instant expiry;
    private final CompletableFuture<Boolean> claimed = new CompletableFuture<>();
    private final CompletableFuture<Boolean> recorded = new CompletableFuture<>();
    private Phase phase;
    private volatile boolean claimKnown;
    private volatile boolean callKnown;
    private volatile @Nullable Instant claimKnownAt;
    private volatile @Nullable JobId job;

    Seat(CallSid sid, TenantId tenant, Generation generation, Instant arrivedAt, Instant expiry, Phase phase) {
        this.sid = sid;
        this.tenant = tenant;
        this.generation = generation;
        this.arrivedAt = arrivedAt;
        this.expiry = expiry;
        this.phase = phase;
    }

    public CallSid sid() {
        return sid;
    }

    public TenantId tenant() {
        return tenant;
    }

    public Generation generation() {
        return generation;
    }

    public Instant arrivedAt() {
        return arrivedAt;
    }

    public Instant expiry() {
        return expiry;
    }

    /** Completes when the webhook that made this seat knows its answer: true if the call may come. */
    public CompletableFuture<Boolean> claimed() {
        return claimed;
    }

    /** Completes when the call's own record was written, or could not be: false then. A seat that needs none is complete. */
    public CompletableFuture<Boolean> recorded() {
        return recorded;
    }

    /** The table holds this claim. */
    public void claimIsKnown(Instant now) {
        claimKnownAt = now;
        claimKnown = true;
    }

    public boolean isClaimKnown() {
        return claimKnown;
    }

    /** The table's claim still has to be turned to connected, or written at all. */
    public void claimIsOwed() {
        claimKnown = false;
    }

    /** The call's record names this seat as connected. */
    public void callIsKnown() {
        callKnown = true;
    }

    public boolean isCallKnown() {
        return callKnown;
    }

    /** Whether the table surely held this claim at that moment. */
    public boolean isClaimKnownBefore(Instant moment) {
        Instant at = claimKnownAt;
        return claimKnown && at != null && at.isBefore(moment);
    }

    public Answer.Stream answer(PoolId pool, ContainerId container, Instant at) {
        return new Answer.Stream(pool, container, generation, expiry, at);
    }

    /** As it is to be written in the table. */
    public Claim claim(boolean connected, Instant now) {
        Claim claim = connected
                ? Claim.connected(generation, tenant, arrivedAt, now)
                : Claim.reserved(generation, tenant, arrivedAt, now);
        return claim.dialledFor(job);
    }

    /** Whoever has read the call's claim or its record says what it was dialled for; null, and what is known stays. */
    public void jobIsKnown(@Nullable JobId attempt) {
        if (attempt != null) {
            job = attempt;
        }
    }

    /** A line of the journal about this call: by the same names as the functions' lines about it. */
    public Entry entry(String event, String reason) {
        return Entry.of(event)
                .with("tenant", tenant)
                .with("callSid", sid)
                .withKnown("job", job)
                .with("generation", generation)
                .with("reason", reason);
    }

    Phase phase() {
        return phase;
    }

    void phase(Phase next) {
        phase = next;
    }
}
