package dev.spillway.simulation.world;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Cuts a failing run down: callers, mishaps and single faults are left out by halves, then by quarters and so on, as long as
 * the same invariant still breaks. A run ends where it fails, so what is left is the shortest prefix as well.
 */
final class Shrinking {
    /** Runs at most; each is as long as the failing one or shorter. */
    private static final int MOST_RUNS = 400;

    private final Scenario scenario;
    private final Mutation mutation;
    private final Invariant broken;
    private final BooleanSupplier goesOn;
    private Set<String> without = new HashSet<>();
    private Outcome best;
    private int runs;

    /** @param goesOn asked before each run */
    Shrinking(Outcome failed, Mutation mutation, BooleanSupplier goesOn) {
        this.scenario = Scenario.of(failed.scenario().seed());
        this.mutation = mutation;
        this.broken = failed.violation().orElseThrow().invariant();
        this.best = failed;
        this.goesOn = goesOn;
    }

    /**
     * The shortest failing run that was found, with its trace.
     *
     * @param without what the seed's whole run has and this one has not
     */
    record Shrunk(Outcome outcome, Set<String> without, int runs) {}

    Shrunk shrink() {
        boolean smaller = true;
        while (smaller && mayGoOn()) {
            int before = left(best).size();
            reduce();
            smaller = left(best).size() < before;
        }
        return new Shrunk(new World(scenario, without, mutation, true).run(), Set.copyOf(without), runs);
    }

    private void reduce() {
        for (int parts = 2; mayGoOn(); parts *= 2) {
            List<String> left = left(best);
            int size = Math.max(1, left.size() / parts);
            for (int from = 0; from < left.size() && mayGoOn(); from += size) {
                List<String> part = left.subList(from, Math.min(left.size(), from + size));
                Set<String> more = new HashSet<>(without);
                more.addAll(part);
                runs++;
                Outcome outcome = new World(scenario, more, mutation, false).run();
                if (outcome.violation()
                        .filter(found -> found.invariant() == broken)
                        .isPresent()) {
                    without = more;
                    best = outcome;
                }
            }
            if (size == 1) {
                return;
            }
        }
    }

    private boolean mayGoOn() {
        return runs < MOST_RUNS && goesOn.getAsBoolean();
    }

    /** What may still be left out: last first, since a run that fails earlier needs none of it. */
    private static List<String> left(Outcome outcome) {
        List<String> names = new ArrayList<>(Stream.of(
                        outcome.scenario().arrivals().stream().map(Scenario.Arrival::name),
                        outcome.scenario().mishaps().stream().map(Scenario.Mishap::name),
                        outcome.scenario().outgoing().names().stream(),
                        outcome.scenario().commands().stream().map(Command::name),
                        outcome.fired().stream())
                .flatMap(all -> all)
                .distinct()
                .toList());
        return names;
    }
}
