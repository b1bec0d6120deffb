package dev.spillway.lambda;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.spillway.adapters.journal.PhoneNumbers;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.console.Console;
import dev.spillway.core.console.Told;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer of {@code GET /console/state}: all that the console's page shows. Instants are ISO-8601 in UTC. Nothing in it
 * tells who called whom.
 *
 * @param pool as {@code GET /pools/{tenant}} answers, but that ECS is not asked
 * @param gatewayContainers the shared pool's containers, whoever's calls they have; only for operators
 * @param decisions the newest first
 * @param since {@code attempts} counts those that arrived from here on, until {@code pool.at}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ConsoleState(
        PoolStatus pool,
        @Nullable List<PoolStatus.ContainerStatus> gatewayContainers,
        List<Decision> decisions,
        String since,
        AttemptsAnswer.Summary attempts) {

    /**
     * One decision.
     *
     * @param subject what {@code about} names: a pool, a container, a pool by an operator's order, or a call (or job)
     * @param where which container or pool a call was sent to
     * @param cause why a call found no slot
     * @param times how often in a row, the last time at {@code at}; left out for what happened once
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Decision(
            String at,
            String subject,
            String about,
            String what,
            @Nullable String where,
            @Nullable String cause,
            String reason,
            @Nullable Integer times) {
        /** An order's reason is what somebody typed. */
        static Decision of(Told told) {
            return new Decision(
                    told.at().toString(),
                    told.subject().text(),
                    told.about(),
                    told.what(),
                    told.where(),
                    Optional.ofNullable(told.cause()).map(Cause::text).orElse(null),
                    PhoneNumbers.masked(told.reason()),
                    told.times() == 1 ? null : told.times());
        }
    }

    static ConsoleState of(
            PoolStatus pool, @Nullable List<PoolStatus.ContainerStatus> gatewayContainers, Console console) {
        return new ConsoleState(
                pool,
                gatewayContainers,
                console.decisions().stream().map(Decision::of).toList(),
                console.since().toString(),
                AttemptsAnswer.Summary.of(console.attempts()));
    }

    /** The answer of {@code GET /console/tenants}. */
    record TenantList(List<String> tenants) {}
}
