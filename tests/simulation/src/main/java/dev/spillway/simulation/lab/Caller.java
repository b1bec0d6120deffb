package dev.spillway.simulation.lab;

import dev.spillway.core.call.CallSid;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One call on its way through a run. */
final class Caller {
    final CallSid sid;
    final Instant arrivedAt;
    final long arrivedMillis;
    final long endsMillis;

    /** Where it talks; null before, after, and if nobody answered. */
    @Nullable
    Box at;

    /** The slot that waits for it while it is on the gateway. */
    @Nullable
    Box offered;

    boolean onGateway;
    boolean touchedGateway;
    boolean degraded;
    long gatewayMillis;

    Caller(int number, long arrivedMillis, long endsMillis) {
        this.sid = new CallSid("CA%032x".formatted(number));
        this.arrivedMillis = arrivedMillis;
        this.endsMillis = endsMillis;
        this.arrivedAt = Agenda.START.plusMillis(arrivedMillis);
    }
}
