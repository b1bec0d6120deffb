package dev.spillway.load.replay;

import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.Answer;
import dev.spillway.load.adapter.NotSentException;
import dev.spillway.load.adapter.Operation;
import dev.spillway.load.adapter.UnknownOutcomeException;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One harmless call through the voice path. */
final class Probe {
    private static final double PROBE_SECONDS = 30;

    private Probe() {}

    /**
     * @param tenant whose number is called; null for the first that the adapter knows
     * @param origin {@link System#nanoTime} of the start of the run
     */
    static Row call(Adapter adapter, @Nullable String tenant, long origin) {
        Arrival arrival = Arrival.at(-1, 0, null, "probe");
        CallClass callClass = CallClass.ofTurns("probe", 1).ofTenant(tenant);
        Operation operation = new Operation(arrival, callClass, Direction.INBOUND, 1, origin);
        long started = System.nanoTime() - origin;
        Answer answer;
        Thread me = Thread.currentThread();
        Thread patience = Thread.ofVirtual().start(() -> {
            try {
                TimeUnit.MILLISECONDS.sleep(Math.round(PROBE_SECONDS * 1_000));
                me.interrupt();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the probe was answered
            }
        });
        try {
            answer = adapter.call(operation);
        } catch (NotSentException e) {
            answer = new Answer(Outcome.CONNECTION_REFUSED, String.valueOf(e.getMessage()));
        } catch (UnknownOutcomeException e) {
            answer = new Answer(Outcome.UNKNOWN, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            answer = new Answer(Outcome.TIMEOUT, "not ended after " + PROBE_SECONDS + " s");
        } catch (Exception e) {
            answer = new Answer(Outcome.ADAPTER_ERROR, e.toString());
        } finally {
            patience.interrupt();
        }
        return new Row(
                -1,
                "probe",
                Direction.INBOUND,
                started,
                started,
                operation.firstAudio(),
                System.nanoTime() - origin,
                answer.outcome(),
                answer.detail(),
                null,
                operation.evidence());
    }
}
