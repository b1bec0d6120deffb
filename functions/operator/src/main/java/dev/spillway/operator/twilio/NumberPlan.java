package dev.spillway.operator.twilio;

import dev.spillway.core.tenant.TenantId;
import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What has to change at Twilio so that a tenant's numbers are as the deployment says. */
public record NumberPlan(TenantId tenant, List<Step> steps) {
    /** For one number. */
    public sealed interface Step {
        String number();

        /** From what to what, by the names of Twilio's parameters. */
        record Change(String sid, String number, Map<String, String> from, Map<String, String> to) implements Step {}

        /** It is not in the tenant's Twilio account. */
        record Missing(String number) implements Step {}

        record Right(String number) implements Step {}
    }

    public NumberPlan {
        steps = List.copyOf(steps);
    }

    /** @param found the numbers of the tenant's Twilio account */
    public static NumberPlan of(DeploymentFiles files, TenantEntry tenant, List<NumberSettings> found) {
        Map<String, String> wanted = NumberSettings.wanted(files, tenant.id());
        List<Step> steps = new ArrayList<>();
        for (String number : tenant.numbers()) {
            steps.add(found.stream()
                    .filter(one -> one.number().equals(number))
                    .findFirst()
                    .map(one -> step(one, wanted))
                    .orElseGet(() -> new Step.Missing(number)));
        }
        return new NumberPlan(tenant.id(), steps);
    }

    private static Step step(NumberSettings found, Map<String, String> wanted) {
        Map<String, String> from = new LinkedHashMap<>();
        Map<String, String> to = new LinkedHashMap<>();
        wanted.forEach((name, value) -> {
            String now = found.values().getOrDefault(name, "");
            if (!now.equals(value)) {
                from.put(name, now);
                to.put(name, value);
            }
        });
        return to.isEmpty() ? new Step.Right(found.number()) : new Step.Change(found.sid(), found.number(), from, to);
    }

    boolean isDone() {
        return steps.stream().allMatch(step -> step instanceof Step.Right);
    }

    /** Without phone numbers. */
    @Override
    public String toString() {
        return "NumberPlan[" + tenant + "]";
    }
}
