package dev.spillway.core.outbound;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.outbound.JobState.Dial;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A call that is to be made: one attempt, written before it is decided. A job is dialled once; only a dial that surely did
 * not take place is made again. Each change gives the next version, and the table takes a version only after the one
 * before it.
 *
 * @param to whom to call, in E.164
 * @param from the tenant's number that calls
 * @param agent which agent talks
 * @param notBefore the start of its window; its wait counts from there
 * @param deadline the end of its window: nobody is dialled from then on
 * @param maximumWait after so long in its window it goes before jobs that have waited less
 * @param cancelRequested it was canceled while Twilio was being asked: its call is hung up as soon as it has a name
 * @param tries how often in a row it was deferred
 * @param steps what happened to it, oldest first
 */
public record Job(
        JobId id,
        String to,
        String from,
        String agent,
        Batch batch,
        Instant notBefore,
        Instant deadline,
        Duration maximumWait,
        Instant createdAt,
        boolean cancelRequested,
        JobState state,
        int tries,
        List<JobStep> steps,
        long version) {

    /** Steps kept of a job whose causes change for ever; a guess. */
    private static final int MOST_STEPS = 40;

    private static final Pattern NUMBER = Pattern.compile("\\+[1-9][0-9]{6,14}");

    /**
     * Jobs that belong together.
     *
     * @param weight its turns among the tenant's batches, from 1 to 100
     */
    public record Batch(String name, int weight) {
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

        public Batch {
            if (!isName(name) || weight < 1 || weight > 100) {
                throw new IllegalArgumentException(
                        "want a batch name of up to 64 letters, digits, dots, hyphens and underscores, and a weight from 1"
                                + " to 100");
            }
        }

        public static boolean isName(String text) {
            return NAME.matcher(text).matches();
        }
    }

    public Job {
        Objects.requireNonNull(id);
        if (!isNumber(to) || !isNumber(from)) {
            throw new IllegalArgumentException("job " + id + " needs two numbers in E.164");
        }
        Objects.requireNonNull(agent);
        Objects.requireNonNull(batch);
        Objects.requireNonNull(notBefore);
        Objects.requireNonNull(createdAt);
        Objects.requireNonNull(state);
        if (!deadline.isAfter(notBefore) || maximumWait.isNegative()) {
            throw new IllegalArgumentException("job " + id + " has a window that never opens");
        }
        steps = List.copyOf(steps);
    }

    /** Whether the text is a number in E.164. */
    public static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    /** A job that was just accepted. */
    public static Job accepted(
            JobId id,
            String to,
            String from,
            String agent,
            Batch batch,
            Instant notBefore,
            Instant deadline,
            Duration maximumWait,
            Instant now) {
        return new Job(
                id,
                to,
                from,
                agent,
                batch,
                notBefore,
                deadline,
                maximumWait,
                now,
                false,
                new JobState.Waiting(notBefore),
                0,
                List.of(JobStep.of(JobStep.Kind.ACCEPTED, "batch " + batch.name(), now)),
                1);
    }

    /** The same job under another id: that of the first request under an idempotency key. */
    public Job withId(JobId other) {
        return new Job(
                other,
                to,
                from,
                agent,
                batch,
                notBefore,
                deadline,
                maximumWait,
                createdAt,
                cancelRequested,
                state,
                tries,
                steps,
                version);
    }

    public TenantId tenant() {
        return id.tenant();
    }

    public boolean isWaiting() {
        return state instanceof JobState.Waiting;
    }

    /** Why it was deferred last; empty if it never was, or is no longer waiting. */
    public Optional<Cause> cause() {
        return isWaiting() && !steps.isEmpty()
                ? Optional.ofNullable(steps.getLast().cause())
                : Optional.empty();
    }

    /** Whether it is in its window and waits. */
    public boolean isInWindow(Instant now) {
        return isWaiting() && !notBefore.isAfter(now) && deadline.isAfter(now);
    }

    /** Whether its next try has come. */
    public boolean isTimeToTry(Instant now) {
        return state instanceof JobState.Waiting waiting && !waiting.nextTryAt().isAfter(now);
    }

    /** Whether it may be dialled now, if there is a slot: its time has come, or a slot is all that it waits for. */
    public boolean isDue(Instant now) {
        return isInWindow(now)
                && (isTimeToTry(now) || cause().map(Cause::endsWithASlot).orElse(true));
    }

    /** Since when it could have been dialled. */
    public Instant waitingSince() {
        return notBefore.isAfter(createdAt) ? notBefore : createdAt;
    }

    /** How far beyond its maximum wait it is; negative before that. */
    public Duration overdue(Instant now) {
        return Duration.between(waitingSince(), now).minus(maximumWait);
    }

    public Job deferred(Cause cause, String reason, Instant nextTryAt, Instant now) {
        return next(new JobState.Waiting(nextTryAt), cancelRequested, tries + 1, JobStep.deferred(cause, reason, now));
    }

    public Job dialling(Dial dial, String reason) {
        return next(
                new JobState.Dialling(dial), cancelRequested, 0, JobStep.of(JobStep.Kind.ADMITTED, reason, dial.at()));
    }

    /** Nobody knows whether Twilio dials. */
    public Job dialUnknown(String reason, Instant now) {
        Dial dial = state.lastDial().orElseThrow(() -> new IllegalStateException("job " + id + " has no dial"));
        return next(
                new JobState.DialUnknown(dial), cancelRequested, 0, JobStep.of(JobStep.Kind.DIAL_UNKNOWN, reason, now));
    }

    public Job dialled(CallSid call, String reason, Instant now) {
        Dial dial = state.lastDial().orElseThrow(() -> new IllegalStateException("job " + id + " has no dial"));
        return next(
                new JobState.Dialled(dial, call),
                cancelRequested,
                0,
                JobStep.of(JobStep.Kind.DIALLED, call + ": " + reason, now));
    }

    public Job cancelRequested(Instant now) {
        return next(state, true, tries, JobStep.of(JobStep.Kind.CANCEL_REQUESTED, "by request", now));
    }

    public Job ended(Outcome outcome, String reason, Instant now) {
        return next(
                new JobState.Ended(
                        outcome,
                        now,
                        state.lastDial().orElse(null),
                        state.callSid().orElse(null)),
                cancelRequested,
                tries,
                JobStep.of(JobStep.Kind.ENDED, outcome.text() + ": " + reason, now));
    }

    private Job next(JobState state, boolean canceling, int nextTries, JobStep step) {
        return new Job(
                id,
                to,
                from,
                agent,
                batch,
                notBefore,
                deadline,
                maximumWait,
                createdAt,
                canceling,
                state,
                nextTries,
                with(step),
                version + 1);
    }

    private List<JobStep> with(JobStep step) {
        List<JobStep> more = new ArrayList<>(steps);
        @Nullable JobStep last = more.isEmpty() ? null : more.getLast();
        if (last != null && step.repeats(last)) {
            more.set(
                    more.size() - 1,
                    new JobStep(step.kind(), step.cause(), step.reason(), step.at(), last.times() + 1));
        } else {
            more.add(step);
        }
        if (more.size() > MOST_STEPS) {
            more.remove(1); // the first says when it came
        }
        return more;
    }

    /** Without numbers: this text reaches logs. */
    @Override
    public String toString() {
        return "Job[" + id + ", " + state.text() + "]";
    }
}
