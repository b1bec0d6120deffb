package dev.spillway.load.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * By what a run is judged, written before it: whether it offered its schedule (validity), and whether the service did what
 * it is to do (service).
 */
public record Criteria(List<Rule> validity, List<Rule> service) {
    private static final Set<String> KEYS = Set.of("owner", "rationale", "validity", "service");
    private static final Set<String> RULE = Set.of("measure", "most", "least", "owner", "rationale");
    private static final String TOOL = "spillway load";

    /**
     * A decision rule, not a fact.
     *
     * @param measure one of {@link Measures#NAMES}
     * @param most the largest value that is good; null for no such bound
     * @param least the smallest one; null for no such bound
     * @param ifObserved whether it is met by what was not observed: the tool's own rules on what a run may not have
     * @param owner who decided it
     * @param rationale why
     */
    public record Rule(
            String measure,
            @Nullable Double most,
            @Nullable Double least,
            boolean ifObserved,
            String owner,
            String rationale) {
        Rule(String measure, @Nullable Double most, @Nullable Double least, String owner, String rationale) {
            this(measure, most, least, false, owner, rationale);
        }

        /** What is not observed meets no rule that wants it observed. */
        boolean isMetBy(@Nullable Double value) {
            return value == null ? ifObserved : (most == null || value <= most) && (least == null || value >= least);
        }

        /** In words. */
        public String bound() {
            return (least == null ? "" : "at least " + Numbers.plain(least))
                    + (least != null && most != null ? ", " : "")
                    + (most == null ? "" : "at most " + Numbers.plain(most));
        }
    }

    /** Fidelity to the schedule, which every run is held to that was given no rules of its own for it. */
    public static final Criteria NONE_GIVEN = new Criteria(
            List.of(
                    atMost("missingRows", 0, "every scheduled arrival has a row, or the denominators are wrong"),
                    atMost("generatorDropped", 0, "a generator that drops arrivals offers another workload"),
                    atMost("notAttempted", 0, "a run that was stopped has not asked its question"),
                    atMost(
                            "startLatenessP99Ms",
                            100,
                            "arrivals that are smeared over more than a tenth of a second are no burst any more"),
                    atMost(
                            "framesLateShare",
                            0.01,
                            "audio that the generator itself delays would be taken for the service's gaps")),
            List.of());

    private static Rule atMost(String measure, double most, String rationale) {
        return new Rule(measure, most, null, true, TOOL, rationale);
    }

    /** @throws IOException if they are none, with every reason */
    public static Criteria read(byte[] json) throws IOException {
        JsonNode node = new ObjectMapper().readTree(json);
        List<String> faults = new ArrayList<>();
        node.fieldNames().forEachRemaining(key -> {
            if (!KEYS.contains(key)) {
                faults.add("unknown key '" + key + "'");
            }
        });
        List<Rule> validity =
                node.has("validity") ? rules(node, "validity", faults) : new ArrayList<>(NONE_GIVEN.validity());
        if (validity.stream().noneMatch(rule -> rule.measure().equals("missingRows"))) {
            validity.addFirst(NONE_GIVEN.validity().getFirst()); // accounting is nobody's choice
        }
        List<Rule> service = rules(node, "service", faults);
        if (!faults.isEmpty()) {
            throw new IOException("no criteria: " + String.join("; ", faults));
        }
        return new Criteria(List.copyOf(validity), List.copyOf(service));
    }

    private static List<Rule> rules(JsonNode node, String key, List<String> faults) {
        List<Rule> rules = new ArrayList<>();
        for (JsonNode one : node.path(key)) {
            String measure = one.path("measure").asText();
            String where = key + "[" + rules.size() + "]";
            one.fieldNames().forEachRemaining(name -> {
                if (!RULE.contains(name)) {
                    faults.add(where + " has an unknown key '" + name + "'");
                }
            });
            if (!Measures.NAMES.containsKey(measure)) {
                faults.add(where + " names the measure '" + measure + "'; the measures are "
                        + String.join(", ", Measures.NAMES.keySet()));
            }
            Double most = number(one, "most");
            Double least = number(one, "least");
            if (most == null && least == null) {
                faults.add(where + " has neither most nor least");
            }
            String owner = one.path("owner").asText(node.path("owner").asText());
            String rationale =
                    one.path("rationale").asText(node.path("rationale").asText());
            if (owner.isBlank() || rationale.isBlank()) {
                faults.add(where + " has no owner or no rationale");
            }
            rules.add(new Rule(measure, most, least, owner, rationale));
        }
        return rules;
    }

    private static @Nullable Double number(JsonNode node, String key) {
        JsonNode value = node.path(key);
        return value.isNumber() ? Double.valueOf(value.doubleValue()) : null;
    }
}
