package dev.spillway.core.call;

import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One call, which is one attempt: written before it is decided.
 *
 * @param hop how many times it has been placed; 0 until the first placement
 * @param answers the answer given for each hop
 * @param offer a slot in the tenant's pool that waits for it
 * @param connectedHop the last hop whose stream was accepted; 0 if none was
 * @param finished the conversation is over by the agent's word: the next webhook hangs up
 * @param outcome how it ended; null while it is open
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
        @Nullable Outcome outcome) {

    public Call {
        Objects.requireNonNull(tenant);
        Objects.requireNonNull(sid);
        Objects.requireNonNull(arrivedAt);
        answers = Map.copyOf(answers);
        if (hop < 0 || connectedHop > hop) {
            throw new IllegalArgumentException(
                    "call " + sid + " has hop " + hop + " and connected hop " + connectedHop);
        }
    }

    /** A call that has just arrived and been placed nowhere. */
    public static Call arrived(TenantId tenant, CallSid sid, Instant now) {
        return returned(tenant, sid, 0, now);
    }

    /** A call that comes back from a hop of which nothing was recorded: the table could not be written then. */
    public static Call returned(TenantId tenant, CallSid sid, int hop, Instant now) {
        return new Call(tenant, sid, now, hop, Map.of(), null, 0, false, null);
    }

    /** A call whose first record was the claim that a container took for it. */
    public static Call placedDirectly(TenantId tenant, CallSid sid, Answer.Stream answer) {
        return new Call(tenant, sid, answer.at(), 1, Map.of(1, answer), null, 0, false, null);
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

    /** How often it was moved, not counting its first placement, in the time before {@code now}. */
    public long movesWithin(Duration window, Instant now) {
        return answers.entrySet().stream()
                .filter(entry -> entry.getKey() > 1)
                .filter(entry -> entry.getValue().at().isAfter(now.minus(window)))
                .count();
    }
}
