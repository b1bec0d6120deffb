package dev.spillway.load.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.ledger.Evidence.CallSeen;
import dev.spillway.load.ledger.Evidence.Request;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** report.json. Null, or the word "unavailable", is what was not observed. */
final class ReportJson {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String UNAVAILABLE = "unavailable";

    private final Report report;
    private final Figures figures;
    private final Run run;

    ReportJson(Report report) {
        this.report = report;
        this.figures = report.figures();
        this.run = report.run();
    }

    ObjectNode node() {
        ObjectNode node = JSON.createObjectNode();
        node.put("report", 1);
        node.put("schedule", run.schedule().name())
                .put("question", run.schedule().question());
        node.put("scheduleSha256", run.scheduleSha256());
        node.put("scheduled", figures.scheduled()).put("started", figures.started());
        ObjectNode outcomes = node.putObject("outcomes");
        figures.outcomes().forEach((outcome, count) -> outcomes.put(outcome.text(), count));
        node.put("missing", figures.missing());
        node.put("missingStarted", missingStarted());
        node.put("valid", report.verdict().valid());
        node.put("serviceMet", report.verdict().serviceMet());
        node.put("exitCode", report.verdict().exitCode());
        node.put(
                "stopped",
                run.note("stop").map(note -> note.path("why").asText()).orElse(null));
        figures.startLateness().write(node.putObject("startLatenessMs"));
        ObjectNode responses = node.putObject("responseLatencyMs");
        figures.responses().write(responses);
        responses.put("population", figures.responsePopulation());
        responses.put(
                "endpoint", run.manifest().path("adapter").path("endpoint").asText());
        answers(node.putObject("answerTimeMs"));
        figures.timeoutsWaited().write(node.putObject("timeoutsWaitedAtLeastMs"));
        denominators(node.putObject("shares"));
        populations(node.putObject("populations"));
        audio(node.putObject("audio"));
        fixed(node.putObject("boundaries"));
        ArrayNode validity = node.putArray("validity");
        report.verdict().validity().forEach(finding -> validity.add(finding(finding)));
        ArrayNode service = node.putArray("service");
        report.verdict().service().forEach(finding -> service.add(finding(finding)));
        Boundary boundary = report.boundary();
        node.putObject("firstSaturatedBoundary")
                .put("name", boundary.name())
                .put("atSeconds", boundary.seconds() < 0 ? null : Numbers.rounded(boundary.seconds(), 3))
                .put("evidence", boundary.evidence())
                .put("limits", boundary.limits())
                .put("next", boundary.next());
        recovery(node.putObject("recovery"));
        inventories(node);
        Costs costs = Costs.of(run, figures);
        if (costs == null) {
            node.put("cost", UNAVAILABLE);
        } else {
            costs.write(node.putObject("cost"));
        }
        Generators.of(run)
                .write(
                        node.putObject("generator"),
                        run.manifest().path("cores").isNumber()
                                ? Integer.valueOf(run.manifest().path("cores").asInt())
                                : null);
        system(node);
        counters(node.putArray("counters"));
        windows(node.putObject("windows"));
        node.set("workload", run.manifest());
        ObjectNode definitions = node.putObject("definitions");
        for (Outcome outcome : Outcome.values()) {
            definitions.put(outcome.text(), outcome.definition());
        }
        return node;
    }

    /** Rows that are missing of arrivals that are known to have started. */
    private int missingStarted() {
        return (int) run.started().keySet().stream()
                .filter(id -> figures.rows().stream().noneMatch(row -> row.id() == id))
                .limit(figures.missing())
                .count();
    }

    private void answers(ObjectNode to) {
        figures.answerFromScheduled().write(to.putObject("fromScheduledArrival"));
        figures.answerFromStart().write(to.putObject("fromActualStart"));
    }

    private void denominators(ObjectNode to) {
        ObjectNode ofScheduled = to.putObject("ofScheduled");
        ObjectNode ofStarted = to.putObject("ofStarted");
        figures.outcomes().forEach((outcome, count) -> {
            ofScheduled.put(outcome.text(), Numbers.rounded((double) count / figures.scheduled(), 6));
            if (outcome.started()) {
                ofStarted.put(outcome.text(), Numbers.rounded((double) count / figures.started(), 6));
            }
        });
        if (figures.missing() > 0) {
            ofScheduled.put("missing", Numbers.rounded((double) figures.missing() / figures.scheduled(), 6));
        }
    }

    private void populations(ObjectNode to) {
        long retries = run.schedule().arrivals().stream()
                .filter(arrival -> arrival.retryOf() != null)
                .count();
        to.putObject("arrivals")
                .put("scheduled", figures.scheduled())
                .put("newCallers", figures.scheduled() - retries)
                .put("retries", retries);
        if (!figures.hasTurns()) {
            to.put("calls", UNAVAILABLE).put("turns", UNAVAILABLE);
        } else {
            List<CallSeen> calls = figures.calls();
            to.putObject("calls")
                    .put("seen", calls.size())
                    .put(
                            "moved",
                            calls.stream().filter(call -> call.moves() > 0).count())
                    .put(
                            "framesSent",
                            calls.stream().mapToLong(CallSeen::framesSent).sum())
                    .put("framesLateShare", Numbers.rounded(figures.framesLateShare(), 6))
                    .set("ends", counts(calls.stream().map(CallSeen::end).toList()));
            ObjectNode turns = to.putObject("turns");
            turns.put("taken", figures.turns().size())
                    .put("answered", figures.responses().count())
                    .put("unanswered", figures.unansweredTurns())
                    .put(
                            "repeated",
                            figures.turns().stream()
                                    .filter(turn -> turn.repeats() > 0)
                                    .count());
            Map<String, List<Long>> byManner = new TreeMap<>();
            figures.turns().forEach(turn -> {
                List<Long> answers = byManner.computeIfAbsent(turn.manner(), any -> new ArrayList<>());
                if (turn.spoken() != null && turn.answered() != null) {
                    answers.add(turn.answered() - turn.spoken());
                }
            });
            ObjectNode manners = turns.putObject("responseLatencyMsByManner");
            byManner.forEach((manner, nanos) -> Spread.of(nanos).write(manners.putObject(manner)));
            figures.outboundWait().write(to.putObject("outboundWaitMs"));
        }
        Map<String, List<Request>> byName = figures.requests().stream()
                .collect(Collectors.groupingBy(Request::name, TreeMap::new, Collectors.toList()));
        ObjectNode requests = to.putObject("dependencyOperations");
        byName.forEach((name, list) -> {
            ObjectNode one = requests.putObject(name);
            one.put("count", list.size());
            one.put(
                    "answeredOk",
                    list.stream().filter(request -> request.status() / 100 == 2).count());
            one.set(
                    "statuses",
                    counts(list.stream()
                            .map(request -> Integer.toString(request.status()))
                            .toList()));
            Spread.of(list.stream().map(Request::nanos).toList()).write(one.putObject("tookMs"));
        });
    }

    private static ObjectNode counts(List<String> names) {
        ObjectNode node = JSON.createObjectNode();
        names.stream()
                .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()))
                .forEach(node::put);
        return node;
    }

    private void audio(ObjectNode to) {
        if (!figures.hasTurns()) {
            to.put("handOffGapMs", UNAVAILABLE)
                    .put("gapsOverOneSecond", UNAVAILABLE)
                    .put("wrongGenerationTurns", UNAVAILABLE)
                    .put("wrongPersonaUtterances", UNAVAILABLE);
            return;
        }
        if (figures.handOffGaps().count() == 0) {
            to.put("handOffGapMs", UNAVAILABLE);
        } else {
            figures.handOffGaps().write(to.putObject("handOffGapMs"));
        }
        to.put("gapsOverOneSecond", figures.gaps().size());
        figures.gapLengths().write(to.putObject("gapMs"));
        to.put("wrongGenerationTurns", figures.staleTurns());
        to.put("wrongPersonaUtterances", figures.wrongPersona());
        to.put("note", "counted apart from transport errors: such a call may have completed");
    }

    private void fixed(ObjectNode to) {
        Double age = Measures.queueAge(report.looks());
        if (age == null) {
            to.put("queueAge", UNAVAILABLE);
        } else {
            to.put(
                    "queueAge",
                    "at most " + Numbers.plain(age) + " s, of held calls and calls out, at "
                            + report.looks().size() + " looks");
        }
        Spread heard = figures.answerFromStart();
        if (heard.count() == 0) {
            to.put("firstReceivedAudio", UNAVAILABLE);
        } else {
            to.put("firstReceivedAudio", "observed at the socket for " + heard.count() + " calls");
        }
        to.put("audibility", UNAVAILABLE).put("taskCompletion", UNAVAILABLE);
    }

    private static ObjectNode finding(Verdict.Finding finding) {
        ObjectNode node = JSON.createObjectNode();
        node.put("measure", finding.rule().measure())
                .put("most", finding.rule().most())
                .put("least", finding.rule().least())
                .put("actual", Numbers.rounded(finding.actual(), 6))
                .put("met", finding.met())
                .put("owner", finding.rule().owner())
                .put("rationale", finding.rule().rationale());
        return node;
    }

    private void recovery(ObjectNode to) {
        double lastDue = run.schedule().lastAt() / run.speed();
        to.put("lastArrivalAtSeconds", Numbers.rounded(lastDue, 3));
        to.put("lastOperationEndedAfterSeconds", Numbers.rounded(figures.end() / 1e9 - lastDue, 3));
        Optional<JsonNode> note = run.note("recovery");
        if (note.isPresent()) {
            to.put("baselineReached", note.get().path("reached").asBoolean());
            to.set("baselineAfterSeconds", note.get().path("seconds"));
            to.set("left", note.get().path("left"));
        } else {
            to.put("baselineReached", UNAVAILABLE);
        }
        ArrayNode conditions = to.putArray("startConditions");
        run.notes("start-condition")
                .forEach(condition -> conditions
                        .addObject()
                        .put("condition", condition.path("condition").asText())
                        .put("state", condition.path("state").asText())
                        .put("met", condition.path("met").asBoolean()));
        Row probe = run.probe().orElse(null);
        if (probe == null) {
            to.put("probe", UNAVAILABLE);
        } else {
            to.putObject("probe")
                    .put("outcome", probe.outcome().text())
                    .put("detail", probe.detail())
                    .put("firstAudioMs", audioAfter(probe));
        }
        to.set(
                "leftOverOperations",
                run.note("end").map(end -> end.path("leftOver")).orElse(null));
    }

    private static @Nullable Double audioAfter(Row probe) {
        return probe.firstAudio() == null || probe.started() == null
                ? null
                : Double.valueOf(Spread.millis((double) (probe.firstAudio() - probe.started())));
    }

    private void system(ObjectNode node) {
        JsonNode start = run.system("start").orElse(null);
        if (start == null) {
            node.put("system", UNAVAILABLE);
            return;
        }
        ObjectNode system = node.putObject("system");
        system.set("atStart", start);
        JsonNode end = run.system("end").orElse(null);
        if (end == null) {
            system.put("atEnd", UNAVAILABLE);
        } else if (end.equals(start)) {
            system.put("atEnd", "as at the start");
        } else {
            system.set("atEnd", end);
        }
    }

    private void inventories(ObjectNode node) {
        List<Run.Look> kept = report.looks().stream()
                .filter(look -> !look.when().equals("periodic"))
                .toList();
        if (kept.isEmpty()) {
            node.put("inventory", UNAVAILABLE);
            return;
        }
        ArrayNode inventory = node.putArray("inventory");
        kept.forEach(look -> {
            ObjectNode one = inventory.addObject();
            one.put("atSeconds", look.seconds()).put("when", look.when());
            look.inventory().write(one);
        });
    }

    private void counters(ArrayNode to) {
        Map<String, List<CounterSample>> series = new TreeMap<>();
        for (Run.Look look : report.looks()) {
            String receiver = look.inventory().receiver();
            Long value = look.inventory().decisions();
            if (receiver != null && value != null) {
                series.computeIfAbsent("desired-count changes of " + receiver, any -> new ArrayList<>())
                        .add(new CounterSample(receiver, Math.round(look.seconds() * 1_000), value));
            }
        }
        for (JsonNode sample : run.notes("generator")) {
            if (!sample.path("gcCount").isNumber()) {
                continue;
            }
            series.computeIfAbsent(
                            "generator gc pauses of " + sample.path("receiver").asText("unnamed"),
                            any -> new ArrayList<>())
                    .add(new CounterSample(
                            sample.path("receiver").asText("unnamed"),
                            sample.path("t").asLong(),
                            sample.path("gcCount").asLong()));
        }
        series.forEach((name, samples) -> {
            for (CounterSpan span : CounterSpan.join(samples)) {
                to.addObject()
                        .put("counter", name)
                        .put("receiver", span.first().receiver())
                        .put("fromMs", span.first().atMillis())
                        .put("toMs", span.last().atMillis())
                        .put("first", span.first().value())
                        .put("last", span.last().value())
                        .put("delta", span.delta());
            }
        });
    }

    private void windows(ObjectNode to) {
        to.put("seconds", report.windows().seconds());
        ArrayNode list = to.putArray("list");
        for (Windows.Window window : report.windows().all()) {
            ObjectNode one = list.addObject();
            one.put("from", window.from())
                    .put("offered", window.offered())
                    .put("started", window.started())
                    .put("inService", window.inService())
                    .put("startLatenessMaxMs", window.latenessMaxMs())
                    .put("responses", window.responses().count())
                    .put("responseP50Ms", window.responses().percentile(50))
                    .put("responseP90Ms", window.responses().percentile(90));
            ObjectNode outcomes = one.putObject("outcomes");
            window.outcomes().forEach((outcome, count) -> outcomes.put(outcome.text(), count));
        }
    }
}
