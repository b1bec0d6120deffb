package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.scaling.Growth;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** On a schedule and on {@code CallOverflowed}: the gateway keeps its spare slots. */
public final class GatewayScalerHandler implements RequestHandler<ScheduledEvent, @Nullable Void> {
    private final EventDesk desk;
    private final BackgroundVisits visits;
    private final Growth growth;

    /** For Lambda. */
    public GatewayScalerHandler() {
        this(Functions.forBackground(System.getenv()));
    }

    public GatewayScalerHandler(Functions functions) {
        this.desk = functions.eventDesk();
        this.visits = functions.background().visits();
        this.growth = functions.growth();
    }

    @Override
    public @Nullable Void handleRequest(ScheduledEvent event, @Nullable Context context) {
        desk.take(context, event, this::take);
        return null;
    }

    private boolean take(BusEvent event, Instant now) {
        if (event instanceof BusEvent.Due) {
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
}
