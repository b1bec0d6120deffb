package dev.spillway.core.outbound;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.attempt.Story;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.outbound.JobState.Dial;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;

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
 * @param maximumWait after so long in its window it no longer waits for its batch's turn; see {@link Fairness}
 * @param cancelRequested it was canceled while Twilio was being asked: its call is hung up as soon as it has a name
 * @param tries how often in a row it was deferred
 * @param story what happened to it, and whom it calls
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
        Story story,
        long version) {

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
        if (!id.equals(story.job())) {
            throw new IllegalArgumentException("job " + id + " cannot have the story of " + story.job());
        }
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
                Story.outbound(id, null).repeating(Step.of(Step.Kind.ACCEPTED, 0, "batch " + batch.name(), now)),
                1);
    }

    /** The same job under another id: that of the first request under an idempotency key. */
    public Job withId(JobId other) {
        return with(draft -> {
            draft.id = other;
            draft.story = story.of(other);
        });
    }

    /** The same job, with a name for whom it calls that tells no number. */
    public Job calling(CallerHash callee) {
        return with(draft -> draft.story = story.of(callee));
    }

    public TenantId tenant() {
        return id.tenant();
    }

    public boolean isWaiting() {
        return state instanceof JobState.Waiting;
    }

    /** Why it was deferred last; empty if it never was, or is no longer waiting. */
    public Optional<Cause> cause() {
        return isWaiting() && !steps().isEmpty()
                ? Optional.ofNullable(steps().getLast().cause())
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

    /** The job as an attempt; what its call tells is added by {@link Attempt#joined}. */
    public Attempt attempt() {
        Outcome outcome = state instanceof JobState.Ended ended ? ended.outcome() : null;
        return new Attempt(tenant(), id.value(), state.callSid().orElse(null), createdAt, outcome, story);
    }

    /** What happened to it, oldest first. */
    public List<Step> steps() {
        return story.steps();
    }

    public Job deferred(Cause cause, Slots slots, String reason, Instant nextTryAt, Instant now) {
        return next(Step.deferred(PoolId.of(tenant()), cause, slots, reason, now), draft -> {
            draft.state = new JobState.Waiting(nextTryAt);
            draft.tries++;
        });
    }

    /** A slot was claimed for it, and Twilio is about to be asked. */
    public Job dialling(Dial dial, String reason) {
        return next(Step.admitted(1, PoolId.of(tenant()), dial.container(), reason, dial.at()), draft -> {
            draft.state = new JobState.Dialling(dial);
            draft.tries = 0;
        });
    }

    /** Nobody knows whether Twilio dials. */
    public Job dialUnknown(String reason, Instant now) {
        Dial dial = lastDial();
        return next(
                Step.of(Step.Kind.DIAL_UNKNOWN, 1, reason, now), draft -> draft.state = new JobState.DialUnknown(dial));
    }

    public Job dialled(CallSid call, String reason, Instant now) {
        Dial dial = lastDial();
        return next(
                Step.of(Step.Kind.DIALLED, 1, call + ": " + reason, now),
                draft -> draft.state = new JobState.Dialled(dial, call));
    }

    private Dial lastDial() {
        return state.lastDial().orElseThrow(() -> new IllegalStateException("job " + id + " has no dial"));
    }

    public Job cancelRequested(Instant now) {
        return next(
                Step.of(Step.Kind.CANCEL_REQUESTED, hop(), "by request", now), draft -> draft.cancelRequested = true);
    }

    /** It ends since it may not be dialled: one change, told as the refusal and the end. */
    public Job refused(Cause cause, Slots slots, String reason, Instant now) {
        Step refusal = Step.refused(1, PoolId.of(tenant()), cause, slots, reason, now);
        return with(draft -> draft.story = story.repeating(refusal)).ended(Outcome.REFUSED, reason, now);
    }

    public Job ended(Outcome outcome, String reason, Instant now) {
        return next(
                Step.ended(hop(), outcome, reason, now),
                draft -> draft.state = new JobState.Ended(
                        outcome,
                        now,
                        state.lastDial().orElse(null),
                        state.callSid().orElse(null)));
    }

    private int hop() {
        return state.lastDial().isPresent() ? 1 : 0;
    }

    /** The next version, with one step more. */
    private Job next(Step step, Consumer<Draft> change) {
        return with(draft -> {
            draft.story = story.repeating(step);
            draft.version++;
            change.accept(draft);
        });
    }

    private Job with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.job();
    }

    /** The parts of a job that change while it lives, open for one change. */
    private static final class Draft {
        private final Job job;
        private JobId id;
        private boolean cancelRequested;
        private JobState state;
        private int tries;
        private Story story;
        private long version;

        private Draft(Job job) {
            this.job = job;
            id = job.id;
            cancelRequested = job.cancelRequested;
            state = job.state;
            tries = job.tries;
            story = job.story;
            version = job.version;
        }

        private Job job() {
            return new Job(
                    id,
                    job.to,
                    job.from,
                    job.agent,
                    job.batch,
                    job.notBefore,
                    job.deadline,
                    job.maximumWait,
                    job.createdAt,
                    cancelRequested,
                    state,
                    tries,
                    story,
                    version);
        }
    }

    /** Without numbers: this text reaches logs. */
    @Override
    public String toString() {
        return "Job[" + id + ", " + state.text() + "]";
    }
}
