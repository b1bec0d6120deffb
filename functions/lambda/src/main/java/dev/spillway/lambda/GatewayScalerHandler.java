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
    private final Growth growth;

    /** For Lambda. */
    public GatewayScalerHandler() {
        this(Functions.from(System.getenv()));
    }

    public GatewayScalerHandler(Functions functions) {
        this.desk = functions.eventDesk();
        this.growth = functions.growth();
    }

    @Override
    public @Nullable Void handleRequest(ScheduledEvent event, @Nullable Context context) {
        desk.take(context, event, this::take);
        return null;
    }

    private boolean take(BusEvent event, Instant now) {
        if (event instanceof BusEvent.Due || event instanceof BusEvent.Announced(CallOverflowed overflow)) {
            growth.ask(PoolId.GATEWAY, false, now);
            return true;
        }
        return false;
    }
}
