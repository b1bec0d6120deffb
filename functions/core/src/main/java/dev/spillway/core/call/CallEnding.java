package dev.spillway.core.call;

import dev.spillway.core.attempt.Step;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Puts a call away once Twilio says that it ended: its terminal outcome, exactly once, every slot that it still holds, and
 * what its agent kept of it. A late or repeated notice changes nothing.
 */
public final class CallEnding {
    private final Calls calls;
    private final Containers containers;
    private final Announcements announcements;
    private final Conversations conversations;
    private final Journal journal;

    public CallEnding(
            Calls calls,
            Containers containers,
            Announcements announcements,
            Conversations conversations,
            Journal journal) {
        this.conversations = conversations;
        this.calls = calls;
        this.containers = containers;
        this.announcements = announcements;
        this.journal = journal;
    }

    /** Twilio's word for how a call ended (FACTS: CallStatus). */
    public enum FinalStatus {
        COMPLETED,
        BUSY,
        NO_ANSWER,
        FAILED,
        CANCELED;

        /** Empty for the statuses of a call that goes on. */
        public static Optional<FinalStatus> parse(String callStatus) {
            return switch (callStatus) {
                case "completed" -> Optional.of(COMPLETED);
                case "busy" -> Optional.of(BUSY);
                case "no-answer" -> Optional.of(NO_ANSWER);
                case "failed" -> Optional.of(FAILED);
                case "canceled" -> Optional.of(CANCELED);
                default -> Optional.empty();
            };
        }

        /** What became of a call out that was never placed: nobody answered, or who did was never told where to go. */
        public Outcome ofUnplacedCallOut() {
            return switch (this) {
                case COMPLETED, FAILED -> Outcome.SETUP_FAILED;
                case BUSY, NO_ANSWER -> Outcome.ABANDONED;
                case CANCELED -> Outcome.CANCELED;
            };
        }

        /** What became of a caller of whom there is no record: if he was answered, nobody knows what he heard. */
        Outcome ofUnrecordedCall() {
            return switch (this) {
                case COMPLETED -> Outcome.LOST;
                case FAILED -> Outcome.SETUP_FAILED;
                case BUSY, NO_ANSWER -> Outcome.ABANDONED;
                case CANCELED -> Outcome.CANCELED;
            };
        }
    }

    /** Whether this notice ended the call; false if it was over or is unknown. */
    public boolean end(TenantId tenant, CallSid sid, FinalStatus status, Instant now) {
        return calls.find(tenant, sid)
                .map(call -> end(call, outcome(call, status), "call status " + status, now))
                .orElse(false);
    }

    /**
     * As {@link #end}, for a caller's call. One that nobody could write down while it was up, because the table was away or
     * because the container that took it died first, is written down now: who called was offered, whatever he heard. Its
     * record begins with its end: between two writes whoever makes them may die, and the next would not know that nobody had
     * written it down.
     *
     * @param hop the last that is known of it; 0 if none is
     */
    public boolean endInbound(TenantId tenant, CallSid sid, int hop, FinalStatus status, Instant now) {
        Optional<Call> known = calls.find(tenant, sid);
        if (known.isPresent()) {
            return end(known.get(), outcome(known.get(), status), "call status " + status, now);
        }
        Outcome outcome = status.ofUnrecordedCall();
        String reason = "call status " + status + "; nobody could write the call down while it was up";
        conversations.forget(tenant, sid, now); // first, as below
        if (!calls.begin(Call.ended(tenant, sid, hop, outcome, Step.ended(hop, outcome, reason, now), now))) {
            return end(tenant, sid, status, now); // whoever wrote it was faster
        }
        tell(tenant, sid, null, outcome, hop, reason);
        return true;
    }

    /** Ends a call of which nobody can say how it ended; whether this did it. */
    public boolean lose(TenantId tenant, CallSid sid, String reason, Instant now) {
        return calls.find(tenant, sid)
                .map(call -> end(call, Outcome.LOST, reason, now))
                .orElse(false);
    }

    private boolean end(Call call, Outcome outcome, String reason, Instant now) {
        TenantId tenant = call.tenant();
        CallSid sid = call.sid();
        Step ended = Step.ended(call.hop(), outcome, reason, now);
        // First: while this fails the call is open still, and whoever ends it next tries again.
        conversations.forget(tenant, sid, now);
        boolean first = calls.end(tenant, sid, outcome, now, List.of(ended));
        release(call, now);
        if (first) {
            tell(tenant, sid, call.story().job(), outcome, call.hop(), reason);
        }
        return first;
    }

    private void tell(TenantId tenant, CallSid sid, @Nullable JobId job, Outcome outcome, int hops, String reason) {
        journal.write(Entry.of("ended")
                .with("tenant", tenant)
                .with("callSid", sid)
                .withKnown("job", job)
                .with("outcome", outcome.text())
                .with("hops", hops)
                .with("reason", reason));
    }

    private void release(Call call, Instant now) {
        if (call.current().orElse(null) instanceof Answer.Stream stream && stream.container() != null) {
            // A reserved claim goes at once. A connected one waits for its container to put the call away.
            if (!release(stream.pool(), stream.container(), call, stream.generation(), now)) {
                containers.coolDown(stream.pool(), stream.container(), call.sid(), stream.generation());
            }
        }
        if (call.offer() != null) {
            release(
                    PoolId.of(call.tenant()),
                    call.offer().container(),
                    call,
                    call.offer().generation(),
                    now);
        }
    }

    /** Whoever waits for a slot hears of it at once. */
    private boolean release(PoolId pool, ContainerId container, Call call, Generation generation, Instant now) {
        boolean freed = containers.release(pool, container, call.sid(), generation);
        if (freed) {
            announcements.publish(new SlotFreed(pool, container, now));
        }
        return freed;
    }

    /** One that was dialled has no place until somebody answers it. */
    private static Outcome unplaced(Call call, FinalStatus status) {
        return call.story().job() == null ? Outcome.SETUP_FAILED : status.ofUnplacedCallOut();
    }

    private static Outcome outcome(Call call, FinalStatus status) {
        return switch (call.current().orElse(null)) {
            case null -> unplaced(call, status);
            case Answer.Busy busy -> call.connectedHop() > 0 ? Outcome.LOST : Outcome.REFUSED;
            case Answer.Apology apology -> call.connectedHop() > 0 ? Outcome.LOST : Outcome.SETUP_FAILED;
            case Answer.HangUp hangUp -> Outcome.COMPLETED;
            case Answer.Transfer transfer -> Outcome.COMPLETED;
            case Answer.Stream stream ->
                switch (status) {
                    case COMPLETED -> call.connectedHop() > 0 ? Outcome.COMPLETED : Outcome.ABANDONED;
                    case CANCELED -> Outcome.CANCELED;
                    case BUSY, NO_ANSWER -> Outcome.ABANDONED;
                    case FAILED -> call.connectedHop() > 0 ? Outcome.LOST : Outcome.SETUP_FAILED;
                };
        };
    }
}
