package dev.spillway.infra;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Every tenant of the deployment. */
record TenantsFile(@JsonProperty("$schema") @Nullable String schema, List<TenantPlan> tenants) {
    /**
     * A load balancer has 100 rules beside its default one unless the quota is raised, and forwards to 100 target groups
     * at most, which no quota raises (Quotas for your Application Load Balancers). The gateway takes one of each.
     */
    static final int MOST_TENANTS = 99;

    TenantsFile {
        tenants = tenants == null ? List.of() : List.copyOf(tenants);
        List<String> problems = new ArrayList<>();
        if (tenants.size() > MOST_TENANTS) {
            problems.add(tenants.size() + " tenants are too many for one load balancer: " + MOST_TENANTS
                    + " and the gateway use up its 100 target groups; put the other " + (tenants.size() - MOST_TENANTS)
                    + " into a second deployment, with a name and a domain of its own");
        }
        Map<String, TenantPlan> ids = new HashMap<>();
        Map<String, TenantPlan> numbers = new HashMap<>();
        Map<Integer, TenantPlan> priorities = new HashMap<>();
        for (TenantPlan plan : tenants) {
            if (ids.put(plan.id(), plan) != null) {
                problems.add("tenant " + plan.id() + " is there twice");
                continue;
            }
            for (String number : plan.numbers()) {
                TenantPlan other = numbers.put(number, plan);
                if (other != null) {
                    problems.add("tenants " + other.id() + " and " + plan.id()
                            + " have a number in common, the one ending in " + number.substring(number.length() - 2));
                }
            }
            TenantPlan other = priorities.put(plan.rulePriority(), plan);
            if (other != null) {
                problems.add("the rules of tenants " + other.id() + " and " + plan.id() + " would both have priority "
                        + plan.rulePriority() + ": give " + plan.id() + " a \"priority\" of its own, from 1 to 999");
            }
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }
}
