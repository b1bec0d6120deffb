package dev.spillway.load.report;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.load.ledger.Evidence.CallSeen;
import dev.spillway.load.ledger.Evidence.Request;
import dev.spillway.load.ledger.Row;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tables of the page that are not about outcomes: populations, how the run recovered, and what the generator used. */
final class HtmlFacts {
    private static final String UNAVAILABLE = "unavailable";

    private final Report report;
    private final Run run;
    private final StringBuilder html = new StringBuilder();

    private HtmlFacts(Report report) {
        this.report = report;
        this.run = report.run();
    }

    static String of(Report report) {
        HtmlFacts facts = new HtmlFacts(report);
        facts.populations();
        facts.recovery();
        facts.generator();
        return facts.html.toString();
    }

    private void populations() {
        Figures figures = report.figures();
        heading("Populations, each counted for itself");
        pair("arrivals scheduled", Integer.toString(figures.scheduled()));
        if (figures.hasTurns()) {
            List<CallSeen> calls = figures.calls();
            pair("calls seen", Integer.toString(calls.size()));
            pair(
                    "calls that were moved",
                    Long.toString(
                            calls.stream().filter(call -> call.moves() > 0).count()));
            pair("turns of callers", Integer.toString(figures.turns().size()));
            pair("turns answered", Integer.toString(figures.responses().count()));
            pair("turns not answered", Integer.toString(figures.unansweredTurns()));
        } else {
            pair("calls", UNAVAILABLE);
            pair("turns of callers", UNAVAILABLE);
        }
        Map<String, List<Request>> byName = figures.requests().stream()
                .collect(Collectors.groupingBy(Request::name, TreeMap::new, Collectors.toList()));
        byName.forEach((name, list) -> {
            Spread took = Spread.of(list.stream().map(Request::nanos).toList());
            pair(
                    "requests to the service: " + name,
                    list.size() + ", "
                            + list.stream()
                                    .filter(request -> request.status() / 100 == 2)
                                    .count()
                            + " answered well, p90 " + Numbers.plain(took.percentile(90)) + " ms");
        });
        html.append("</table>\n");
    }

    private void recovery() {
        heading("Start and recovery");
        for (JsonNode condition : run.startConditions()) {
            pair(
                    "start condition: " + condition.path("condition").asText(),
                    condition.path("state").asText());
        }
        JsonNode note = run.note("recovery").orElse(null);
        pair(
                "baseline",
                note == null
                        ? UNAVAILABLE
                        : note.path("reached").asBoolean()
                                ? Numbers.plain(note.path("seconds").doubleValue()) + " s after the last arrival"
                                : "NOT reached: " + note.path("left").asText());
        if (run.probes().isEmpty()) {
            pair("probe call", UNAVAILABLE);
        }
        for (Row probe : run.probes()) {
            pair("probe call", probe.outcome().text() + " " + probe.detail());
        }
        JsonNode left = run.note("end").map(end -> end.path("leftOver")).orElse(null);
        pair("operations left over", left == null || !left.isNumber() ? UNAVAILABLE : left.asText());
        for (JsonNode effect : run.notes("unexpected")) {
            pair("unexpected effect", effect.path("what").asText());
        }
        html.append("</table>\n");
    }

    private void generator() {
        Generators generators = Generators.of(run);
        heading("The generator itself");
        JsonNode cores = run.manifest().path("cores");
        pair(
                "CPU",
                generators.cpuCores() == null
                        ? UNAVAILABLE
                        : String.format(
                                        Locale.ROOT,
                                        "%.3f cores on average%s",
                                        generators.cpuCores(),
                                        generators.processes() > 1
                                                ? ", each of " + generators.processes() + " processes,"
                                                : "")
                                + (cores.isNumber() ? " of " + cores.asInt() : ""));
        pair(
                "garbage collection",
                generators.gcPauses() == null || generators.gcPausedMillis() == null
                        ? UNAVAILABLE
                        : generators.gcPauses() + " pauses, " + generators.gcPausedMillis() + " ms");
        pair("resident memory, most", shown(generators.most("residentMb"), " MB"));
        pair("sockets, most", shown(generators.most("sockets"), ""));
        html.append("</table>\n");
    }

    private static String shown(@Nullable Long value, String unit) {
        return value == null ? UNAVAILABLE : value + unit;
    }

    private void heading(String text) {
        html.append("<h2>").append(HtmlPage.escaped(text)).append("</h2>\n<table>\n");
    }

    private void pair(String name, String value) {
        html.append("<tr><td>")
                .append(HtmlPage.escaped(name))
                .append("</td><td>")
                .append(HtmlPage.escaped(value))
                .append("</td></tr>\n");
    }
}
