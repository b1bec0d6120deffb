package dev.spillway.load.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.report.Costs;
import dev.spillway.load.report.Figures;
import dev.spillway.load.report.Report;
import dev.spillway.load.report.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Two runs of one schedule beside each other.
 *
 * @param refusals why they cannot be compared; empty if they can
 * @param changes the policies that differ
 * @param warnings what would mislead
 * @param lines the figures
 */
public record Comparison(List<String> refusals, List<String> changes, List<String> warnings, List<String> lines) {
    /** A change of the share of refusals below this is noise; a guess. */
    private static final double NOISE = 0.005;

    /** What may differ between two runs of the same thing. */
    private static final List<String> POLICY_KEYS =
            List.of("maxInFlight", "timeoutSeconds", "quietSeconds", "stop", "start", "criteriaSha256");

    public static Comparison of(Report before, Report after) {
        JsonNode a = before.run().manifest();
        JsonNode b = after.run().manifest();
        List<String> refusals = new ArrayList<>();
        if (!before.run().scheduleSha256().equals(after.run().scheduleSha256())) {
            refusals.add("their schedules differ: " + before.run().scheduleSha256() + " and "
                    + after.run().scheduleSha256());
        }
        if (!text(a, "adapter", "endpoint").equals(text(b, "adapter", "endpoint"))) {
            refusals.add("their responses are measured at different endpoints: " + text(a, "adapter", "endpoint")
                    + ", and " + text(b, "adapter", "endpoint"));
        }
        if (!definitions(a).equals(definitions(b))) {
            refusals.add("their outcomes are defined differently");
        }
        if (a.path("speed").asDouble(1) != b.path("speed").asDouble(1)) {
            refusals.add("their schedules were offered at different speeds, which is different work: "
                    + a.path("speed").asDouble(1) + " and " + b.path("speed").asDouble(1));
        }
        if (!states(before).equals(states(after))) {
            refusals.add("they started from different states: " + states(before) + " and " + states(after));
        }
        if (!before.verdict().valid() || !after.verdict().valid()) {
            refusals.add((before.verdict().valid() ? "the second" : "the first") + " run is invalid");
        }
        List<String> changes = changes(a, b, system(before), system(after));
        return new Comparison(refusals, changes, warnings(before, after), lines(before, after));
    }

    private static String text(JsonNode node, String key, String inner) {
        return node.path(key).path(inner).asText();
    }

    private static String definitions(JsonNode manifest) {
        return manifest.path("definitionsSha256").asText();
    }

    /** What the schedule wanted at the start, and what came of it. */
    private static List<String> states(Report report) {
        return report.run().startConditions().stream()
                .map(note -> note.path("condition").asText()
                        + (note.path("met").asBoolean() ? " as wanted" : " not as wanted"))
                .toList();
    }

    /** Null if the system did not say how it was set up. */
    private static @Nullable JsonNode system(Report report) {
        return report.run().system("start").orElse(null);
    }

    private static List<String> changes(
            JsonNode a, JsonNode b, @Nullable JsonNode systemA, @Nullable JsonNode systemB) {
        List<String> changes = new ArrayList<>();
        if (systemA != null && systemB != null) {
            observed(changes, "system", systemA, systemB);
        }
        boolean seen = !changes.isEmpty(); // then what was only said of the policies is said of the same change
        for (String key : POLICY_KEYS) {
            changed(changes, key, a.path(key), b.path(key));
        }
        for (String section : List.of("policies")) {
            TreeSet<String> names = new TreeSet<>();
            a.path(section).fieldNames().forEachRemaining(names::add);
            b.path(section).fieldNames().forEachRemaining(names::add);
            names.stream()
                    .filter(name -> !seen)
                    .forEach(name -> changed(
                            changes,
                            section + "." + name,
                            a.path(section).path(name),
                            b.path(section).path(name)));
        }
        changed(
                changes,
                "adapter.settings",
                a.path("adapter").path("settings"),
                b.path("adapter").path("settings"));
        changed(changes, "revision", a.path("revision"), b.path("revision"));
        return changes;
    }

    /** Down to single values, so that each policy that differs is one change. */
    private static void observed(List<String> changes, String name, JsonNode a, JsonNode b) {
        if (a.isObject() && b.isObject()) {
            TreeSet<String> keys = new TreeSet<>();
            a.fieldNames().forEachRemaining(keys::add);
            b.fieldNames().forEachRemaining(keys::add);
            keys.remove("revisions"); // of containers that happened to be there; a pool at zero has none
            keys.forEach(key -> observed(changes, name + "." + key, a.path(key), b.path(key)));
        } else {
            changed(changes, name, a, b);
        }
    }

    /** A local stack has other ports at every start; that is no change of anything. */
    private static String withoutPorts(JsonNode node) {
        return node.toString().replaceAll("(127\\.0\\.0\\.1|localhost|\\[::1\\]):[0-9]+", "$1");
    }

    private static void changed(List<String> changes, String name, JsonNode a, JsonNode b) {
        if (!withoutPorts(a).equals(withoutPorts(b))) {
            changes.add(name + ": " + shown(a) + " -> " + shown(b));
        }
    }

    private static String shown(JsonNode node) {
        return node.isMissingNode() ? "not said" : node.toString();
    }

    private static List<String> warnings(Report before, Report after) {
        List<String> warnings = new ArrayList<>();
        Figures a = before.figures();
        Figures b = after.figures();
        Double slow = a.responses().percentile(90);
        Double fast = b.responses().percentile(90);
        boolean faster = slow != null && fast != null && fast < slow;
        double refusedMore = refusedShare(b) - refusedShare(a);
        if (faster && refusedMore > NOISE) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "latency fell while %.1f %% more of the started calls were refused: the second run is faster for fewer",
                    100 * refusedMore));
        }
        if (faster && b.started() < a.started()) {
            warnings.add("latency fell while fewer calls were started: " + a.started() + " and " + b.started());
        }
        if (b.incorrect() > a.incorrect()) {
            warnings.add("there are more correctness failures: " + a.incorrect() + " and " + b.incorrect());
        }
        return warnings;
    }

    private static double refusedShare(Figures figures) {
        return figures.started() == 0 ? 0 : (double) figures.count(Outcome.REJECTED) / figures.started();
    }

    private static List<String> lines(Report before, Report after) {
        List<String> lines = new ArrayList<>();
        Figures a = before.figures();
        Figures b = after.figures();
        lines.add(String.format(Locale.ROOT, "%-42s %14s %14s %14s", "", "first", "second", "change"));
        count(lines, "scheduled", a.scheduled(), b.scheduled());
        count(lines, "started", a.started(), b.started());
        for (Outcome outcome : Outcome.values()) {
            if (a.count(outcome) + b.count(outcome) > 0) {
                count(lines, outcome.text(), a.count(outcome), b.count(outcome));
            }
        }
        figure(
                lines,
                "start lateness p99 ms",
                a.startLateness().percentile(99),
                b.startLateness().percentile(99));
        spread(lines, "response latency", a.responses(), b.responses());
        spread(lines, "answer from due", a.answerFromScheduled(), b.answerFromScheduled());
        before.measures().forEach((name, value) -> {
            if (name.equals("gapsPerCall") || name.equals("queueAgeMaxSeconds") || name.equals("recoverySeconds")) {
                figure(lines, name, value, after.measures().get(name));
            }
        });
        figure(lines, "dollars per completed call", perCall(before), perCall(after));
        lines.add("first limit: " + before.boundary().name() + ", then "
                + after.boundary().name());
        return lines;
    }

    private static @Nullable Double perCall(Report report) {
        Costs costs = Costs.of(report.run(), report.figures());
        return costs == null ? null : costs.perCompleted();
    }

    private static void spread(List<String> lines, String name, Spread a, Spread b) {
        count(lines, name + " samples", a.count(), b.count());
        figure(lines, name + " p50 ms", a.percentile(50), b.percentile(50));
        figure(lines, name + " p90 ms", a.percentile(90), b.percentile(90));
        figure(lines, name + " p99 ms", a.percentile(99), b.percentile(99));
    }

    private static void count(List<String> lines, String name, int a, int b) {
        figure(lines, name, (double) a, (double) b);
    }

    private static void figure(List<String> lines, String name, @Nullable Double a, @Nullable Double b) {
        String change = a == null || b == null ? "unavailable" : shown(b - a, true);
        lines.add(String.format(Locale.ROOT, "%-42s %14s %14s %14s", name, shown(a, false), shown(b, false), change));
    }

    private static String shown(@Nullable Double value, boolean signed) {
        if (value == null) {
            return "unavailable";
        }
        String format = value == Math.rint(value) ? "%.0f" : Math.abs(value) < 0.1 ? "%.6f" : "%.3f";
        return String.format(Locale.ROOT, signed ? format.replace("%", "%+") : format, value);
    }
}
