package dev.spillway.lambda;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.AttemptListing;
import dev.spillway.core.attempt.AttemptListing.Listing;
import dev.spillway.core.attempt.Attempts.Cursor;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer of {@code GET /attempts}. Instants are ISO-8601 in UTC. Nothing in it tells who called whom.
 *
 * @param since the window that the summary is about begins here; it ends at {@code at}
 * @param next the cursor of the next page; left out on the last
 * @param summary of the whole window; on the first page only
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record AttemptsAnswer(
        String tenant,
        String since,
        String at,
        List<One> attempts,
        @Nullable String next,
        @Nullable Summary summary) {

    /**
     * One attempt: also the answer of {@code GET /attempts/{id}}.
     *
     * @param callSid the call of an outbound attempt; left out until it has one, and for an inbound one, whose id it is
     * @param first the first try of the same caller, or the first job to the same person; left out if this is one itself
     * @param outcome left out while it is open
     * @param cause why it had to wait or was refused, the last time that it was
     * @param droppedSteps steps that came when the story was full
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record One(
            String id,
            String tenant,
            String kind,
            String arrivedAt,
            @Nullable String callSid,
            @Nullable String first,
            boolean open,
            @Nullable String outcome,
            @Nullable String cause,
            @Nullable Slots slots,
            List<Step> steps,
            @Nullable Integer droppedSteps) {

        static One of(AttemptListing.Listed listed) {
            Attempt attempt = listed.attempt();
            int dropped = attempt.story().dropped();
            return new One(
                    attempt.id(),
                    attempt.tenant().value(),
                    attempt.kind().text(),
                    attempt.arrivedAt().toString(),
                    attempt.kind() == Attempt.Kind.INBOUND || attempt.call() == null
                            ? null
                            : attempt.call().value(),
                    listed.first(),
                    attempt.isOpen(),
                    Optional.ofNullable(attempt.outcome()).map(Outcome::text).orElse(null),
                    attempt.cause().map(Cause::text).orElse(null),
                    attempt.slots().map(Slots::of).orElse(null),
                    attempt.story().steps().stream().map(Step::of).toList(),
                    dropped == 0 ? null : dropped);
        }
    }

    /**
     * Each refusal, hold and deferral has a cause and slots; other steps have none.
     *
     * @param times how often in a row, the last time at {@code at}; left out for a step that happened once
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Step(
            String step,
            String at,
            int hop,
            @Nullable String pool,
            @Nullable String container,
            @Nullable String cause,
            @Nullable Slots slots,
            String reason,
            @Nullable Integer times) {
        static Step of(dev.spillway.core.attempt.Step step) {
            return new Step(
                    step.kind().text(),
                    step.at().toString(),
                    step.hop(),
                    Optional.ofNullable(step.pool()).map(PoolId::value).orElse(null),
                    Optional.ofNullable(step.container())
                            .map(ContainerId::value)
                            .orElse(null),
                    Optional.ofNullable(step.cause()).map(Cause::text).orElse(null),
                    Optional.ofNullable(step.slots()).map(Slots::of).orElse(null),
                    step.reason(),
                    step.times() == 1 ? null : step.times());
        }
    }

    record Slots(String pool, int live, int setup, int reserved, int cooldown, int limit) {
        static Slots of(dev.spillway.core.attempt.Slots slots) {
            return new Slots(
                    slots.pool().value(),
                    slots.live(),
                    slots.setup(),
                    slots.reserved(),
                    slots.cooldown(),
                    slots.limit());
        }
    }

    /** {@code offered = open + the sum of the outcomes}, whatever the instant. */
    record Summary(int offered, int open, Map<String, Integer> outcomes, Inbound inbound, Outbound outbound) {
        static Summary of(dev.spillway.core.attempt.Summary summary) {
            Map<String, Integer> outcomes = new LinkedHashMap<>();
            for (Outcome outcome : Outcome.values()) {
                outcomes.put(outcome.text(), summary.outcomes().getOrDefault(outcome, 0));
            }
            Map<String, Integer> causes = new LinkedHashMap<>();
            for (Cause cause : Cause.values()) {
                Integer count = summary.inbound().refusedFor().get(cause);
                if (count != null) {
                    causes.put(cause.text(), count);
                }
            }
            return new Summary(
                    summary.offered(),
                    summary.open(),
                    outcomes,
                    new Inbound(
                            summary.inbound().offered(),
                            summary.inbound().retries(),
                            summary.inbound().turnedAway(),
                            summary.inbound().refused(),
                            causes),
                    new Outbound(
                            summary.outbound().offered(),
                            summary.outbound().retries(),
                            summary.outbound().deferred(),
                            summary.outbound().deferrals(),
                            summary.outbound().expired()));
        }
    }

    /** @param turnedAway refused at the door of their own pool, and then recorded by the fallback */
    record Inbound(int offered, int retries, int turnedAway, int refused, Map<String, Integer> refusedFor) {}

    /** @param deferred jobs that waited at least once, {@code deferrals} times in all; nobody was dialled for them then */
    record Outbound(int offered, int retries, int deferred, int deferrals, int expired) {}

    static AttemptsAnswer of(TenantId tenant, Instant since, Listing listing, Instant now) {
        return new AttemptsAnswer(
                tenant.value(),
                since.toString(),
                now.toString(),
                listing.attempts().stream().map(One::of).toList(),
                Optional.ofNullable(listing.next()).map(Cursor::toString).orElse(null),
                listing.summary().map(Summary::of).orElse(null));
    }
}
