package dev.spillway.core.tenant;

import java.util.Optional;
import java.util.Set;

/**
 * Who may touch which tenant: its own callers, and operators, who may touch every one.
 *
 * @param operators from the settings
 */
public record Access(Set<Principal> operators) {
    public Access {
        operators = Set.copyOf(operators);
    }

    public boolean isOperator(Principal who) {
        return operators.contains(who);
    }

    /**
     * @param tenant empty if there is no such tenant: only operators learn that, to everybody else it is a tenant of
     *     somebody else's
     */
    public boolean mayTouch(Principal who, Optional<Tenant> tenant) {
        return isOperator(who)
                || tenant.filter(found -> found.callers().contains(who)).isPresent();
    }
}
