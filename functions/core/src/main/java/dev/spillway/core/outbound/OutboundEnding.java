package dev.spillway.core.outbound;

import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.outbound.JobState.Dial;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Takes Twilio's word on how a call out goes. Its final status frees the slot at once, whether the call was ever connected
 * or not; a late or repeated one changes nothing.
 */
public final class OutboundEnding {
    private final DialProgress progress;
    private final Calls calls;
    private final CallEnding callEnding;
    private final Containers containers;
    private final OutboundLines lines;
    private final Announcements announcements;

    public OutboundEnding(
            DialProgress progress,
            Calls calls,
            CallEnding callEnding,
            Containers containers,
            OutboundLines lines,
            Announcements announcements) {
        this.progress = progress;
        this.calls = calls;
        this.callEnding = callEnding;
        this.containers = containers;
        this.lines = lines;
        this.announcements = announcements;
    }

    /**
     * One status callback; gives the job if the callback is about its current or last dial.
     *
     * @param callStatus Twilio's word
     */
    public Optional<Job> status(JobId id, Generation generation, CallSid call, String callStatus, Instant now) {
        Optional<Job> known = progress.learn(id, generation, call, "status " + callStatus, now);
        if (known.isPresent()) {
            FinalStatus.parse(callStatus).ifPresent(status -> end(known.get(), call, status, now));
        }
        return known;
    }

    /** Ends the job whose call ended like that; whether this did it. Every slot is freed in any case. */
    public boolean end(Job job, CallSid call, FinalStatus status, Instant now) {
        callEnding.end(job.tenant(), call, status, now);
        Optional<Outcome> recorded =
                calls.find(job.tenant(), call).flatMap(record -> Optional.ofNullable(record.outcome()));
        return end(job, outcome(job, recorded, status), "call status " + status, now);
    }

    /** Ends the job of a call that Twilio does not know; whether this did it. Every slot is freed in any case. */
    boolean lose(Job job, CallSid call, Instant now) {
        String reason = "Twilio knows no such call";
        callEnding.lose(job.tenant(), call, reason, now);
        return end(job, job.cancelRequested() ? Outcome.CANCELED : Outcome.LOST, reason, now);
    }

    /**
     * Frees what a dial held that surely did not take place, and lets the job wait again, or ends it if it was canceled;
     * whether this did it.
     *
     * @param deferral the job, deferred
     */
    boolean notDialled(Job job, UnaryOperator<Job> deferral, Instant now) {
        boolean first = progress.notDialled(job, deferral, now).isPresent();
        if (first) {
            free(job, now);
        }
        return first;
    }

    /** Ends a job whose call is put away already; whether this did it. */
    boolean endAs(Job job, Call ended, Instant now) {
        Outcome outcome = ended.outcome() == null ? Outcome.LOST : ended.outcome();
        return end(job, outcome, "its call has ended", now);
    }

    /** Ends a job and frees what its dial held. */
    boolean end(Job job, Outcome outcome, String reason, Instant now) {
        boolean first = progress.end(job, outcome, reason, now);
        boolean freed = free(job, now);
        if (first || freed) {
            announcements.publish(new Announcement.JobsWaiting(job.tenant(), now));
        }
        return first;
    }

    /** Gives back the slot and the line of the job's last dial; whether a slot was still held. Repeating it is harmless. */
    boolean free(Job job, Instant now) {
        Optional<Dial> last = job.state().lastDial();
        if (last.isEmpty()) {
            return false;
        }
        Dial dial = last.get();
        PoolId pool = PoolId.of(job.tenant());
        boolean freed = containers.release(pool, dial.container(), job.id(), dial.generation());
        Optional<CallSid> call = job.state().callSid();
        if (call.isPresent()) {
            freed |= containers.release(pool, dial.container(), call.get(), dial.generation());
        }
        lines.leave(pool, job.id(), dial.generation());
        if (freed) {
            announcements.publish(new Announcement.SlotFreed(pool, dial.container(), now));
        }
        return freed;
    }

    private static Outcome outcome(Job job, Optional<Outcome> recorded, FinalStatus status) {
        Outcome outcome = recorded.orElseGet(status::ofUnplacedCallOut);
        return job.cancelRequested() && outcome != Outcome.COMPLETED ? Outcome.CANCELED : outcome;
    }
}
