package dev.spillway.localcloud.twilio;

import java.time.Duration;
import java.util.Set;

/**
 * How a call that was made by the REST API begins.
 *
 * @param queued how long Twilio keeps it before it dials: the account's calls per second
 * @param events the progress that the status callback is to be told: initiated, ringing, answered, completed
 */
record OutboundCall(Callee callee, Duration queued, Set<String> events) {
    OutboundCall {
        events = Set.copyOf(events);
    }
}
