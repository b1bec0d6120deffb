package dev.spillway.core.reconcile;

import dev.spillway.core.Timing;
import dev.spillway.core.background.Shift;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Claim.Phase;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.Optional;

/**
 * Finds claims that nobody needs any more. Age makes a claim look stale and frees none: the call's record decides, else
 * the container's own report while it is alive, else Twilio's call status; and the journal says which.
 *
 * <p>A report has counts and no list of calls, and needs none: with every heartbeat a live container removes the claims
 * that it knows to be over. What is left to find here are the claims that it can know nothing of, and those of
 * containers that do not live.
 */
public final class StaleClaims {
    private final Calls calls;
    private final Inquiry inquiry;
    private final Journal journal;
    private final Timing timing;

    public StaleClaims(Calls calls, Inquiry inquiry, Journal journal, Timing timing) {
        this.calls = calls;
        this.inquiry = inquiry;
        this.journal = journal;
        this.timing = timing;
    }

    void visit(Shift shift, PoolView view, Instant now) {
        for (Container container : view.containers()) {
            container.claims().forEach((key, claim) -> {
                // A job's claim is its dialer's business: it knows which of its dials are under way.
                if (key instanceof CallSid sid) {
                    look(shift, new Held(container, sid, claim), now);
                }
            });
        }
    }

    private record Held(Container container, CallSid sid, Claim claim) {}

    private void look(Shift shift, Held held, Instant now) {
        if (held.claim().phase() == Phase.RESERVED) {
            reserved(shift, held, now);
        } else if (held.container().state() == ContainerState.LOST) {
            leftBehind(shift, held, now);
        } else if (held.claim().phase() == Phase.CONNECTED && isNew(held.claim(), now)) {
            checkPlace(held, now);
        }
    }

    /**
     * A check of references first: the claim of a placement that is just being written is for a hop that its call has not
     * reached. Whoever was writing it may have died; but a container that let the call in while the table was away holds such a
     * claim too, and owes the record still.
     */
    private void reserved(Shift shift, Held held, Instant now) {
        Claim claim = held.claim();
        Optional<Call> found = calls.find(claim.tenant(), held.sid());
        if (found.isEmpty()) {
            // A direct call is claimed before it is written; its stream could not be opened any more.
            if (isBeyond(claim.claimedAt().plus(timing.tokenLife()), now)) {
                settle(shift, held, "there is no record of its call", now);
            }
            return;
        }
        Call call = found.get();
        if (call.isOver()) {
            free(shift, held, DecidedBy.CALL_RECORD, "its call is over");
        } else if (call.offer() != null && call.offer().generation().equals(claim.generation())) {
            offered(shift, held, call, now);
        } else if (call.names(claim.generation())) {
            if (call.current().orElse(null) instanceof Answer.Stream stream && isBeyond(stream.expiry(), now)) {
                settle(shift, held, "its stream can no longer be opened", now);
            }
        } else if (call.hop() >= claim.generation().hop()) {
            free(shift, held, DecidedBy.CALL_RECORD, "no call names this claim any more");
        } else if (isBeyond(claim.claimedAt().plus(timing.tokenLife()), now)) {
            settle(shift, held, "its call was never placed on it", now);
        }
    }

    /** Past a moment by more than a report's age, so that a report which shows nothing was made after it. */
    private boolean isBeyond(Instant moment, Instant now) {
        return moment.plus(timing.expiry()).isBefore(now);
    }

    private void settle(Shift shift, Held held, String why, Instant now) {
        Container container = held.container();
        boolean nothingThere = container.isAlive(now)
                && container.report().setups() == 0
                && container.report().live() == 0;
        if (nothingThere) {
            free(shift, held, DecidedBy.CONTAINER_REPORT, why + ", and its container has no call at all");
        } else if (inquiry.ask(held.claim().tenant(), held.sid(), why, now) == Inquiry.Reply.OVER) {
            free(shift, held, DecidedBy.TWILIO_STATUS, why);
        }
    }

    /**
     * An offer waits for a call that may not be where it was to be fetched from any more. A hand-off that is under way has
     * left the gateway too, and is on its way for no longer than a stream may be opened.
     */
    private void offered(Shift shift, Held held, Call call, Instant now) {
        boolean underWay = call.offer() == null
                || !call.offer().at().plus(timing.tokenLife()).isBefore(now);
        if (underWay) {
            return;
        }
        if (!(call.current().orElse(null) instanceof Answer.Stream stream)) {
            // A repeated webhook left a claim on the gateway, and the call was told that everything is busy.
            takeBack(shift, held, DecidedBy.CALL_RECORD, "it was offered to a call that is on no stream");
            return;
        }
        if (stream.container() == null) {
            return;
        }
        Optional<Container> gateway = shift.containers().find(stream.pool(), stream.container());
        boolean stillThere = gateway.map(container -> container.claims().get(call.sid()))
                .filter(there -> there.generation().equals(stream.generation()))
                .isPresent();
        if (stillThere) {
            return;
        }
        if (gateway.filter(container -> container.isAlive(now)).isPresent()) {
            takeBack(
                    shift,
                    held,
                    DecidedBy.CONTAINER_REPORT,
                    "it was offered to a call that the gateway does not hold any more");
        } else if (inquiry.ask(call.tenant(), call.sid(), "it was offered a slot, and its gateway container died", now)
                == Inquiry.Reply.OVER) {
            takeBack(shift, held, DecidedBy.TWILIO_STATUS, "it was offered to a call that is over");
        }
    }

    /** First the offer: a call that comes back after all must not be sent to a slot that is gone. */
    private void takeBack(Shift shift, Held held, DecidedBy decidedBy, String reason) {
        calls.withdraw(held.claim().tenant(), held.sid(), held.claim().generation());
        free(shift, held, decidedBy, reason);
    }

    private void free(Shift shift, Held held, DecidedBy decidedBy, String reason) {
        shift.containers()
                .release(
                        shift.pool(),
                        held.container().id(),
                        held.sid(),
                        held.claim().generation());
        journal.write(freed(held, decidedBy, reason));
    }

    /** The container will not say any more that the call is not there. */
    private void leftBehind(Shift shift, Held held, Instant now) {
        Claim claim = held.claim();
        Optional<Call> call = calls.find(claim.tenant(), held.sid());
        boolean wentOn = call.filter(known -> known.outcome() != null
                        || known.hop() > claim.generation().hop())
                .isPresent();
        if (wentOn) {
            end(shift, held, DecidedBy.CALL_RECORD, "its container is lost, and the call went on or ended");
        } else if (inquiry.ask(claim.tenant(), held.sid(), "its container is lost", now) == Inquiry.Reply.OVER) {
            end(shift, held, DecidedBy.TWILIO_STATUS, "its container is lost, and the call is over");
        }
    }

    private void end(Shift shift, Held held, DecidedBy decidedBy, String reason) {
        shift.containers()
                .end(
                        shift.pool(),
                        held.container().id(),
                        held.sid(),
                        held.claim().generation());
        journal.write(freed(held, decidedBy, reason));
    }

    private static Entry freed(Held held, DecidedBy decidedBy, String reason) {
        return Entry.of("orphan")
                .with("pool", held.container().pool())
                .with("container", held.container().id())
                .with("callSid", held.sid())
                .withKnown("job", held.claim().job())
                .with("decidedBy", decidedBy.text())
                .with("reason", reason);
    }

    /** Each claim is looked at in its first rounds, so that a visit reads no more calls than came meanwhile. */
    private boolean isNew(Claim claim, Instant now) {
        return claim.claimedAt().plus(timing.round().multipliedBy(3)).isAfter(now);
    }

    /**
     * A live container carries a call whose record says that it is carried elsewhere. On its way between two hops a call may
     * stand in both places for a moment: until the former container has reported twice.
     */
    private void checkPlace(Held held, Instant now) {
        Claim claim = held.claim();
        if (!held.container().isAlive(now)) {
            return;
        }
        Optional<Call> found = calls.find(claim.tenant(), held.sid()).filter(call -> call.outcome() == null);
        if (found.isEmpty()
                || !(found.get().current().orElse(null) instanceof Answer.Stream stream)
                || stream.container() == null
                || stream.generation().equals(claim.generation())) {
            return;
        }
        Call call = found.get();
        int hop = claim.generation().hop();
        boolean wrong = call.hop() == hop
                ? call.connectedHop() == hop
                : later(stream.at(), claim.claimedAt())
                        .plus(timing.expiry().multipliedBy(2))
                        .isBefore(now);
        if (wrong) {
            journal.write(Entry.alert(
                            "wrong-container",
                            "it carries hop " + hop + ", and the call's record says hop " + call.hop()
                                    + " on container " + stream.container(),
                            1)
                    .with("pool", held.container().pool())
                    .with("container", held.container().id())
                    .with("tenant", claim.tenant())
                    .with("callSid", held.sid())
                    .withKnown("job", claim.job()));
        }
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
