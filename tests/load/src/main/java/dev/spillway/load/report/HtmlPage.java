package dev.spillway.load.report;

import dev.spillway.load.adapter.Inventory;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.report.Chart.Manner;
import dev.spillway.load.report.Chart.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The report as one page that needs nothing else, no network either. */
final class HtmlPage {
    private static final String STYLE = """
            :root{--ink:#1c2430;--soft:#5b6675;--line:#dfe4ea;--paper:#fff;--good:#1a7f4b;--bad:#b3261e}
            @media(prefers-color-scheme:dark){:root{--ink:#e6ebf2;--soft:#9aa6b5;--line:#313a46;--paper:#141a22;--good:#5fd39b;--bad:#ff8a80}}
            body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:920px;margin:2rem auto;padding:0 1rem}
            h1{font-size:1.5rem;margin:0 0 .2rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
            .verdict{font-size:1.15rem;font-weight:600}.good{color:var(--good)}.bad{color:var(--bad)}
            small,.soft,.key,.none{color:var(--soft)}table{border-collapse:collapse;width:100%;font-size:.9rem}
            td,th{text-align:left;padding:.25rem .6rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}
            td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}figure{margin:1.4rem 0}figcaption{font-weight:600}
            svg{width:100%;height:auto;font:11px system-ui,sans-serif}svg text{fill:var(--soft)}.key{margin:0;font-size:.85rem}
            .grid{stroke:var(--line)}.mark{stroke:var(--soft);stroke-dasharray:3 3}path{fill:none;stroke-width:1.6}
            .s0{stroke:#2f6fde}.s1{stroke:#e0852b}.s2{stroke:#2a9d63}.s3{stroke:#c2405b}.s4{stroke:#7d5bd0}.s5{stroke:#6f7b88}
            .s6{stroke:#0f9aa8}.s7{stroke:#8a6d1b}.s8{stroke:#b0479b}.s9{stroke:#4b5ec2}.s10{stroke:#5a8f29}
            .c6{color:#0f9aa8}.c7{color:#8a6d1b}.c8{color:#b0479b}.c9{color:#4b5ec2}.c10{color:#5a8f29}
            .c0,.f0{color:#2f6fde;fill:#2f6fde}.c1,.f1{color:#e0852b;fill:#e0852b}.c2,.f2{color:#2a9d63;fill:#2a9d63}
            .c3,.f3{color:#c2405b;fill:#c2405b}.c4,.f4{color:#7d5bd0;fill:#7d5bd0}.c5,.f5{color:#6f7b88;fill:#6f7b88}
            code{word-break:break-all}table+table{margin-top:1rem}.w{white-space:nowrap}td:last-child{overflow-wrap:anywhere}
            """;

    private final Report report;
    private final double seconds;
    private final double lastDue;
    private final StringBuilder html = new StringBuilder();

    private HtmlPage(Report report) {
        this.report = report;
        this.seconds = report.run().seconds(report.figures());
        this.lastDue = report.run().schedule().lastAt() / report.run().speed();
    }

    static String of(Report report) {
        return new HtmlPage(report).page();
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private String page() {
        Run run = report.run();
        String name = escaped(run.schedule().name());
        html.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
                .append("<meta name=\"viewport\" content=\"width=device-width\"><title>")
                .append(name)
                .append("</title>\n<style>\n")
                .append(STYLE)
                .append("</style></head><body>\n<h1>")
                .append(name)
                .append("</h1>\n<p class=\"soft\">")
                .append(escaped(run.schedule().question()))
                .append("</p>\n");
        verdict();
        counts();
        latencies();
        charts();
        html.append(HtmlFacts.of(report));
        boundary();
        findings("Validity: did the run ask its question?", report.verdict().validity());
        findings("Service: did it do what it is to do?", report.verdict().service());
        inventory();
        definitions();
        workload();
        return html.append("</body></html>\n").toString();
    }

    private void verdict() {
        int code = report.verdict().exitCode();
        html.append("<p class=\"verdict ").append(code == 0 ? "good" : "bad").append("\">");
        html.append(
                switch (code) {
                    case 0 ->
                        report.verdict().service().isEmpty()
                                ? "Valid; judged by no rule of service (--criteria)."
                                : "Valid; every rule of service is met.";
                    case 2 -> "Invalid: this run says nothing about the service.";
                    default -> "Valid; service criteria are missed.";
                });
        html.append("</p>\n");
        report.run()
                .note("stop")
                .ifPresent(stop -> html.append("<p>Stopped: ")
                        .append(escaped(stop.path("why").asText()))
                        .append("</p>\n"));
        report.run()
                .clocks()
                .ifPresent(said ->
                        html.append("<p class=\"soft\">").append(escaped(said)).append("</p>\n"));
    }

    private void counts() {
        Figures figures = report.figures();
        html.append("<h2>Outcomes</h2>\n<p>")
                .append(figures.scheduled())
                .append(" scheduled, ")
                .append(figures.started())
                .append(" started, ")
                .append(figures.missing())
                .append(" missing</p>\n<table><tr><th>outcome</th><th class=\"n\">calls</th>"
                        + "<th class=\"n\">of all scheduled</th><th class=\"n\">of all started</th></tr>\n");
        figures.outcomes()
                .forEach((outcome, count) -> row(
                        outcome.text(),
                        Integer.toString(count),
                        percent(count, figures.scheduled()),
                        outcome.started() ? percent(count, figures.started()) : "-"));
        if (figures.missing() > 0) {
            row("missing", Integer.toString(figures.missing()), percent(figures.missing(), figures.scheduled()), "-");
        }
        html.append("</table>\n");
    }

    private static String percent(int part, int whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.2f %%", 100.0 * part / whole);
    }

    private void row(String first, String... cells) {
        html.append("<tr><td>").append(escaped(first)).append("</td>");
        for (String cell : cells) {
            html.append("<td class=\"n\">").append(escaped(cell)).append("</td>");
        }
        html.append("</tr>\n");
    }

    private void latencies() {
        Figures figures = report.figures();
        html.append(
                "<h2>Times in milliseconds</h2>\n<table><tr><th></th><th class=\"n\">n</th><th class=\"n\">avg</th>"
                        + "<th class=\"n\">p50</th><th class=\"n\">p90</th><th class=\"n\">p99</th><th class=\"n\">max</th></tr>\n");
        spread("start lateness: due to started", figures.startLateness());
        spread("response latency: " + figures.responsePopulation(), figures.responses());
        spread("answer, from when the call was due", figures.answerFromScheduled());
        spread("answer, from its actual start", figures.answerFromStart());
        spread("hand-off: last frame to first sound, beyond the webhook", figures.handOffGaps());
        if (figures.count(Outcome.TIMEOUT) > 0) {
            spread("timed out: waited at least", figures.timeoutsWaited());
        }
        if (figures.outboundWait().count() > 0) {
            spread("outbound: request to dial", figures.outboundWait());
        }
        html.append("</table>\n<table><tr><th>boundary</th><th>observed</th></tr>\n");
        Double age = Measures.queueAge(report.looks());
        pair("queue age", age == null ? "unavailable" : "at most " + Numbers.plain(age) + " s");
        int heard = figures.answerFromStart().count();
        pair("first received audio", heard == 0 ? "unavailable" : "at the socket, " + heard + " calls");
        pair("audibility", "unavailable");
        pair("task completion", "unavailable");
        pair(
                "audio gaps over 1 s",
                figures.hasTurns() ? Integer.toString(figures.gaps().size()) : "unavailable");
        pair(
                "turns with speech of a wrong generation",
                figures.hasTurns() ? Integer.toString(figures.staleTurns()) : "unavailable");
        pair(
                "utterances of a wrong persona",
                figures.hasTurns() ? Integer.toString(figures.wrongPersona()) : "unavailable");
        Costs costs = Costs.of(report.run(), figures);
        pair(
                "cost per completed call",
                costs == null || costs.perCompleted() == null
                        ? "unavailable"
                        : Numbers.plain(costs.perCompleted()) + " dollars of containers");
        html.append("</table>\n");
    }

    private void spread(String name, Spread spread) {
        row(
                name,
                Integer.toString(spread.count()),
                Numbers.plain(spread.average()),
                Numbers.plain(spread.percentile(50)),
                Numbers.plain(spread.percentile(90)),
                Numbers.plain(spread.percentile(99)),
                Numbers.plain(spread.max()));
    }

    private void pair(String name, String value) {
        html.append("<tr><td>")
                .append(escaped(name))
                .append("</td><td>")
                .append(escaped(value))
                .append("</td></tr>\n");
    }

    private void charts() {
        html.append("<h2>Over time</h2>\n<p class=\"soft\">Windows of ")
                .append(Numbers.plain(report.windows().seconds()))
                .append(" s. The dashed line is the last arrival; what follows it is recovery.</p>\n");
        chart("Offered, started, in service", "calls; in service at the end of a window")
                .with("offered", Manner.STEP, windows(window -> (double) window.offered()))
                .with("started", Manner.STEP, windows(window -> (double) window.started()))
                .with("in service", Manner.LINE, windows(window -> (double) window.inService()))
                .append(html);
        Chart outcomes = new Chart("Outcomes", "calls settled per window", seconds, lastDue);
        report.figures()
                .outcomes()
                .keySet()
                .forEach(outcome -> outcomes.with(outcome.text(), Manner.STEP, windows(window ->
                        (double) window.outcomes().getOrDefault(outcome, 0))));
        html.append(outcomes.html());
        chart("Start lateness", "ms, the longest in each window")
                .with("lateness", Manner.LINE, windows(Windows.Window::latenessMaxMs))
                .append(html);
        chart("Response latency", "ms, " + report.figures().responsePopulation() + "; the number of samples is below")
                .with("p50", Manner.LINE, windows(window -> window.responses().percentile(50)))
                .with("p90", Manner.LINE, windows(window -> window.responses().percentile(90)))
                .append(html);
        chart("Responses", "samples behind each window of the plot above")
                .with("responses", Manner.STEP, windows(window ->
                        (double) window.responses().count()))
                .append(html);
        chart("Queue age", "seconds that the oldest held call, or call out, had waited")
                .with("oldest that waits", Manner.LINE, looks(HtmlPage::age))
                .append(html);
        chart("Held calls and slots", "at each look at the inventory")
                .with("held calls", Manner.STEP, looks(inventory -> number(inventory.held())))
                .with("calls out that wait", Manner.STEP, looks(inventory -> number(inventory.waiting())))
                .with("slots in use", Manner.STEP, looks(inventory -> number(inventory.claims())))
                .with("slots there are", Manner.STEP, looks(inventory -> number(inventory.slots())))
                .with("cleanup", Manner.STEP, looks(inventory -> number(inventory.cleanup())))
                .append(html);
        chart("Containers", "at each look at the inventory")
                .with("ready", Manner.STEP, looks(inventory -> number(inventory.containers())))
                .with("starting", Manner.STEP, looks(inventory -> number(inventory.starting())))
                .append(html);
        generator();
    }

    private void generator() {
        List<Point> memory = new ArrayList<>();
        List<Point> sockets = new ArrayList<>();
        report.run().notes("generator").forEach(sample -> {
            double at = sample.path("t").doubleValue() / 1_000;
            memory.add(new Point(
                    at,
                    sample.path("residentMb").isNumber()
                            ? sample.path("residentMb").doubleValue()
                            : null));
            sockets.add(new Point(
                    at,
                    sample.path("sockets").isNumber() ? sample.path("sockets").doubleValue() : null));
        });
        chart("The generator itself", "resident memory in MB, open sockets")
                .with("resident MB", Manner.LINE, memory)
                .with("sockets", Manner.LINE, sockets)
                .append(html);
    }

    /** A chart that appends itself. */
    private record Drawn(Chart chart) {
        Drawn with(String name, Manner manner, List<Point> points) {
            chart.with(name, manner, points);
            return this;
        }

        void append(StringBuilder html) {
            html.append(chart.html());
        }
    }

    private Drawn chart(String title, String unit) {
        return new Drawn(new Chart(title, unit, seconds, lastDue));
    }

    private List<Point> windows(Function<Windows.Window, @Nullable Double> value) {
        List<Point> points = new ArrayList<>();
        for (Windows.Window window : report.windows().all()) {
            points.add(new Point(window.from(), value.apply(window)));
        }
        return points;
    }

    private List<Point> looks(Function<Inventory, @Nullable Double> value) {
        List<Point> points = new ArrayList<>();
        for (Run.Look look : report.looks()) {
            points.add(new Point(look.seconds(), value.apply(look.inventory())));
        }
        return points;
    }

    private static @Nullable Double age(Inventory inventory) {
        return inventory.queueAge();
    }

    private static @Nullable Double number(@Nullable Integer count) {
        return count == null ? null : Double.valueOf(count);
    }

    private void boundary() {
        Boundary boundary = report.boundary();
        html.append("<h2>First saturated boundary: ")
                .append(escaped(boundary.name()))
                .append("</h2>\n<table>");
        pair("evidence", boundary.evidence());
        pair("cannot tell", boundary.limits());
        pair("next experiment", boundary.next());
        html.append("</table>\n");
    }

    private void findings(String title, List<Verdict.Finding> findings) {
        html.append("<h2>").append(escaped(title)).append("</h2>\n");
        if (findings.isEmpty()) {
            html.append("<p class=\"none\">no criteria were given before the run</p>\n");
            return;
        }
        html.append(
                "<table><tr><th></th><th>measure</th><th class=\"n\">is</th><th>want</th><th>owner, rationale</th></tr>\n");
        for (Verdict.Finding finding : findings) {
            html.append("<tr><td class=\"")
                    .append(finding.met() ? "good\">met" : "bad\">missed")
                    .append("</td><td>")
                    .append(escaped(finding.rule().measure()))
                    .append("</td><td class=\"n\">")
                    .append(Numbers.plain(finding.actual()))
                    .append("</td><td class=\"w\">")
                    .append(escaped(finding.rule().bound()))
                    .append("</td><td>")
                    .append(escaped(
                            finding.rule().owner() + ": " + finding.rule().rationale()))
                    .append("</td></tr>\n");
        }
        html.append("</table>\n");
    }

    private void inventory() {
        html.append("<h2>Inventory</h2>\n");
        List<Run.Look> looks = report.looks().stream()
                .filter(look -> !look.when().equals("periodic"))
                .toList();
        if (looks.isEmpty()) {
            html.append("<p class=\"none\">unavailable</p>\n");
            return;
        }
        html.append("<table><tr><th>when</th><th class=\"n\">at</th><th>what</th></tr>\n");
        looks.forEach(look -> html.append("<tr><td>")
                .append(escaped(look.when()))
                .append("</td><td class=\"n\">")
                .append(Numbers.plain(Numbers.rounded(look.seconds(), 1)))
                .append(" s</td><td>")
                .append(escaped(look.inventory().leftOver()))
                .append("</td></tr>\n"));
        html.append("</table>\n");
    }

    private void definitions() {
        html.append("<h2>What the outcomes mean</h2>\n<table>\n");
        for (Outcome outcome : Outcome.values()) {
            pair(outcome.text(), outcome.definition());
        }
        html.append(
                "</table>\n<p class=\"soft\">Latency is of those that reached its endpoint only. Calls, turns and requests "
                        + "are populations of their own. Late speech is no transport error: such a call may have completed.</p>\n");
    }

    private void workload() {
        html.append("<h2>Workload contract</h2>\n<table>\n");
        pair("schedule, SHA-256", report.run().scheduleSha256());
        report.run().manifest().properties().forEach(entry -> {
            if (!entry.getKey().equals("scheduleSha256")) {
                pair(
                        entry.getKey(),
                        entry.getValue().isValueNode()
                                ? entry.getValue().asText()
                                : entry.getValue().toString());
            }
        });
        html.append("</table>\n");
    }
}
