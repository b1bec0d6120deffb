package dev.spillway.core.outbound;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whose turn it is: weighted round robin between a tenant's batches, so that a large batch cannot take every slot that
 * becomes free. Each batch has come some way; a dial takes it further, the less so the greater its weight, and the batch
 * that is furthest behind is next. With weights 2 and 1 the batches a and b are dialled a, b, a, a, b, a and so on.
 *
 * <p>A job beyond its maximum wait does not wait for its batch's turn: of all of them the one that is furthest beyond goes
 * ahead, but with every second dial at most. The others are the round's, so that one large batch that has waited long, or
 * says that it cannot wait, does not keep all others out. Its batch pays for such a dial as for any other.
 */
public final class Fairness {
    /** How far one dial takes a batch of weight 1. */
    static final long STRIDE = 1_000_000;

    /** Stands among the turns, under a name that no batch has, if the last dial went ahead of the round. */
    static final String AHEAD = "~ahead";

    private Fairness() {}

    /** @param turns to be written if this job is dialled */
    public record Pick(Job job, Map<String, Long> turns, String reason) {
        public Pick {
            turns = Map.copyOf(turns);
        }
    }

    /**
     * @param due jobs that could be dialled now
     * @param turns how far each batch has come
     */
    public static Optional<Pick> pick(List<Job> due, Map<String, Long> turns, Instant now) {
        if (due.isEmpty()) {
            return Optional.empty();
        }
        // Who comes new, or comes again, starts where the furthest behind is: a long absence is no credit.
        long start = due.stream()
                .map(job -> turns.get(job.batch().name()))
                .filter(turn -> turn != null)
                .mapToLong(Long::longValue)
                .min()
                .orElse(0);
        Map<String, Long> standing = new HashMap<>();
        for (Job job : due) {
            String name = job.batch().name();
            standing.put(name, turns.getOrDefault(name, start));
        }
        String next = due.stream()
                .map(job -> job.batch().name())
                .distinct()
                .min(Comparator.<String>comparingLong(name -> standing.getOrDefault(name, start))
                        .thenComparing(Comparator.naturalOrder()))
                .orElseThrow();
        Optional<Job> ahead = turns.containsKey(AHEAD)
                ? Optional.empty()
                : due.stream().filter(job -> isOverdue(job, now)).min(furthest(now));
        Job job = ahead.orElseGet(() -> due.stream()
                .filter(candidate -> candidate.batch().name().equals(next))
                .min(Comparator.comparing((Job candidate) -> !isOverdue(candidate, now))
                        .thenComparing(Job::waitingSince)
                        .thenComparing(Job::id))
                .orElseThrow());
        standing.merge(job.batch().name(), STRIDE / job.batch().weight(), Long::sum);
        Map<String, Long> after = new HashMap<>();
        standing.forEach((name, turn) -> after.put(name, turn - start));
        String reason = "the turn of batch " + next + " among " + standing.size();
        if (ahead.isPresent()) {
            after.put(AHEAD, 1L);
            reason = job.overdue(now).toSeconds() + " s beyond its maximum wait, ahead of " + reason;
        }
        return Optional.of(new Pick(job, after, reason));
    }

    private static Comparator<Job> furthest(Instant now) {
        return Comparator.comparing((Job job) -> job.overdue(now))
                .reversed()
                .thenComparing(Job::waitingSince)
                .thenComparing(Job::id);
    }

    private static boolean isOverdue(Job job, Instant now) {
        return job.overdue(now).compareTo(Duration.ZERO) >= 0;
    }
}
