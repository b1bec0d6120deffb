package dev.spillway.core.outbound;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Learns which call came of a dial: from Twilio's reply, from its request for the pinned TwiML, from a status callback or
 * from its list, whichever comes first. What is about another dial, or another call, is told apart here and changes
 * nothing.
 */
public final class DialProgress {
    /** Each lost race means that somebody else learned it, canceled the job or ended it. */
    private static final int TRIES = 4;

    private final Jobs jobs;
    private final Calls calls;
    private final Journal journal;

    public DialProgress(Jobs jobs, Calls calls, Journal journal) {
        this.jobs = jobs;
        this.calls = calls;
        this.journal = journal;
    }

    /**
     * The job with its call known, IF that generation is its current or last dial, and the call the one of that dial.
     *
     * @param how who told, for the record
     */
    public Optional<Job> learn(JobId id, Generation generation, CallSid call, String how, Instant now) {
        for (int i = 0; i < TRIES; i++) {
            Optional<Job> found = jobs.find(id)
                    .filter(job -> job.state()
                            .lastDial()
                            .filter(dial -> dial.generation().equals(generation))
                            .isPresent());
            if (found.isEmpty()) {
                return ignored(id, call, how, "the job has no such dial any more");
            }
            Job job = found.get();
            switch (job.state()) {
                case JobState.Dialled dialled -> {
                    return dialled.call().equals(call)
                            ? found
                            : ignored(id, call, how, "the dial is call " + dialled.call());
                }
                case JobState.Ended ended -> {
                    return call.equals(ended.call()) ? found : ignored(id, call, how, "the job has ended");
                }
                case JobState.Dialling dialling -> {
                    begin(id, call, now);
                    Job next = job.dialled(call, how, now);
                    if (jobs.replace(next)) {
                        return Optional.of(next);
                    }
                }
                case JobState.DialUnknown unknown -> {
                    begin(id, call, now);
                    Job next = job.dialled(call, how, now);
                    if (jobs.replace(next)) {
                        return Optional.of(next);
                    }
                }
                case JobState.Waiting waiting -> throw new IllegalStateException("a waiting job has no dial");
            }
        }
        return ignored(id, call, how, "lost " + TRIES + " races for the job");
    }

    /**
     * The call's record, written before anybody can answer: it says whose call that is. A record that was made without
     * knowing is told, so that nobody counts the call as a caller.
     */
    private void begin(JobId id, CallSid call, Instant now) {
        if (!calls.begin(Call.dialled(id, call, now))) {
            calls.belong(id.tenant(), call, id);
        }
    }

    /** The job ends since it may not be dialled, IF it is as it was seen. */
    boolean refuse(Job job, Cause cause, Slots slots, String reason, Instant now) {
        if (!jobs.replace(job.refused(cause, slots, reason, now))) {
            return false;
        }
        journalEnd(job, Outcome.REFUSED, reason);
        return true;
    }

    /** Writes the outcome IF the job is as it was seen. */
    boolean endAsSeen(Job job, Outcome outcome, String reason, Instant now) {
        if (!jobs.replace(job.ended(outcome, reason, now))) {
            return false;
        }
        journalEnd(job, outcome, reason);
        return true;
    }

    /** Writes the outcome IF there is none and that dial is still the job's last; whether this did it. */
    boolean end(Job job, Outcome outcome, String reason, Instant now) {
        Job current = job;
        for (int i = 0; i < TRIES; i++) {
            if (current.state() instanceof JobState.Ended) {
                return false;
            }
            if (endAsSeen(current, outcome, reason, now)) {
                return true;
            }
            Optional<Job> found = jobs.find(job.id());
            if (found.isEmpty()
                    || !found.get().state().lastDial().equals(job.state().lastDial())) {
                return false;
            }
            current = found.get();
        }
        return false;
    }

    /**
     * After a dial that surely did not take place: the job waits again, or has ended if it was canceled meanwhile. Gives
     * the job IF this did it; none if the dial has been decided by another, or turns out to have a call.
     *
     * @param deferral the job, deferred
     */
    Optional<Job> notDialled(Job job, UnaryOperator<Job> deferral, Instant now) {
        String reason = "by request, before anybody was dialled";
        Job current = job;
        for (int i = 0; i < TRIES; i++) {
            Job next = current.cancelRequested()
                    ? current.ended(Outcome.CANCELED, reason, now)
                    : deferral.apply(current);
            if (jobs.replace(next)) {
                if (current.cancelRequested()) {
                    journalEnd(current, Outcome.CANCELED, reason);
                }
                return Optional.of(next);
            }
            // Most likely a cancellation.
            Optional<Job> found = jobs.find(job.id()).filter(there -> isUndecided(there, job));
            if (found.isEmpty()) {
                return found;
            }
            current = found.get();
        }
        return Optional.empty();
    }

    private static boolean isUndecided(Job there, Job seen) {
        return (there.state() instanceof JobState.Dialling || there.state() instanceof JobState.DialUnknown)
                && there.state().lastDial().equals(seen.state().lastDial());
    }

    private void journalEnd(Job job, Outcome outcome, String reason) {
        Entry entry = Entry.of("job-ended").with("tenant", job.tenant()).with("job", job.id());
        Optional<CallSid> call = job.state().callSid();
        journal.write((call.isPresent() ? entry.with("callSid", call.get()) : entry)
                .with("outcome", outcome.text())
                .with("reason", reason));
    }

    private Optional<Job> ignored(JobId id, CallSid call, String how, String reason) {
        journal.write(Entry.of("dial-notice-ignored")
                .with("tenant", id.tenant())
                .with("job", id)
                .with("callSid", call)
                .with("how", how)
                .with("reason", reason));
        return Optional.empty();
    }
}
