package dev.spillway.lambda;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.spillway.core.pool.Gauges;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer of {@code GET /pools/{tenant}}. Instants are ISO-8601 in UTC; an instant that never was is left out.
 *
 * @param at when it was read
 * @param orders of operators, those that are in force
 * @param starting containers that are on their way and not overdue
 * @param slots the pool's slots, as {@link Gauges} says
 * @param controller only while the pool's background work does not run
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record PoolStatus(
        String pool,
        String at,
        Policy policy,
        List<OrderView> orders,
        List<ContainerStatus> containers,
        List<Held> held,
        Desired desired,
        Ecs ecs,
        int starting,
        Gauges slots,
        Launches launches,
        LastDecision lastDecision,
        @Nullable Controller controller,
        @Nullable Gateway gateway) {

    record Policy(int minimum, int maximum, int limit, String scaleOut, String scaleIn) {}

    /**
     * @param alive whether a heartbeat was heard within the expiry
     * @param claims how many claims are in each phase
     */
    record ContainerStatus(
            String id,
            String state,
            String stateReason,
            String since,
            boolean alive,
            String revision,
            Slots slots,
            Map<String, Integer> claims,
            String lastHeartbeat) {}

    record Slots(int used, int limit) {}

    /**
     * A call of this tenant's that is on the gateway; the gateway, which holds everybody's, lists none as its own.
     *
     * @param seconds since it first asked for a slot
     * @param offered whether a slot in the tenant's pool waits for it
     */
    record Held(String callSid, double seconds, boolean offered) {}

    /** What the table wants of ECS; {@code version} rises with every change. */
    record Desired(int count, long version) {}

    /** What ECS has, or why it could not be asked: then only {@code error} is there. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Ecs(
            @Nullable Integer desired,
            @Nullable Integer running,
            @Nullable Integer pending,
            @Nullable Boolean deploying,
            @Nullable String revision,
            @Nullable String error) {}

    /**
     * How launches go.
     *
     * @param failures launches in a row that stopped before READY, as the reconciler counted them
     * @param backOffUntil nothing is asked for before then
     * @param missing containers that are wanted and have not become READY
     * @param since when the last container was asked for
     * @param overdue whether the missing ones have passed the launch deadline of {@code deadlineSeconds}
     * @param lastStoppedReason why the newest task that never became READY stopped, with ECS's code
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Launches(
            int failures,
            @Nullable String backOffUntil,
            int missing,
            String since,
            boolean overdue,
            long deadlineSeconds,
            @Nullable String lastStoppedReason) {}

    /** Why the count is what it is. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record LastDecision(
            String what, String reason, @Nullable String at) {}

    /** @param silentSince the last complete visit of background work */
    record Controller(String silentSince) {}

    /** The shared pool: the slots of its live containers, and how many are free. */
    record Gateway(
            int containers, int slots, @JsonProperty("free") int freeSlots) {}
}
