package dev.spillway.system;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the demo of calls out measured. All seconds are of real time: people talk and phones ring in it.
 *
 * @param secondsFromReadyToStart how long before the batches' start the last of the containers was READY; negative if later, and
 *     left out if they never were all at once
 * @param deferrals how often a job was put off, and nobody dialled for it
 * @param deferralsByCause the same by cause
 * @param waitsByBatch from the start of a job's window to its dial
 * @param slotReuse from a slot's being given back to the claim of a job that takes it next; callers take slots, too, and
 *     are not in it
 * @param identity the last of the looks that were taken all the time
 * @param brokenReserves dials during which fewer slots were free, by a look of our own, than are reserved
 * @param failures why the exit code is 1; empty if it is 0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record OutboundDemoResult(
        double speed,
        long seed,
        int containers,
        int outboundLimit,
        int inboundReserve,
        @Nullable Double secondsFromReadyToStart,
        double runSeconds,
        Outbound outbound,
        Inbound inbound,
        int deferrals,
        Map<String, Integer> deferralsByCause,
        Map<String, Times> waitsByBatch,
        Times slotReuse,
        Identity identity,
        int identityLooks,
        int dials,
        int brokenReserves,
        int mostCallsOut,
        List<String> failures) {

    /** What {@code ./spillway demo outbound} ends with. */
    int exitCode() {
        return failures.isEmpty() ? 0 : 1;
    }

    /** @param deferred jobs that were put off at least once */
    record Outbound(int offered, int admitted, int deferred, int refused, Map<String, Integer> outcomes) {}

    /** @param onGateway callers that were answered by the gateway, for a while or to the end */
    record Inbound(int offered, int admitted, int onGateway, int refused) {}

    record Times(int samples, double p50, double max) {}

    /** {@code offered = terminals + open}. */
    record Identity(int offered, int terminals, int open) {
        boolean holds() {
            return offered == terminals + open;
        }
    }
}
