package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.handoff.HeldCall;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.scaling.Growth;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** On a schedule and on {@code CallOverflowed}: the gateway keeps its spare slots, and on the schedule they are measured. */
public final class GatewayScalerHandler implements RequestHandler<ScheduledEvent, @Nullable Void> {
    private final EventDesk desk;
    private final Pools pools;
    private final BackgroundVisits visits;
    private final Growth growth;
    private final Journal journal;

    /** For Lambda. */
    public GatewayScalerHandler() {
        this(Functions.forBackground(System.getenv()));
    }

    public GatewayScalerHandler(Functions functions) {
        this.desk = functions.eventDesk();
        this.pools = functions.ports().pools();
        this.visits = functions.background().visits();
        this.growth = functions.growth();
        this.journal = functions.journal();
    }

    @Override
    public @Nullable Void handleRequest(ScheduledEvent event, @Nullable Context context) {
        desk.take(context, event, this::take);
        return null;
    }

    private boolean take(BusEvent event, Instant now) {
        if (event instanceof BusEvent.Due) {
            measure(now);
            visits.visit(
                    "gateway-scaler",
                    PoolId.GATEWAY,
                    (shift, at) -> growth.in(shift).ask(PoolId.GATEWAY, false, at));
            return true;
        }
        if (event instanceof BusEvent.Announced(CallOverflowed overflow)) {
            // Callers wait for this, and of two writers of the count the version lets one win: it needs no lease.
            growth.ask(PoolId.GATEWAY, false, now);
            return true;
        }
        return false;
    }

    /**
     * What the alarms on the gateway's spare slots, which sounds when nobody measures too, and on each tenant's held calls
     * watch: a caller who is never handed off is in no hand-off's figure.
     */
    private void measure(Instant now) {
        pools.read(PoolId.GATEWAY).ifPresent(view -> {
            journal.write(Entry.of("gateway-spare")
                    .with("slots", view.free(now))
                    .measure(Metric.SPARE_SLOTS, view.free(now)));
            HeldCall.longest(view, now)
                    .forEach((tenant, held) -> journal.write(Entry.of("still-held")
                            .with("tenant", tenant)
                            .with("longestSeconds", held.toSeconds())
                            .measure(Metric.HOLD_SECONDS, held.toMillis() / 1000.0)));
        });
    }
}
