package dev.spillway.core.attempt;

import dev.spillway.core.call.Outcome;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A window's attempts in numbers. Whatever the instant, {@code offered = open + the sum of the outcomes}: each attempt
 * is looked at once, and either has its outcome or is open.
 *
 * @param outcomes how many ended in which way; every outcome is there
 */
public record Summary(int offered, int open, Map<Outcome, Integer> outcomes, Inbound inbound, Outbound outbound) {
    /**
     * @param retries tries of callers who had tried before: {@code offered - retries} is the number of callers
     * @param turnedAway refused by a full or draining container or for want of one, and then recorded by the fallback
     * @param refused could not be served at all
     * @param refusedFor the refused ones by cause
     */
    public record Inbound(int offered, int retries, int turnedAway, int refused, Map<Cause, Integer> refusedFor) {
        public Inbound {
            refusedFor = Map.copyOf(refusedFor);
        }
    }

    /**
     * @param retries jobs to people for whom a job had come to nothing just before
     * @param deferred jobs that were deferred at least once: nobody was dialled for them then
     * @param deferrals how often that happened
     * @param expired jobs whose time passed before they got a slot
     */
    public record Outbound(int offered, int retries, int deferred, int deferrals, int expired) {}

    public Summary {
        outcomes = Map.copyOf(outcomes);
        int terminals = outcomes.values().stream().mapToInt(Integer::intValue).sum();
        if (offered != terminals + open || offered != inbound.offered() + outbound.offered()) {
            throw new IllegalArgumentException("of " + offered + " attempts " + terminals + " have ended and " + open
                    + " are open; " + inbound.offered() + " are inbound and " + outbound.offered() + " outbound");
        }
    }

    static Summary of(List<Outline> outlines, FirstTries links) {
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(outcome, 0);
        }
        int open = 0;
        for (Outline one : outlines) {
            if (one.outcome() == null) {
                open++;
            } else {
                outcomes.merge(one.outcome(), 1, Integer::sum);
            }
        }
        return new Summary(outlines.size(), open, outcomes, inbound(outlines, links), outbound(outlines, links));
    }

    private static Inbound inbound(List<Outline> outlines, FirstTries links) {
        List<Outline> inbound = of(outlines, Attempt.Kind.INBOUND);
        Map<Cause, Integer> causes = new EnumMap<>(Cause.class);
        int refused = 0;
        for (Outline one : inbound) {
            if (one.outcome() == Outcome.REFUSED) {
                refused++;
                if (one.cause() != null) {
                    causes.merge(one.cause(), 1, Integer::sum);
                }
            }
        }
        return new Inbound(
                inbound.size(),
                retries(inbound, links),
                (int) inbound.stream().filter(Outline::turnedAway).count(),
                refused,
                causes);
    }

    private static int retries(List<Outline> outlines, FirstTries links) {
        return (int)
                outlines.stream().filter(one -> links.of(one.id()).isPresent()).count();
    }

    private static Outbound outbound(List<Outline> outlines, FirstTries links) {
        List<Outline> outbound = of(outlines, Attempt.Kind.OUTBOUND);
        return new Outbound(
                outbound.size(),
                retries(outbound, links),
                (int) outbound.stream().filter(one -> one.deferrals() > 0).count(),
                outbound.stream().mapToInt(Outline::deferrals).sum(),
                (int) outbound.stream()
                        .filter(one -> one.outcome() == Outcome.DEFERRED_EXPIRED)
                        .count());
    }

    private static List<Outline> of(List<Outline> outlines, Attempt.Kind kind) {
        return outlines.stream().filter(one -> one.kind() == kind).toList();
    }
}
