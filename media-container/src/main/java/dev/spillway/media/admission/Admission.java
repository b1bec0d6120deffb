package dev.spillway.media.admission;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Report;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.media.admission.Seat.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which calls this container takes. Setups, live calls, relays, cleanup and the drain share one lock, so that a call and a
 * drain can race and exactly one of them wins. Nothing here does I/O: the table is asked outside the lock, by whoever
 * was given a {@link Seat}, and the table's word is final.
 *
 * <p>Two gates: <em>new calls</em> (closed while starting, draining and stopping) and <em>everything</em> (sealed once
 * empty, just before DRAINED is written). A claim held here is let in through the second gate only. So it is when memory
 * is short: that shuts out new calls and nothing else.
 */
public final class Admission {
    /** How long a generation is remembered as used: ten times the life of a token (DESIGN, Timing). */
    private static final Duration MEMORY = Duration.ofMinutes(10);

    private final int limit;
    private final MemoryFloor memory;
    private final Map<Generation, Seat> seats = new LinkedHashMap<>();
    private final Map<Generation, Instant> opened = new LinkedHashMap<>();
    private Map<ClaimKey, Claim> inTable = new HashMap<>();
    private Instant readAt = Instant.EPOCH;
    private int relays;
    private boolean accepting;
    private boolean sealed;
    private boolean closedForGood;
    private boolean wasOpen;
    private String reason = "not READY yet";
    /** Why nobody here could answer a call; empty while somebody can. */
    private String agentMissing = "";

    private Instant lastActivity;

    /** With memory for whatever comes. */
    public Admission(int limit, Instant startedAt) {
        this(limit, MemoryFloor.NONE, startedAt);
    }

    public Admission(int limit, MemoryFloor memory, Instant startedAt) {
        if (limit < 1) {
            throw new IllegalArgumentException("a container needs a limit of at least 1, not " + limit);
        }
        this.limit = limit;
        this.memory = memory;
        this.lastActivity = startedAt;
    }

    /** What came of asking for a seat. */
    public sealed interface Admitted {
        /** A seat that only this caller works on. */
        record Fresh(Seat seat) implements Admitted {}

        /** The call has a seat: its webhook came before. */
        record Known(Seat seat) implements Admitted {}

        record Refused(String reason) implements Admitted {}
    }

    public int limit() {
        return limit;
    }

    /** Lets new calls in, unless this container was closed for good. */
    public synchronized boolean open() {
        if (closedForGood || sealed) {
            return false;
        }
        accepting = true;
        wasOpen = true;
        reason = "";
        return true;
    }

    /** Lets no new call in. Claims that are held here still are. */
    public synchronized void close(String why) {
        accepting = false;
        if (!closedForGood) {
            reason = why;
        }
    }

    /** Like {@link #close}, and never opens again. */
    public synchronized void closeForGood(String why) {
        close(why);
        closedForGood = true;
    }

    /** Whoever answers the calls here cannot be reached: no new call, while those that are here go on. */
    public synchronized void agentIsMissing(String why) {
        agentMissing = why;
    }

    /** The answering side is there again. */
    public synchronized void agentIsBack() {
        agentMissing = "";
    }

    /** Closes every gate IF new calls are shut out and nothing is going on; a stream that comes later is refused. */
    public synchronized boolean seal() {
        sealed = sealed || (!accepting && report(0).isQuiet());
        return sealed;
    }

    /** The table did not take DRAINED: claims that it holds are let in again. */
    public synchronized void unseal() {
        sealed = false;
    }

    public synchronized boolean isAccepting() {
        return accepting;
    }

    public synchronized boolean isClosedForGood() {
        return closedForGood;
    }

    /** Why this container wants no new calls any more, or for now; empty while it serves, full or not, and before it does. */
    public synchronized Optional<String> leaving() {
        if (closedForGood || (wasOpen && !accepting)) {
            return Optional.of(reason);
        }
        return wasOpen && !agentMissing.isEmpty() ? Optional.of(agentMissing) : Optional.empty();
    }

    /** Why a new call would be refused now; empty if it would not. */
    public synchronized Optional<String> refusal() {
        if (!accepting) {
            return Optional.of(reason);
        }
        if (!agentMissing.isEmpty()) {
            return Optional.of(agentMissing);
        }
        if (used() >= limit) {
            return Optional.of("full: " + used() + " of " + limit + " slots");
        }
        return memory.isReached() ? Optional.of(memory.reason()) : Optional.empty();
    }

    /** A webhook asks for a slot for its call. The same call again is given the same seat. */
    public synchronized Admitted admit(
            CallSid sid, TenantId tenant, Supplier<Generation> generation, Instant expiry, Instant now) {
        for (Seat seat : seats.values()) {
            if (seat.sid().equals(sid) && seat.phase() != Phase.CLEANUP) {
                return new Admitted.Known(seat);
            }
        }
        if (inTable.containsKey(sid)) {
            return new Admitted.Refused("the call has another claim here");
        }
        Optional<String> refusal = refusal();
        if (refusal.isPresent()) {
            return new Admitted.Refused(refusal.get());
        }
        return new Admitted.Fresh(seat(sid, tenant, generation.get(), now, expiry, Phase.SETUP, now));
    }

    /**
     * The webhook is to be answered: the stream may come. False if there is no room after all: the table could not be told of
     * this call and gave the last slots to others, whose streams are here.
     */
    public synchronized boolean answered(Seat seat) {
        if (!seat.isClaimKnown() && takenByOthers(seat) >= limit) {
            return false;
        }
        if (seat.phase() == Phase.SETUP) {
            seat.phase(Phase.WAITING);
        }
        return true;
    }

    /**
     * A stream comes for a claim that this container holds, or should: the table decides at its start. It does not know the
     * calls that were admitted while it could not be reached: together with those, a claim can be one too many.
     */
    public synchronized Admitted openHeld(
            CallSid sid, TenantId tenant, Generation generation, Instant expiry, Instant now) {
        if (sealed) {
            return new Admitted.Refused("drained");
        }
        Seat seat = seats.get(generation);
        if (takenByOthers(seat) >= limit && !opened.containsKey(generation)) {
            return new Admitted.Refused("full: " + limit + " calls are here already");
        }
        if (!markOpened(generation, now)) {
            return new Admitted.Refused("this stream was opened before");
        }
        if (seat != null) {
            seat.phase(Phase.OPENING);
            lastActivity = now;
            return new Admitted.Fresh(seat);
        }
        Claim claim = inTable.get(sid);
        if (claim != null && !claim.generation().equals(generation)) {
            claim = null;
        }
        Seat held = seat(sid, tenant, generation, claim == null ? now : claim.arrivedAt(), expiry, Phase.OPENING, now);
        held.jobIsKnown(claim == null ? null : claim.job());
        held.claimIsKnown(now);
        held.recorded().complete(true);
        return new Admitted.Fresh(held);
    }

    /**
     * A stream comes for which this container holds no claim: one addressed to another container of the pool, or to any.
     *
     * @param addressed the generation in its address: the same stream is never opened twice here
     * @param generation of the claim that is to be written here
     */
    public synchronized Admitted openUnheld(
            CallSid sid,
            TenantId tenant,
            Generation addressed,
            Generation generation,
            Instant arrivedAt,
            Instant expiry,
            Instant now) {
        if (opened.containsKey(addressed)) {
            return new Admitted.Refused("this stream was opened before");
        }
        Optional<String> refusal = refusal();
        if (refusal.isPresent()) {
            return new Admitted.Refused(refusal.get());
        }
        markOpened(addressed, now);
        markOpened(generation, now);
        Seat seat = seat(sid, tenant, generation, arrivedAt, expiry, Phase.OPENING, now);
        seat.recorded().complete(true);
        return new Admitted.Fresh(seat);
    }

    /** The addressed stream was not taken after all and may be relayed. */
    public synchronized void forgetOpened(Generation addressed) {
        opened.remove(addressed);
    }

    /** The stream's start was accepted: a conversation. False if the seat is gone. */
    public synchronized boolean connected(Seat seat, Instant now) {
        if (seats.get(seat.generation()) != seat || seat.phase() != Phase.OPENING) {
            return false;
        }
        seat.phase(Phase.LIVE);
        lastActivity = now;
        return true;
    }

    /** The stream is closed: from here on the claim is being put away. False if someone does that already. */
    public synchronized boolean closing(Seat seat, Instant now) {
        if (seats.get(seat.generation()) != seat || seat.phase() == Phase.CLEANUP) {
            return false;
        }
        seat.phase(Phase.CLEANUP);
        lastActivity = now;
        return true;
    }

    /** The seat is free. Whether it was taken until now. */
    public synchronized boolean ended(Seat seat, Instant now) {
        if (!seats.remove(seat.generation(), seat)) {
            return false;
        }
        Claim claim = inTable.get(seat.sid());
        if (claim != null && claim.generation().equals(seat.generation())) {
            inTable.remove(seat.sid());
        }
        lastActivity = now;
        return true;
    }

    /** Begins a relay; false when everything is shut. Relays are work for the drain, not for admission. */
    public synchronized boolean relayStarted() {
        if (sealed) {
            return false;
        }
        relays++;
        return true;
    }

    public synchronized void relayEnded() {
        relays--;
    }

    /**
     * Learns the table's claims. Seats whose claim is gone from it are dropped if they still wait for their stream.
     *
     * @param askedAt when the table was asked: what was written later may not be in it
     * @return the dropped seats
     */
    public synchronized List<Seat> observe(Map<ClaimKey, Claim> claims, Instant askedAt, Instant now) {
        inTable = new HashMap<>(claims);
        readAt = askedAt;
        List<Seat> dropped = new ArrayList<>();
        for (Seat seat : List.copyOf(seats.values())) {
            Claim claim = claims.get(seat.sid());
            boolean there = claim != null && claim.generation().equals(seat.generation());
            if (seat.phase() == Phase.WAITING && !there && seat.isClaimKnownBefore(askedAt)) {
                seats.remove(seat.generation());
                dropped.add(seat);
            }
        }
        opened.values().removeIf(at -> at.isBefore(now.minus(MEMORY)));
        return dropped;
    }

    /** Seats whose stream can no longer come. */
    public synchronized List<Seat> overdue(Instant before) {
        return in(Set.of(Phase.WAITING)).stream()
                .filter(seat -> seat.expiry().isBefore(before))
                .toList();
    }

    /** Seats with something the table has not been told yet. */
    public synchronized List<Seat> owing() {
        return seats.values().stream()
                .filter(seat -> (seat.phase() == Phase.LIVE && !(seat.isClaimKnown() && seat.isCallKnown()))
                        || (seat.phase() == Phase.WAITING && !seat.isClaimKnown()))
                .toList();
    }

    public synchronized List<Seat> live() {
        return in(Set.of(Phase.LIVE));
    }

    public synchronized boolean isLive(Seat seat) {
        return seats.get(seat.generation()) == seat && seat.phase() == Phase.LIVE;
    }

    /** Whether this process knows the claim of that generation as its own. */
    public synchronized boolean holds(Generation generation) {
        return seats.containsKey(generation);
    }

    /** Whether a stream of that generation was opened here. */
    public synchronized boolean wasOpened(Generation generation) {
        return opened.containsKey(generation);
    }

    /** What is going on here, as the heartbeat tells it. A claim that only this process knows counts as a setup. */
    public synchronized Report report(long memoryBytes) {
        int setups = 0;
        int live = 0;
        int cleanup = 0;
        for (Seat seat : seats.values()) {
            switch (seat.phase()) {
                case SETUP, OPENING -> setups++;
                case WAITING -> setups += seat.isClaimKnown() ? 0 : 1;
                case LIVE -> live++;
                case CLEANUP -> cleanup++;
            }
        }
        // Whoever reads the item, in whatever state it is, then sends no call here.
        boolean nobodyAnswers = closedForGood || !agentMissing.isEmpty();
        return new Report(setups, live, relays, cleanup, memoryBytes, lastActivity, memory.isReached(), nobodyAnswers);
    }

    /** Whether the table's claims were asked for at that moment or later. */
    public synchronized boolean isReadSince(Instant moment) {
        return !readAt.isBefore(moment);
    }

    /** Slots taken: calls with a claim in the table, as last read, or known here alone. */
    public synchronized int used() {
        Set<ClaimKey> calls = new HashSet<>();
        // A job's claim whose stream came before the next look at the table is that stream's seat.
        inTable.forEach((key, claim) -> {
            if (!(key instanceof JobId) || !seats.containsKey(claim.generation())) {
                calls.add(key);
            }
        });
        seats.values().forEach(seat -> calls.add(seat.sid()));
        return calls.size();
    }

    /** Other calls that have this container's word, whatever the table knows of them. */
    private int takenByOthers(@Nullable Seat own) {
        return (int) seats.values().stream()
                .filter(seat -> seat != own)
                .filter(seat -> switch (seat.phase()) {
                    case OPENING, LIVE -> true;
                    case WAITING -> !seat.isClaimKnown();
                    case SETUP, CLEANUP -> false;
                })
                .count();
    }

    private List<Seat> in(Set<Phase> phases) {
        return seats.values().stream()
                .filter(seat -> phases.contains(seat.phase()))
                .toList();
    }

    private boolean markOpened(Generation generation, Instant now) {
        return opened.putIfAbsent(generation, now) == null;
    }

    private Seat seat(
            CallSid sid,
            TenantId tenant,
            Generation generation,
            Instant arrivedAt,
            Instant expiry,
            Phase phase,
            Instant now) {
        Seat seat = new Seat(sid, tenant, generation, arrivedAt, expiry, phase);
        seats.put(generation, seat);
        lastActivity = now;
        return seat;
    }
}
