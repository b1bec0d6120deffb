package dev.spillway.load.study;

import dev.spillway.load.report.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds how many calls one container can hold: the last step below the one at which callers would notice. Steps are judged
 * against the first, of one call.
 */
public final class Calibration {
    /** Below it a pause passes for thinking. */
    private static final double NOTICED_MILLIS = 800;
    /** Above it callers speak into the pause. */
    private static final double DISTURBING_MILLIS = 1_000;
    /** A p90 that is longer by half than that of one call is the cliff, however short both are; a guess. */
    private static final double STEEP = 1.5;

    /**
     * What one step showed.
     *
     * @param calls at once
     * @param cpu share of the machine that was busy, 0 to 1; null if that cannot be seen
     * @param p90Millis of the response latency; null without an answer
     * @param gaps silences over one second
     * @param failed calls that did not complete
     */
    public record Step(
            int calls,
            @Nullable Double cpu,
            int answers,
            @Nullable Double p90Millis,
            int gaps,
            int failed) {
        public static Step of(int calls, @Nullable Double cpu, Figures figures) {
            return new Step(
                    calls,
                    cpu,
                    figures.responses().count(),
                    figures.responses().percentile(90),
                    figures.gaps().size(),
                    figures.scheduled() - figures.count(dev.spillway.load.ledger.Outcome.COMPLETED));
        }
    }

    /** Why a step is at the cliff or beyond; empty if it is below. */
    static Optional<String> cliff(Step baseline, Step step) {
        if (step.failed() > 0) {
            return Optional.of(step.failed() + " calls failed");
        }
        Double first = baseline.p90Millis();
        Double now = step.p90Millis();
        if (first == null || now == null) {
            return Optional.of("no answers");
        }
        if (step.gaps() > baseline.gaps()) {
            return Optional.of(step.gaps() + " audio gaps");
        }
        if (now > STEEP * first) {
            return Optional.of(String.format(Locale.ROOT, "p90 is %.1f times that of one call", now / first));
        }
        if (first <= NOTICED_MILLIS && now > NOTICED_MILLIS) {
            return Optional.of("callers notice");
        }
        return Optional.empty();
    }

    /** The most calls below the cliff; 0 if already one call is beyond it. */
    public static int limit(List<Step> steps) {
        int limit = 0;
        for (Step step : steps) {
            if (cliff(steps.getFirst(), step).isPresent()) {
                return limit;
            }
            limit = step.calls();
        }
        return limit;
    }

    /** Whether going on would only repeat what the last step showed. */
    public static boolean isOver(List<Step> steps) {
        return cliff(steps.getFirst(), steps.getLast()).isPresent();
    }

    /** The table, one line for each step. */
    public static List<String> table(List<Step> steps) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%6s %6s %8s %9s %8s %5s  %s",
                "calls",
                "CPU",
                "answers",
                "p90 ms",
                "change",
                "gaps",
                "what callers notice"));
        Double first = steps.getFirst().p90Millis();
        for (Step step : steps) {
            Double now = step.p90Millis();
            lines.add(String.format(
                    Locale.ROOT,
                    "%6d %6s %8d %9s %8s %5d  %s",
                    step.calls(),
                    step.cpu() == null ? "n/a" : String.format(Locale.ROOT, "%.0f%%", step.cpu() * 100),
                    step.answers(),
                    now == null ? "none" : String.format(Locale.ROOT, "%.0f", now),
                    first == null || now == null
                            ? "n/a"
                            : String.format(Locale.ROOT, "%+.0f%%", 100 * (now / first - 1)),
                    step.gaps(),
                    noticed(step)
                            + cliff(steps.getFirst(), step)
                                    .map(why -> "  <- cliff: " + why)
                                    .orElse("")));
        }
        return lines;
    }

    private static String noticed(Step step) {
        Double now = step.p90Millis();
        if (now == null) {
            return "silence";
        }
        if (now > DISTURBING_MILLIS) {
            return "the agent is slow; they speak into its pauses";
        }
        return now > NOTICED_MILLIS ? "a pause before answers" : step.gaps() > 0 ? "gaps" : "nothing";
    }

    private Calibration() {}
}
