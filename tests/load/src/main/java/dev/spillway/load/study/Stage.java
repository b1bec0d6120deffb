package dev.spillway.load.study;

import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.report.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What one stage of sustained calls showed.
 *
 * @param wanted calls at once
 * @param seconds over which calls arrived
 * @param callSeconds length of a call
 * @param spoilt what the generator did not do: then nothing here is the service's
 * @param problems why it counts for nothing, whatever completed: no container to kill, or what was left of its calls
 * @param note what else is to be said of it
 */
record Stage(
        String name,
        int wanted,
        Figures figures,
        double seconds,
        double callSeconds,
        Optional<String> spoilt,
        List<String> problems,
        String note) {

    boolean isSustained() {
        return spoilt.isEmpty() && problems.isEmpty() && figures.count(Outcome.COMPLETED) == figures.scheduled();
    }

    int completed() {
        return figures.count(Outcome.COMPLETED);
    }

    /** Admission failures: those that the service said no to. */
    int refused() {
        return figures.count(Outcome.REJECTED);
    }

    /** All that neither completed nor was refused: errors, time-outs, and what the generator did not offer. */
    int failed() {
        return figures.scheduled() - completed() - refused();
    }

    /** Mean calls up between the end of the first call length and the last arrival, of those that completed. */
    double sustained() {
        double from = callSeconds * 1e9;
        double until = seconds * 1e9;
        double busy = 0;
        for (Row row : figures.rows()) {
            Long audio = row.firstAudio();
            Long end = row.finished();
            if (row.outcome() == Outcome.COMPLETED && audio != null && end != null) {
                busy += Math.max(0, Math.min(end, until) - Math.max(audio, from));
            }
        }
        return busy / (until - from);
    }

    /** One line for each stage, under a heading. */
    static List<String> table(List<Stage> stages) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%-34s %7s %9s %8s %7s %11s %15s %14s",
                "stage",
                "wanted",
                "sustained",
                "refused",
                "failed",
                "per minute",
                "outb. wait p90",
                "gaps over 1 s"));
        for (Stage stage : stages) {
            Double wait = stage.figures().outboundWait().percentile(90);
            lines.add(String.format(
                    Locale.ROOT,
                    "%-34s %7d %9.1f %8d %7d %11.1f %15s %14s  %s",
                    stage.name(),
                    stage.wanted(),
                    stage.sustained(),
                    stage.refused(),
                    stage.failed(),
                    stage.completed() * 60 / stage.seconds(),
                    wait == null ? "n/a" : String.format(Locale.ROOT, "%.1f s", wait / 1_000),
                    stage.gaps(),
                    stage.remarks()));
        }
        return lines;
    }

    private String gaps() {
        Double longest = figures.gapLengths().max();
        return figures.gaps().size()
                + (longest == null ? "" : String.format(Locale.ROOT, ", to %.1f s", longest / 1_000));
    }

    private String remarks() {
        List<String> all = new ArrayList<>();
        if (spoilt.isPresent()) {
            all.add("INVALID: the generator did not do its part: " + spoilt.get());
        } else if (!isSustained()) {
            all.add("NOT SUSTAINED");
        }
        all.addAll(problems);
        if (!note.isEmpty()) {
            all.add(note);
        }
        return String.join("; ", all);
    }
}
