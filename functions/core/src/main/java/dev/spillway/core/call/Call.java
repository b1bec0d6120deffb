package dev.spillway.core.call;

import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.attempt.Story;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One call, which is one attempt, or part of one if it was dialled for a job: written before it is decided.
 *
 * @param hop how many times it has been placed; 0 until the first placement
 * @param answers the answer given for each hop
 * @param offer a slot in the tenant's pool that waits for it
 * @param connectedHop the last hop whose stream was accepted; 0 if none was
 * @param finished the conversation is over by the agent's word: the next webhook hangs up
 * @param outcome how it ended; null while it is open
 * @param story how it went, and who called
 */
public record Call(
        TenantId tenant,
        CallSid sid,
        Instant arrivedAt,
        int hop,
        Map<Integer, Answer> answers,
        @Nullable Offer offer,
        int connectedHop,
        boolean finished,
        @Nullable Outcome outcome,
        Story story) {
    /** A call that was moved this often within {@link #MOVES_WINDOW} is going in circles (DESIGN.md, "Continue"). */
    public static final int MOST_MOVES = 3;

    public static final Duration MOVES_WINDOW = Duration.ofMinutes(1);

    public Call {
        Objects.requireNonNull(tenant);
        Objects.requireNonNull(sid);
        Objects.requireNonNull(arrivedAt);
        answers = Map.copyOf(answers);
        Objects.requireNonNull(story);
        if (hop < 0 || connectedHop > hop) {
            throw new IllegalArgumentException(
                    "call " + sid + " has hop " + hop + " and connected hop " + connectedHop);
        }
    }

    /** An inbound call of which nothing is told yet. */
    public Call(
            TenantId tenant,
            CallSid sid,
            Instant arrivedAt,
            int hop,
            Map<Integer, Answer> answers,
            @Nullable Offer offer,
            int connectedHop,
            boolean finished,
            @Nullable Outcome outcome) {
        this(tenant, sid, arrivedAt, hop, answers, offer, connectedHop, finished, outcome, Story.INBOUND);
    }

    /** A call that has just arrived and been placed nowhere. */
    public static Call arrived(TenantId tenant, CallSid sid, Instant now) {
        return arrived(tenant, sid, null, now);
    }

    /** @param caller null if it is not known who calls */
    public static Call arrived(TenantId tenant, CallSid sid, @Nullable CallerHash caller, Instant now) {
        return returned(tenant, sid, 0, caller, now);
    }

    /** A call that comes back from a hop of which nothing was recorded: the table could not be written then. */
    public static Call returned(TenantId tenant, CallSid sid, int hop, @Nullable CallerHash caller, Instant now) {
        return new Call(tenant, sid, now, hop, Map.of(), null, 0, false, null, Story.inbound(caller));
    }

    /** A caller's call that is over when its first record is made. */
    public static Call ended(TenantId tenant, CallSid sid, int hop, Outcome outcome, Step step, Instant now) {
        Story story = Story.inbound(null).with(List.of(step));
        return new Call(tenant, sid, now, hop, Map.of(), null, 0, false, outcome, story);
    }

    /** A call that Twilio has named: it was dialled for a job, which is the attempt, and nobody has answered it yet. */
    public static Call dialled(JobId job, CallSid sid, Instant now) {
        return new Call(job.tenant(), sid, now, 0, Map.of(), null, 0, false, null, Story.outbound(job, null));
    }

    /** As {@link #placedDirectly(TenantId, CallSid, CallerHash, Answer.Stream)}, by an unknown caller. */
    public static Call placedDirectly(TenantId tenant, CallSid sid, Answer.Stream answer) {
        return placedDirectly(tenant, sid, null, answer);
    }

    /**
     * A call whose first record was the claim that a container took for it.
     *
     * @param caller null if it is not known who calls
     */
    public static Call placedDirectly(TenantId tenant, CallSid sid, @Nullable CallerHash caller, Answer.Stream answer) {
        Story story = Story.inbound(caller);
        if (answer.container() != null) {
            story = story.with(List.of(Step.admitted(
                    1, answer.pool(), answer.container(), "the container that Twilio asked had room", answer.at())));
        }
        return new Call(tenant, sid, answer.at(), 1, Map.of(1, answer), null, 0, false, null, story);
    }

    /** The same call with these steps of one write more. */
    public Call told(List<Step> steps) {
        return new Call(
                tenant,
                sid,
                arrivedAt,
                hop,
                answers,
                offer,
                connectedHop,
                finished,
                outcome,
                steps.isEmpty() ? story : story.with(steps));
    }

    /** The answer in force. */
    public Optional<Answer> current() {
        return Optional.ofNullable(answers.get(hop));
    }

    /** Whether nothing more is to be done for it. */
    public boolean isOver() {
        return finished || outcome != null;
    }

    /** Whether the call's own record points at that claim: as its placement or as its offer. */
    public boolean names(Generation generation) {
        return current().flatMap(Answer::placed).filter(generation::equals).isPresent()
                || (offer != null && offer.generation().equals(generation));
    }

    public boolean isGoingInCircles(Instant now) {
        return movesWithin(MOVES_WINDOW, now) >= MOST_MOVES;
    }

    /**
     * Whether a call that is well where it is may be moved for its tenant's sake. A hand-off must never be the move that ends
     * in the apology, nor leave none for a stream that does not open at once.
     */
    public boolean mayBeHandedOver(Instant now) {
        return movesWithin(MOVES_WINDOW, now) + 1 < MOST_MOVES;
    }

    /**
     * How often it was moved, not counting its first placement, in the time before {@code now}. A transfer is no move, nor is
     * the way back from one that nobody answered: the agent wanted both.
     */
    public long movesWithin(Duration window, Instant now) {
        return answers.entrySet().stream()
                .filter(entry -> entry.getKey() > 1)
                .filter(entry -> entry.getValue().at().isAfter(now.minus(window)))
                .filter(entry -> !(entry.getValue() instanceof Answer.Transfer)
                        && !(answers.get(entry.getKey() - 1) instanceof Answer.Transfer))
                .count();
    }

    /** Whether its agent may give it to another number now: one that does so over and over dials at somebody's expense. */
    public boolean mayBeTransferred(Instant now) {
        return answers.values().stream()
                        .filter(answer ->
                                answer instanceof Answer.Transfer && answer.at().isAfter(now.minus(MOVES_WINDOW)))
                        .count()
                < MOST_MOVES;
    }
}
