package dev.spillway.media.call;

import dev.spillway.core.DependencyException;
import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Offer;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.Placed;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.event.Announcement.SlotsTaken;
import dev.spillway.core.event.Announcement.StreamSilent;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.SlotReuse;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.admission.Seat;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the table in step with the seats of {@link Admission}: claims, the calls' own records, and putting both away.
 * Every method may block. While the table cannot be reached a seat owes what it could not write, and {@link #catchUp} pays
 * before the next heartbeat.
 */
public final class Seating {
    /** 0.1 + 0.2 + 0.4 s: a longer outage is the next heartbeat's business. */
    private static final int MOST_TRIES = 4;

    /** An outage of the bus of a few seconds costs the caller these seconds. */
    private static final Duration BETWEEN_TELLINGS = Duration.ofSeconds(3);

    private static final String TABLE = "table";

    private final Self self;
    private final Admission admission;
    private final Containers containers;
    private final Calls calls;
    private final Announcements announcements;
    private final Journal journal;
    private final InstantSource clock;
    private final Patience patience;

    public Seating(
            Self self,
            Admission admission,
            Containers containers,
            Calls calls,
            Announcements announcements,
            Journal journal,
            InstantSource clock,
            Patience patience) {
        this.self = self;
        this.admission = admission;
        this.containers = containers;
        this.calls = calls;
        this.announcements = announcements;
        this.journal = journal;
        this.clock = clock;
        this.patience = patience;
    }

    /** What came of a stream's start. */
    public sealed interface Verdict {
        /** @param resumed the caller was connected before: the conversation goes on */
        record Welcome(boolean resumed) implements Verdict {}

        record Refused(String reason) implements Verdict {}
    }

    /**
     * Claims this container's own slot; false only if the table surely refuses. Unreachable: taken here and owed.
     *
     * @param atMost what the call's setup has left for it
     */
    public boolean claim(Seat seat, Duration atMost) {
        try {
            ClaimResult result = patience.ask(
                    TABLE,
                    atMost,
                    () -> containers.claim(
                            self.pool(),
                            self.id(),
                            seat.sid(),
                            seat.claim(false, clock.instant()),
                            admission.limit(),
                            clock.instant()));
            return switch (result) {
                case ClaimResult.Claimed claimed -> {
                    tellReuse(seat, claimed);
                    seat.claimIsKnown(clock.instant());
                    yield true;
                }
                case ClaimResult.Refused refused -> {
                    log("claim-refused", seat, refused.reason());
                    yield false;
                }
            };
        } catch (DependencyException e) {
            log("claim-owed", seat, "the table cannot be reached: admitted here, written later");
            return true;
        }
    }

    /** Like {@link #claim}, for a call that no heartbeat of this pool could vouch for: asks only for room and this boot. */
    public boolean claimUnclaimed(Seat seat, Duration atMost) {
        try {
            boolean room = patience.ask(TABLE, atMost, () -> admit(seat, false, admission.limit()));
            if (room) {
                seat.claimIsKnown(clock.instant());
            }
            return room;
        } catch (DependencyException e) {
            log("claim-owed", seat, "the table cannot be reached: admitted here, written later");
            return true;
        }
    }

    /** Copies the claim to the call's own record; {@code caller} is null if it is not known who calls. */
    public void record(Seat seat, Answer.Stream answer, @Nullable CallerHash caller) {
        try {
            if (!calls.begin(Call.placedDirectly(seat.tenant(), seat.sid(), caller, answer))) {
                log("known-call", seat, "the call has a record already; its stream decides where it is");
            }
            seat.recorded().complete(true);
        } catch (RuntimeException e) {
            seat.recorded().complete(false);
            log("record-owed", seat, "the table cannot be reached: written at the stream's start or later");
        }
    }

    /**
     * The stream's start: the call's record is the arbiter, exactly one stream wins; then the claim turns to connected.
     * Without the table the seat is let in and owes both. A call that nobody claimed a slot for is announced as overflow,
     * unless its record names it: whoever wrote that has announced it, and twice would be taken for two calls.
     */
    public Verdict connect(Seat seat, Origin origin) {
        try {
            Optional<Call> before = seat.generation().hop() > 1 || origin instanceof Origin.Unclaimed
                    ? patience.ask(TABLE, () -> calls.find(seat.tenant(), seat.sid()))
                    : Optional.empty();
            // A call that came back without a record was connected without the table, or never: it is not greeted
            // twice.
            boolean resumed = seat.generation().hop() > 1
                    && before.map(call -> call.connectedHop() > 0).orElse(true);
            boolean announced =
                    before.filter(call -> call.names(seat.generation())).isPresent();
            before.ifPresent(call -> seat.jobIsKnown(call.story().job()));
            if (!patience.isDoneSoon(seat.recorded())) {
                throw new DependencyException(TABLE, "the call's record is not written yet", new TimeoutException());
            }
            if (!patience.ask(TABLE, () -> place(seat, origin))) {
                return new Verdict.Refused("the call was placed elsewhere or connected before");
            }
            seat.callIsKnown();
            return patience.ask(TABLE, () -> occupy(seat, admission.limit()))
                    ? welcome(seat, origin, announced, resumed)
                    : new Verdict.Refused("no slot");
        } catch (DependencyException e) {
            seat.claimIsOwed();
            log("connect-owed", seat, "the table cannot be reached: let in here, written later");
            return welcome(seat, origin, false, seat.generation().hop() > 1);
        }
    }

    /**
     * Writes what a seat owes. False if the table says that the call is not ours, or, before its stream has come, that there is
     * no room. A call that is heard here has its slot, whatever claims the table gave away meanwhile: of those, the streams that
     * find every slot taken go elsewhere ({@link Admission#openHeld}), and nobody who talks is sent away for one who may come.
     */
    public boolean catchUp(Seat seat) {
        if (!admission.isLive(seat)) {
            if (!admit(seat, false, admission.limit())) {
                return false;
            }
            calls.begin(Call.placedDirectly(
                    seat.tenant(), seat.sid(), seat.answer(self.pool(), self.id(), seat.arrivedAt())));
            seat.claimIsKnown(clock.instant()); // only now: until both are written something is owed
            return true;
        }
        if (!seat.isCallKnown() && !isHere(seat) && !place(seat, new Origin.Held())) {
            return false;
        }
        seat.callIsKnown();
        // As many claims that were given away, and as many calls that were let in here alone.
        return seat.isClaimKnown() || occupy(seat, 2 * admission.limit());
    }

    /**
     * Takes the claim back and frees the seat. Every slot that becomes free is announced, once for each call: whether
     * anybody waits for it this container cannot know (what it last read of its own claims is a heartbeat old, and of the
     * other containers, the held calls and the jobs it knows nothing), and whoever is told needlessly reads the pool and does
     * nothing.
     *
     * @param callEnded the call itself is over, not only its stream: an offered slot is given back too
     */
    public void putAway(Seat seat, boolean callEnded) {
        boolean done =
                persist("end", seat, () -> containers.end(self.pool(), self.id(), seat.sid(), seat.generation()));
        if (callEnded && self.pool().isGateway()) {
            persist("release-offer", seat, () -> releaseOffer(seat));
        }
        boolean freed = admission.ended(seat, clock.instant());
        if (!done) {
            log("claim-left", seat, "the table cannot be reached: the heartbeat takes it back");
        } else if (freed) {
            announcements.publish(new SlotFreed(self.pool(), self.id(), clock.instant()));
        }
    }

    /**
     * Nothing comes any more on that call's stream, though nobody has ended it. Closing it says nothing to Twilio if what lies
     * between is frozen or gone, and nobody else knows that the call is heard no more: so the bus is asked a few times.
     */
    public void fellSilent(Seat seat) {
        StreamSilent silent =
                new StreamSilent(seat.tenant(), seat.sid(), seat.generation().hop(), self.id(), clock.instant());
        boolean told = announcements.publish(silent);
        for (int tries = 1; !told && tries < MOST_TRIES && patience.pause(BETWEEN_TELLINGS); tries++) {
            told = announcements.publish(silent);
        }
        if (!told) {
            log("silence-untold", seat, "the bus did not take it in " + MOST_TRIES + " tries: nobody moves the call");
        }
    }

    /** Somebody of this pool passed a call on to here that belongs to another container: its address is wrong, or ours. */
    void alertOfWrongContainer(TenantId tenant, CallSid sid, ContainerId addressee) {
        journal.write(
                Entry.alert("wrong-container", "a stream for container " + addressee + " was passed on to this one", 1)
                        .with("pool", self.pool())
                        .with("container", self.id())
                        .with("tenant", tenant)
                        .with("callSid", sid));
    }

    /** The caller may hear the last of us: the next webhook hangs up. */
    public void finish(Seat seat) {
        persist("finish", seat, () -> {
            calls.finish(seat.tenant(), seat.sid());
            return true;
        });
    }

    /** What came of giving a call to another number. */
    public enum Transfer {
        /** Its next webhook is told to dial. */
        WRITTEN,
        /** It surely is not, and will not be: the call is where it was. */
        REFUSED,
        /** Nobody knows. Only that webhook can tell, and it tells exactly one thing: the call must not be kept here. */
        UNKNOWN
    }

    /**
     * Gives the call to another number: the webhook that follows its stream is told to dial it. A write whose reply was lost
     * is looked for, a few times.
     *
     * @param number in E.164
     */
    public Transfer transfer(Seat seat, String number) {
        Instant now = clock.instant();
        int hop = seat.generation().hop();
        Answer.Transfer answer = new Answer.Transfer(number, now);
        Transfer[] came = {Transfer.UNKNOWN};
        boolean[] doubtful = new boolean[1];
        persist("transfer", seat, () -> {
            boolean tried = doubtful[0];
            doubtful[0] = true; // until this try has an answer
            Optional<Call> call = calls.find(seat.tenant(), seat.sid());
            if (isGiven(call, hop, answer)) {
                came[0] = Transfer.WRITTEN; // by an earlier try, whose reply was lost
                return true;
            }
            if (!call.map(known -> known.mayBeTransferred(now)).orElse(true)) {
                // Not written, and if an earlier try may still arrive there: whoever continues decides.
                came[0] = tried ? Transfer.UNKNOWN : Transfer.REFUSED;
                return true;
            }
            // The answer to a webhook is kept for its repeats: this one is there before it is asked for.
            if (calls.place(seat.tenant(), seat.sid(), hop, answer, List.of(Step.transferred(hop + 1, now)))) {
                came[0] = Transfer.WRITTEN;
                call.map(Call::offer)
                        .ifPresent(
                                slot -> release(PoolId.of(seat.tenant()), slot.container(), seat, slot.generation()));
                return true;
            }
            Optional<Call> after = calls.find(seat.tenant(), seat.sid());
            boolean settled = after.filter(known -> known.hop() > hop || known.outcome() != null)
                    .isPresent();
            came[0] = isGiven(after, hop, answer)
                    ? Transfer.WRITTEN
                    : settled || !tried ? Transfer.REFUSED : Transfer.UNKNOWN;
            return true;
        });
        if (came[0] == Transfer.WRITTEN) {
            log("transferred", seat, "the agent gave the call to another number");
        }
        return came[0];
    }

    /** By its moment it is that very transfer: no other is written for this hop by anybody. */
    private static boolean isGiven(Optional<Call> call, int hop, Answer.Transfer answer) {
        return call.map(known -> known.answers().get(hop + 1))
                .filter(answer::equals)
                .isPresent();
    }

    private boolean place(Seat seat, Origin origin) {
        Answer.Stream stream = seat.answer(self.pool(), self.id(), clock.instant());
        boolean here = origin instanceof Origin.Held
                && calls.connect(
                        seat.tenant(),
                        seat.sid(),
                        seat.generation(),
                        List.of(Step.connected(stream, "its stream came where it was sent")));
        // A repeated webhook may have left the call's record with the other answer: whoever has the stream takes it.
        return here || calls.adopt(seat.tenant(), seat.sid(), stream, seat.arrivedAt());
    }

    /** Whether the connecting write was applied after all, though its reply was lost. */
    private boolean isHere(Seat seat) {
        return calls.find(seat.tenant(), seat.sid())
                .filter(call -> call.connectedHop() == seat.generation().hop())
                .filter(call -> call.current().orElse(null) instanceof Answer.Stream stream
                        && stream.generation().equals(seat.generation())
                        && self.id().equals(stream.container()))
                .isPresent();
    }

    private boolean occupy(Seat seat, int most) {
        Optional<Claim> claim = containers.connect(self.pool(), self.id(), seat.sid(), seat.generation());
        claim.ifPresent(held -> seat.jobIsKnown(held.job()));
        boolean connected = claim.isPresent() || admit(seat, true, most);
        if (connected) {
            seat.claimIsKnown(clock.instant());
        }
        return connected;
    }

    private boolean admit(Seat seat, boolean connected, int most) {
        ClaimResult result = containers.admit(
                self.pool(), self.id(), self.bootId(), seat.sid(), seat.claim(connected, clock.instant()), most);
        if (result instanceof ClaimResult.Claimed claimed) {
            tellReuse(seat, claimed);
            return true;
        }
        return false;
    }

    private void tellReuse(Seat seat, ClaimResult.Claimed claimed) {
        SlotReuse.write(self.pool(), self.id(), seat.sid(), claimed, clock.instant(), journal);
    }

    private Verdict welcome(Seat seat, Origin origin, boolean announced, boolean resumed) {
        switch (origin) {
            case Origin.Held held -> {}
            case Origin.Adopted adopted ->
                patience.later(() -> persist(
                        "release-adopted",
                        seat,
                        () -> release(self.pool(), adopted.from(), seat, adopted.addressed())));
            case Origin.Unclaimed unclaimed -> {
                if (!announced) {
                    patience.later(() -> announcements.publish(new CallOverflowed(
                            seat.tenant(), seat.sid(), seat.generation().hop(), Placed.UNCLAIMED, clock.instant())));
                }
            }
        }
        if (!self.pool().isGateway() && admission.used() >= admission.limit()) {
            patience.later(() -> announcements.publish(new SlotsTaken(self.pool(), self.id(), clock.instant())));
        }
        return new Verdict.Welcome(resumed);
    }

    private boolean release(PoolId pool, ContainerId container, Seat seat, Generation generation) {
        boolean freed = containers.release(pool, container, seat.sid(), generation);
        if (freed) {
            announcements.publish(new SlotFreed(pool, container, clock.instant()));
        }
        return freed;
    }

    private boolean releaseOffer(Seat seat) {
        Optional<Offer> offer =
                calls.find(seat.tenant(), seat.sid()).flatMap(call -> Optional.ofNullable(call.offer()));
        return offer.filter(slot -> release(PoolId.of(seat.tenant()), slot.container(), seat, slot.generation()))
                .isPresent();
    }

    /** Whether it got an answer, after a bounded number of tries. */
    private boolean persist(String what, Seat seat, Work work) {
        for (int tries = 1; tries <= MOST_TRIES; tries++) {
            try {
                work.run();
                return true;
            } catch (RuntimeException e) {
                // Whatever it is: a seat that is never freed would keep the container from ever draining.
                if (tries == MOST_TRIES || !patience.pause(Duration.ofMillis(50L << tries))) {
                    log(what + "-failed", seat, "tried " + tries + " times: " + e);
                    return false;
                }
            }
        }
        return false;
    }

    private void log(String event, Seat seat, String reason) {
        journal.write(seat.entry(event, reason));
    }

    @FunctionalInterface
    private interface Work {
        boolean run();
    }
}
