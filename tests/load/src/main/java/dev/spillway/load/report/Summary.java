package dev.spillway.load.report;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.load.ledger.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The report for a terminal. */
final class Summary {
    private Summary() {}

    static String of(Report report) {
        Run run = report.run();
        Figures figures = report.figures();
        JsonNode manifest = run.manifest();
        StringBuilder text = new StringBuilder();
        line(text, "schedule", "%s (sha256 %s)", run.schedule().name(), run.scheduleSha256());
        line(text, "question", "%s", run.schedule().question());
        line(
                text,
                "run",
                "%s at speed %s, at most %s in flight, seed %s",
                manifest.path("adapter").path("name").asText(),
                Numbers.plain(run.speed()),
                manifest.path("maxInFlight").asText(),
                run.schedule().seed() == null ? "none" : run.schedule().seed().toString());
        run.clocks().ifPresent(said -> line(text, "clocks", "%s", said));
        List<String> declared = new ArrayList<>();
        manifest.path("declaredNotApplied").forEach(one -> declared.add(one.asText()));
        if (!declared.isEmpty()) {
            line(text, "declared only", "%s: said by classes, and applied to no agent", String.join(", ", declared));
        }
        line(
                text,
                "offered",
                "%d scheduled, %d started, %d missing",
                figures.scheduled(),
                figures.started(),
                figures.missing());
        run.note("stop")
                .ifPresent(stop -> line(text, "stopped", "%s", stop.path("why").asText()));
        text.append(String.format(
                Locale.ROOT, "%n%-22s %8s %13s %11s%n", "outcome", "calls", "of scheduled", "of started"));
        figures.outcomes()
                .forEach((outcome, count) -> text.append(String.format(
                        Locale.ROOT,
                        "%-22s %8d %12s%% %11s%n",
                        outcome.text(),
                        count,
                        percent(count, figures.scheduled()),
                        outcome.started() ? percent(count, figures.started()) + "%" : "-")));
        text.append('\n');
        figures.outcomes().keySet().forEach(outcome -> line(text, "  " + outcome.text(), "%s", outcome.definition()));
        text.append('\n');
        spread(text, "start lateness", figures.startLateness(), "ms, from due to started");
        spread(text, "response latency", figures.responses(), "ms, " + figures.responsePopulation());
        spread(text, "answer, from due", figures.answerFromScheduled(), "ms to the first audio");
        spread(text, "answer, from start", figures.answerFromStart(), "ms to the first audio");
        spread(text, "hand-off gap", figures.handOffGaps(), "ms beyond Twilio's webhook, per hand-off");
        if (figures.count(Outcome.TIMEOUT) > 0) {
            spread(text, "timed out after", figures.timeoutsWaited(), "ms, a lower bound of their waiting");
        }
        if (figures.hasTurns()) {
            line(
                    text,
                    "audio",
                    "%d gaps over 1 s, %d turns with speech of a wrong generation, %d utterances of a wrong persona",
                    figures.gaps().size(),
                    figures.staleTurns(),
                    figures.wrongPersona());
            line(
                    text,
                    "frames",
                    "%s %% of those sent were more than 5 ms late",
                    figures.framesLateShare() == null ? "unavailable" : Numbers.plain(figures.framesLateShare() * 100));
            if (figures.outboundWait().count() > 0) {
                spread(text, "outbound wait", figures.outboundWait(), "ms from POST /calls to the dial");
            }
        }
        Double age = Measures.queueAge(report.looks());
        line(text, "queue age", "%s", age == null ? "unavailable" : "at most " + Numbers.plain(age) + " s");
        line(text, "audibility", "unavailable");
        line(text, "task completion", "unavailable");
        recovery(text, run);
        generator(text, Generators.of(run));
        Costs costs = Costs.of(run, figures);
        line(
                text,
                "cost",
                "%s",
                costs == null
                        ? "unavailable"
                        : String.format(
                                Locale.ROOT,
                                "%.3f container hours, %.4f dollars, %s per completed call",
                                costs.containerHours(),
                                costs.total(),
                                costs.perCompleted() == null ? "unavailable" : Numbers.plain(costs.perCompleted())));
        Boundary boundary = report.boundary();
        text.append('\n');
        line(
                text,
                "first limit",
                "%s%s",
                boundary.name(),
                boundary.seconds() < 0 ? "" : String.format(Locale.ROOT, " at %.1f s", boundary.seconds()));
        line(text, "  evidence", "%s", boundary.evidence());
        line(text, "  cannot tell", "%s", boundary.limits());
        line(text, "  next", "%s", boundary.next());
        text.append('\n');
        findings(text, "validity", report.verdict().validity());
        findings(text, "service", report.verdict().service());
        text.append('\n')
                .append(
                        switch (report.verdict().exitCode()) {
                            case 0 ->
                                "valid, and "
                                        + (report.verdict().service().isEmpty()
                                                ? "judged by no rule of service (--criteria)"
                                                : "every rule of service is met");
                            case 2 -> "INVALID: this run did not ask its question; it says nothing about the service";
                            default -> "valid, and service criteria are MISSED";
                        })
                .append('\n');
        return text.toString();
    }

    private static void generator(StringBuilder text, Generators generators) {
        line(
                text,
                "generator",
                "%s cores of CPU, %s MB, %s pauses of garbage collection (%s ms), %s sockets",
                generators.cpuCores() == null ? "unavailable" : Numbers.plain(generators.cpuCores()),
                shown(generators.most("residentMb")),
                shown(generators.gcPauses()),
                shown(generators.gcPausedMillis()),
                shown(generators.most("sockets")));
    }

    private static String shown(@Nullable Long value) {
        return value == null ? "unavailable" : value.toString();
    }

    private static void recovery(StringBuilder text, Run run) {
        run.startConditions()
                .forEach(condition -> line(
                        text,
                        "start condition",
                        "%s: %s",
                        condition.path("condition").asText(),
                        condition.path("state").asText()));
        run.note("end")
                .map(end -> end.path("leftOver"))
                .filter(left -> left.asInt() > 0)
                .ifPresent(left -> line(text, "left over", "%d operations never came back", left.asInt()));
        run.note("recovery")
                .ifPresentOrElse(
                        note -> line(
                                text,
                                "recovery",
                                note.path("reached").asBoolean()
                                        ? "baseline %s s after the last arrival"
                                        : "NOT reached: %2$s",
                                Numbers.plain(note.path("seconds").doubleValue()),
                                note.path("left").asText()),
                        () -> line(text, "recovery", "unavailable"));
        run.probe()
                .ifPresent(probe ->
                        line(text, "probe call", "%s %s", probe.outcome().text(), probe.detail()));
    }

    private static void findings(StringBuilder text, String name, List<Verdict.Finding> findings) {
        if (findings.isEmpty()) {
            line(text, name, "no criteria were given");
        }
        for (Verdict.Finding finding : findings) {
            line(
                    text,
                    name,
                    "%s  %s is %s, want %s (%s)",
                    finding.met() ? "met   " : "MISSED",
                    finding.rule().measure(),
                    Numbers.plain(finding.actual()),
                    finding.rule().bound(),
                    finding.rule().owner());
        }
    }

    private static void spread(StringBuilder text, String name, Spread spread, String unit) {
        if (spread.count() == 0) {
            line(text, name, "unavailable (%s)", unit);
            return;
        }
        line(
                text,
                name,
                "p50 %s, p90 %s, p99 %s, max %s, avg %s, n %d (%s)",
                Numbers.plain(spread.percentile(50)),
                Numbers.plain(spread.percentile(90)),
                Numbers.plain(spread.percentile(99)),
                Numbers.plain(spread.max()),
                Numbers.plain(spread.average()),
                spread.count(),
                unit);
    }

    private static String percent(int part, int whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.2f", 100.0 * part / whole);
    }

    @SuppressWarnings("AnnotateFormatMethod") // only constants are passed, from this class
    private static void line(StringBuilder text, String name, String format, @Nullable Object... values) {
        text.append(String.format(Locale.ROOT, "%-19s ", name))
                .append(String.format(Locale.ROOT, format, values))
                .append('\n');
    }
}
