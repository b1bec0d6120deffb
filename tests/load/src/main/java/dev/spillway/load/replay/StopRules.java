package dev.spillway.load.replay;

import dev.spillway.load.ledger.Evidence;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When a run ends before its schedule. Null: for no such reason. An unexpected side effect always ends it.
 *
 * @param maxSeconds of the run, arrivals and their calls
 * @param maxRefused rejected arrivals
 * @param maxIncorrect correctness failures: speech of a wrong generation, or of another tenant's persona
 * @param maxMemoryMb resident memory of the generator
 */
public record StopRules(
        @Nullable Double maxSeconds,
        @Nullable Integer maxRefused,
        @Nullable Integer maxIncorrect,
        @Nullable Long maxMemoryMb) {
    public static final StopRules NONE = new StopRules(null, null, null, null);

    /** Counts rows and says when it is enough. Not thread-safe. */
    static final class Count {
        private final StopRules rules;
        private int refused;
        private int incorrect;

        Count(StopRules rules) {
            this.rules = rules;
        }

        Optional<String> add(Row row) {
            if (row.outcome() == Outcome.REJECTED) {
                refused++;
            }
            incorrect += incorrect(row);
            if (rules.maxRefused() != null && refused > rules.maxRefused()) {
                return Optional.of(refused + " refusals, more than " + rules.maxRefused());
            }
            if (rules.maxIncorrect() != null && incorrect > rules.maxIncorrect()) {
                return Optional.of(incorrect + " correctness failures, more than " + rules.maxIncorrect());
            }
            return Optional.empty();
        }
    }

    /** Correctness failures in one row. */
    public static int incorrect(Row row) {
        Evidence evidence = row.evidence();
        if (evidence == null) {
            return 0;
        }
        int stale = (int)
                evidence.turns().stream().filter(turn -> turn.staleFrames() > 0).count();
        return stale + (evidence.call() == null ? 0 : evidence.call().wrongPersona());
    }
}
