package dev.spillway.operator.doctor;

import dev.spillway.operator.twilio.NumberPlan.Step;
import dev.spillway.operator.twilio.NumberPlanning.Planned;
import dev.spillway.operator.twilio.NumberSettings;
import java.util.ArrayList;
import java.util.List;

/** A tenant's numbers at Twilio, from the same plan as {@code ./spillway twilio plan}. */
final class Numbers {
    private Numbers() {}

    static List<Mismatch> against(Planned planned) {
        return switch (planned) {
            case Planned.Unknown unknown ->
                List.of(new Mismatch(
                        "tenant " + unknown.tenant(),
                        "its numbers cannot be looked at: " + unknown.reason(),
                        "its Twilio token in its secret",
                        "See infra-cdk/RUNBOOK.md, Filling in a tenant's token"));
            case Planned.Known known -> {
                List<Mismatch> found = new ArrayList<>();
                for (Step step : known.plan().steps()) {
                    String what = "number " + NumberSettings.masked(step.number()) + " of " + known.tenant();
                    switch (step) {
                        case Step.Right right -> {}
                        case Step.Missing missing ->
                            found.add(new Mismatch(
                                    what,
                                    "not in the tenant's Twilio account",
                                    "there",
                                    "Buy it there, or take it out of tenants.json"));
                        case Step.Change change ->
                            change.to()
                                    .forEach((name, value) -> found.add(new Mismatch(
                                            what,
                                            name + " " + shown(change.from().getOrDefault(name, "")),
                                            shown(value),
                                            "./spillway twilio apply --yes")));
                    }
                }
                yield found;
            }
        };
    }

    private static String shown(String value) {
        return value.isEmpty() ? "(nothing)" : value;
    }
}
