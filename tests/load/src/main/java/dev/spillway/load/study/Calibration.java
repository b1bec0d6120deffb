package dev.spillway.load.study;

import dev.spillway.load.adapter.Inventory;
import dev.spillway.load.ledger.Evidence.CallSeen;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.report.Figures;
import dev.spillway.load.report.Report;
import dev.spillway.load.report.Run;
import dev.spillway.load.schedule.CallClass;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds how many calls one container can hold: the last step below the one at which callers would notice. Steps are judged
 * against the first, of one call; in a mix, the calls of each class against one of that class.
 */
public final class Calibration {
    /** Below it a pause passes for thinking. */
    private static final double NOTICED_MILLIS = 800;
    /** Above it callers speak into the pause. */
    private static final double DISTURBING_MILLIS = 1_000;
    /** A p90 that is longer by half than that of one call is the cliff, however short both are; a guess. */
    private static final double STEEP = 1.5;
    /** Fewer turns than this make no percentile of a call. */
    private static final int LEAST_ANSWERS = 3;

    private static final double FRAME_MICROS = 20_000;

    /**
     * What one step showed.
     *
     * @param calls at once
     * @param cpu cores that the container used; null if that cannot be told apart from the rest of the machine
     * @param p90Millis of the response latency; null without an answer
     * @param gaps silences over one second
     * @param failed calls that did not complete
     * @param parts the calls of each class of a mix: they are judged instead of all together, for another make-up of the
     *     calls changes the figures of all although no caller notices anything
     */
    public record Step(
            int calls,
            @Nullable Double cpu,
            int answers,
            @Nullable Double p90Millis,
            int gaps,
            int failed,
            List<Part> parts) {
        /** Of one class. */
        public Step(int calls, @Nullable Double cpu, int answers, @Nullable Double p90Millis, int gaps, int failed) {
            this(calls, cpu, answers, p90Millis, gaps, failed, List.of());
        }

        /** @param alone one call of each class, by itself, if there are several */
        public static Step of(int calls, @Nullable Double cpu, Figures figures, Map<String, Step> alone) {
            List<Part> parts = new ArrayList<>();
            alone.forEach((name, one) -> {
                Figures own = figures.ofClass(name);
                if (!own.rows().isEmpty()) {
                    parts.add(new Part(name, one, of(own.rows().size(), null, own)));
                }
            });
            Step all = of(calls, cpu, figures);
            return new Step(calls, cpu, all.answers, all.p90Millis, all.gaps, all.failed, parts);
        }

        private static Step of(int calls, @Nullable Double cpu, Figures figures) {
            return new Step(
                    calls,
                    cpu,
                    figures.responses().count(),
                    figures.responses().percentile(90),
                    figures.gaps().size(),
                    calls - figures.count(Outcome.COMPLETED));
        }
    }

    /** The calls of one class within a mix, and one such call by itself. */
    public record Part(String name, Step alone, Step among) {}

    /**
     * Why the classes cannot be calibrated together; empty if they can.
     *
     * @param taken what the target's agent lets a class say of it
     */
    static List<String> faults(Collection<CallClass> classes, Set<String> mixed, Set<String> taken) {
        List<String> faults = new ArrayList<>();
        if (classes.stream().map(one -> String.valueOf(one.tenant())).distinct().count() > 1) {
            faults.add("the classes are of several tenants, which have a container each; calibrate one at a time");
        }
        if (classes.stream().map(one -> one.applied(taken)).distinct().count() < classes.size()) {
            Set<String> only = new TreeSet<>(Set.of("answer", "cpu", "tools", "language"));
            only.removeAll(taken);
            faults.add("two classes differ in nothing that is applied to a call: " + String.join(", ", only)
                    + " are only declared, and reach no agent of this target");
        }
        for (String name : mixed) {
            if (classes.stream().noneMatch(one -> one.name().equals(name))) {
                faults.add("--mix names the class '" + name + "', which there is none of");
            }
        }
        return faults;
    }

    /** Which class each of so many calls is of: at every place the one that is most behind its share. */
    static List<String> shared(Map<String, Double> weights, int calls) {
        double total =
                weights.values().stream().mapToDouble(Double::doubleValue).sum();
        Map<String, Integer> given = new LinkedHashMap<>();
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= calls; i++) {
            String next = "";
            double most = Double.NEGATIVE_INFINITY;
            for (Map.Entry<String, Double> one : weights.entrySet()) {
                double behind = one.getValue() / total * i - given.getOrDefault(one.getKey(), 0);
                if (behind > most + 1e-9) {
                    most = behind;
                    next = one.getKey();
                }
            }
            given.merge(next, 1, Integer::sum);
            names.add(next);
        }
        return names;
    }

    /** Why a step's figures say nothing of one container's limit; empty if they do. */
    static Optional<String> isNoStep(Report report, List<Step> done) {
        Optional<String> generator = generatorsFault(report, leastAlone(done));
        if (generator.isPresent()) {
            return generator.map(why -> "the generator did not do its part: " + why + "; it needs a core of its own");
        }
        for (Run.Look look : report.run().looks()) {
            Inventory seen = look.inventory();
            boolean during = look.when().equals("periodic")
                    && look.seconds() * 1e9 < report.figures().lastEnd();
            if (during && !(isOne(seen.containers()) && isNone(seen.starting()) && isNone(seen.held()))) {
                return Optional.of("its calls were not on one container: " + seen.leftOver());
            }
        }
        if (report.run().looks().stream().noneMatch(look -> look.when().equals("periodic"))) {
            return Optional.of("nobody says on how many containers its calls were");
        }
        boolean elsewhere = report.figures().calls().stream()
                .anyMatch(call -> call.moves() > 0 || (call.gatewayNanos() != null && call.gatewayNanos() > 0));
        if (elsewhere) {
            return Optional.of("some of its calls were on the gateway, or moved");
        }
        Step first = done.getFirst();
        if (done.size() == 1 && first.answers() < LEAST_ANSWERS) {
            return Optional.of("one call had " + first.answers() + " answers; hold each step longer (--hold)");
        }
        return Optional.empty();
    }

    /** The p90 of one call: of the fastest class, in a mix. */
    private static @Nullable Double leastAlone(List<Step> done) {
        return done.getLast().parts().stream()
                .map(part -> part.alone().p90Millis())
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(done.getFirst().p90Millis());
    }

    /**
     * What the generator did that would be taken for the service's doing. A few frames of 20 ms that come some milliseconds
     * late are none: they have no part in a cliff of hundreds.
     *
     * @param baselineMillis the p90 of one call; null if there is none
     */
    static Optional<String> generatorsFault(Report report, @Nullable Double baselineMillis) {
        double worst = report.figures().calls().stream()
                        .mapToLong(CallSeen::worstFrameNanos)
                        .max()
                        .orElse(0)
                / 1e6;
        return report.verdict().invalidBut("framesLateShare").or(() -> tooLate(worst, baselineMillis));
    }

    static Optional<String> tooLate(double worstFrameMillis, @Nullable Double baselineMillis) {
        double cliff = baselineMillis == null ? NOTICED_MILLIS : (STEEP - 1) * baselineMillis;
        return worstFrameMillis <= cliff / 2
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "it sent a frame %.0f ms late, which is more than half of what makes a cliff (%.0f ms)",
                        worstFrameMillis,
                        cliff));
    }

    private static boolean isOne(@Nullable Integer count) {
        return count != null && count == 1;
    }

    private static boolean isNone(@Nullable Integer count) {
        return count != null && count == 0;
    }

    /** Why a step is at the cliff or beyond; empty if it is below. */
    static Optional<String> cliff(Step baseline, Step step) {
        if (step.failed() > 0) {
            return Optional.of(step.failed() + " calls failed");
        }
        if (!step.parts().isEmpty()) {
            return step.parts().stream()
                    .flatMap(part -> cliff(part.alone(), part.among()).map(why -> part.name() + ": " + why).stream())
                    .findFirst();
        }
        Double first = baseline.p90Millis();
        Double now = step.p90Millis();
        if (first == null || now == null) {
            return Optional.of("no answers");
        }
        if (step.answers() < LEAST_ANSWERS * step.calls()) {
            return Optional.of("fewer than " + LEAST_ANSWERS + " answers a call");
        }
        if (step.gaps() > baseline.gaps() * step.calls()) {
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

    /**
     * What was found beside what is known of an agent that computes so long with each frame, for one call at a time.
     *
     * @param microsPerFrame of 20 ms
     */
    static String besideKnown(List<Step> steps, int microsPerFrame) {
        double known = FRAME_MICROS / microsPerFrame;
        int limit = limit(steps);
        String fill = String.format(
                Locale.ROOT,
                "the agent computes %.1f ms with each frame, so %.1f calls fill the container; ",
                microsPerFrame / 1e3,
                known);
        if (!isOver(steps)) {
            return fill + (limit <= known ? "that was not tried" : "NOT found although " + limit + " calls were tried");
        }
        int beyond = steps.getLast().calls();
        String found = "found between " + limit + " and " + beyond;
        return fill
                + found
                + (known < limit
                        ? ", which is TOO LATE"
                        : known > beyond ? ": something else is full before the agent" : ", as known");
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
                "cores",
                "answers",
                "p90 ms",
                "change",
                "gaps",
                "what callers notice"));
        for (Step step : steps) {
            Double now = step.p90Millis();
            Double times = timesOfAlone(steps.getFirst(), step);
            lines.add(String.format(
                    Locale.ROOT,
                    "%6d %6s %8d %9s %8s %5d  %s",
                    step.calls(),
                    step.cpu() == null ? "n/a" : String.format(Locale.ROOT, "%.2f", step.cpu()),
                    step.answers(),
                    now == null ? "none" : String.format(Locale.ROOT, "%.0f", now),
                    times == null ? "n/a" : String.format(Locale.ROOT, "%+.0f%%", 100 * (times - 1)),
                    step.gaps(),
                    noticed(step)
                            + cliff(steps.getFirst(), step)
                                    .map(why -> "  <- cliff: " + why)
                                    .orElse("")));
        }
        return lines;
    }

    /** How often the p90 of one call; of the class that is worst off in a mix. Null without answers. */
    private static @Nullable Double timesOfAlone(Step baseline, Step step) {
        if (!step.parts().isEmpty()) {
            return step.parts().stream()
                    .map(part -> timesOfAlone(part.alone(), part.among()))
                    .filter(Objects::nonNull)
                    .max(Comparator.naturalOrder())
                    .orElse(null);
        }
        Double first = baseline.p90Millis();
        Double now = step.p90Millis();
        return first == null || now == null ? null : Double.valueOf(now / first);
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
