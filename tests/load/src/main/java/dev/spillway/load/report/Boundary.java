package dev.spillway.load.report;

import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a run first met its limit.
 *
 * @param name generator, admission, service, cleanup, or none
 * @param seconds since the start; negative if nothing was met
 * @param limits what this run cannot tell
 * @param next the experiment that follows from it
 */
public record Boundary(String name, double seconds, String evidence, String limits, String next) {
    /** A generator that is this late is busy with itself; the same bound as of the validity rule. */
    private static final double LATE_MILLIS = 100;
    /** Fewer samples than this make no percentile. */
    private static final int FEW = 5;
    /** Slower than that many times the first window is saturation rather than noise; a guess. */
    private static final double SLOWER = 2;

    static Boundary first(Run run, Figures figures, Windows windows) {
        return Stream.of(
                        generator(figures),
                        admission(figures),
                        failures(figures),
                        slowness(windows),
                        cleanup(run, figures))
                .flatMap(Optional::stream)
                .min(Comparator.comparingDouble(Boundary::seconds))
                .orElseGet(() -> new Boundary(
                        "none",
                        -1,
                        "no arrival was dropped, late by more than " + Math.round(LATE_MILLIS)
                                + " ms, refused or failed; responses were not more than twice as slow as at first",
                        "it says nothing about a larger workload than this one",
                        "offer more: the same shape at twice the rate"));
    }

    private static Optional<Boundary> generator(Figures figures) {
        Optional<Row> dropped = earliest(figures, row -> row.outcome() == Outcome.GENERATOR_DROPPED);
        Optional<Row> late = earliest(
                figures,
                row -> row.started() != null
                        && Spread.millis((double) (row.started() - row.scheduled())) > LATE_MILLIS);
        return Stream.concat(dropped.stream(), late.stream())
                .min(Comparator.comparingLong(Row::scheduled))
                .map(row -> new Boundary(
                        "generator",
                        row.scheduled() / 1e9,
                        row.outcome() == Outcome.GENERATOR_DROPPED
                                ? "arrival " + row.id() + " found no room in the generator: " + row.detail() + "; "
                                        + figures.count(Outcome.GENERATOR_DROPPED) + " were dropped in all"
                                : "arrival " + row.id() + " started more than " + Math.round(LATE_MILLIS) + " ms late",
                        "what was not offered says nothing about the service",
                        "raise --max-in-flight within what is authorised, use a larger host or several, or offer less;"
                                + " then the same schedule again"));
    }

    private static Optional<Boundary> admission(Figures figures) {
        return earliest(figures, row -> row.outcome() == Outcome.REJECTED)
                .map(row -> new Boundary(
                        "admission",
                        row.scheduled() / 1e9,
                        "arrival " + row.id() + " was refused (" + row.detail() + "); "
                                + figures.count(Outcome.REJECTED) + " of " + figures.started() + " started ones were",
                        "a refusal shows where room ended, not why it was not there yet",
                        "the same schedule with one more warm container, or a larger reserve; watch the refusals"));
    }

    private static Optional<Boundary> failures(Figures figures) {
        return earliest(figures, row -> switch (row.outcome()) {
                    case TIMEOUT, ADAPTER_ERROR, UNKNOWN, CONNECTION_REFUSED -> true;
                    case COMPLETED,
                            REJECTED,
                            UNANSWERED,
                            CANCELED,
                            CANCELED_BEFORE_START,
                            NOT_ATTEMPTED,
                            GENERATOR_DROPPED -> false;
                })
                .map(row -> new Boundary(
                        "service",
                        (row.finished() == null ? row.scheduled() : row.finished()) / 1e9,
                        "arrival " + row.id() + " ended as " + row.outcome().text() + " (" + row.detail() + ")",
                        "the adapter's end of a failure tells little of its cause",
                        "read what the service logged about that call; then the same schedule at half the rate"));
    }

    private static Optional<Boundary> slowness(Windows windows) {
        List<Windows.Window> counted = windows.all().stream()
                .filter(window -> window.responses().count() >= FEW)
                .toList();
        if (counted.isEmpty()) {
            return Optional.empty();
        }
        double first = at90(counted.getFirst());
        return counted.stream()
                .filter(window -> at90(window) > SLOWER * first)
                .findFirst()
                .map(window -> new Boundary(
                        "service",
                        window.from(),
                        String.format(
                                Locale.ROOT,
                                "p90 of the responses rose from %.0f ms (%d samples) to %.0f ms (%d samples)",
                                first,
                                counted.getFirst().responses().count(),
                                at90(window),
                                window.responses().count()),
                        "only work that was admitted and answered is in these figures",
                        "trace one slow answer through the service; or the same schedule with a smaller limit of calls"
                                + " per container"));
    }

    private static double at90(Windows.Window window) {
        Double value = window.responses().percentile(90);
        return value == null ? 0 : value;
    }

    private static Optional<Boundary> cleanup(Run run, Figures figures) {
        return run.note("recovery")
                .filter(note -> !note.path("reached").asBoolean())
                .map(note -> new Boundary(
                        "cleanup",
                        Math.max(figures.end() / 1e9, note.path("t").doubleValue() / 1_000),
                        "the baseline was not reached: " + note.path("left").asText(),
                        "what holds the rest is not seen from outside",
                        "look up the claims that are left by their calls; offer nothing more before they are gone"));
    }

    private static Optional<Row> earliest(Figures figures, java.util.function.Predicate<Row> which) {
        return figures.rows().stream().filter(which).min(Comparator.comparingLong(Row::scheduled));
    }
}
