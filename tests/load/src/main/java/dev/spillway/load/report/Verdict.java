package dev.spillway.load.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a run is judged: first whether it asked its question, then what the service answered.
 *
 * @param validity whether the schedule was offered, all is accounted for, and the target was allowed
 * @param service what the service is to do
 */
public record Verdict(List<Finding> validity, List<Finding> service) {

    /** One rule, and what became of it. */
    public record Finding(Criteria.Rule rule, @Nullable Double actual, boolean met) {}

    static Verdict of(Run run, Map<String, @Nullable Double> measures) {
        List<Finding> validity = judged(run.criteria().validity(), measures);
        validity.add(fact(
                "targetAllowed",
                run.targetAllowed(),
                "the target is on loopback, or its owner's authorisation names it, and the run was within that"));
        validity.add(fact(
                "inputsUnchanged",
                run.scheduleIntact(),
                "schedule and criteria are those whose SHA-256 was recorded at the start"));
        validity.add(fact(
                "ended",
                run.note("end").isPresent(),
                "the generator was there until the end, and wrote its last line"));
        if (!run.startConditions().isEmpty()) {
            validity.add(fact(
                    "startConditionsMet",
                    run.startConditions().stream()
                            .allMatch(note -> note.path("met").asBoolean()),
                    "the system was in the state that the schedule wants before its first call"));
        }
        List<Finding> service = judged(run.criteria().service(), measures);
        run.note("stop")
                .ifPresent(stop -> service.add(fact(
                        "notStopped",
                        false,
                        "a stop condition was met: " + stop.path("why").asText())));
        if (run.manifest().path("adapter").path("name").asText().equals("twilio-media")
                || !run.notes("unexpected").isEmpty()) {
            service.add(fact(
                    "noUnexpectedEffects",
                    run.notes("unexpected").isEmpty(),
                    "the system did nothing to others that no arrival asked for, from the start to the last line"));
        }
        Optional<Boolean> reached =
                run.note("recovery").map(note -> note.path("reached").asBoolean());
        reached.ifPresent(yes -> service.add(
                fact("baselineReached", yes, "after the quiet time nothing is left of the calls that were offered")));
        run.note("end")
                .map(end -> end.path("leftOver"))
                .filter(left -> left.isNumber() && left.asInt() > 0)
                .ifPresent(left -> service.add(new Finding(
                        new Criteria.Rule(
                                "leftOverOperations",
                                0.0,
                                null,
                                "spillway load",
                                "what was told to end has ended when the time for cleaning up is over"),
                        Double.valueOf(left.asInt()),
                        false)));
        run.probe() // the worst
                .ifPresent(probe -> service.add(fact(
                        "probeAnswered",
                        probe.outcome() == dev.spillway.load.ledger.Outcome.COMPLETED,
                        "after the run one more call goes through the voice path; a health check proves less")));
        return new Verdict(List.copyOf(validity), List.copyOf(service));
    }

    private static List<Finding> judged(List<Criteria.Rule> rules, Map<String, @Nullable Double> measures) {
        List<Finding> findings = new ArrayList<>();
        for (Criteria.Rule rule : rules) {
            Double actual = measures.get(rule.measure());
            findings.add(new Finding(rule, actual, rule.isMetBy(actual)));
        }
        return findings;
    }

    private static Finding fact(String name, boolean holds, String rationale) {
        return new Finding(new Criteria.Rule(name, null, 1.0, "spillway load", rationale), holds ? 1.0 : 0.0, holds);
    }

    public boolean valid() {
        return validity.stream().allMatch(Finding::met);
    }

    /** The first rule of validity that is missed, in words, leaving that measure aside; empty if all others are met. */
    public Optional<String> invalidBut(String measure) {
        return validity.stream()
                .filter(finding -> !finding.met())
                .filter(finding -> !finding.rule().measure().equals(measure))
                .map(finding -> finding.rule().measure() + " is " + finding.actual() + ", want "
                        + finding.rule().bound())
                .findFirst();
    }

    public boolean serviceMet() {
        return service.stream().allMatch(Finding::met);
    }

    /** 0 good, 2 an invalid run, 3 service criteria missed. A run that is invalid says nothing about the service. */
    public int exitCode() {
        return valid() ? serviceMet() ? 0 : 3 : 2;
    }
}
