package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.core.event.Announcement.ContainerDrained;
import dev.spillway.core.order.OrderFollowing;
import dev.spillway.core.scaling.Retirement;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Every minute: idle containers are retired, in every pool. On {@code ContainerDrained}: that pool's count is lowered. */
public final class IdleSweeperHandler implements RequestHandler<ScheduledEvent, @Nullable Void> {
    private static final String NAME = "idle-sweeper";

    private final EventDesk desk;
    private final BackgroundVisits visits;
    private final OrderFollowing following;
    private final Retirement retirement;

    /** For Lambda. */
    public IdleSweeperHandler() {
        this(Functions.forBackground(System.getenv()));
    }

    public IdleSweeperHandler(Functions functions) {
        this.desk = functions.eventDesk();
        this.visits = functions.background().visits();
        this.following = functions.orderFollowing();
        this.retirement = functions.background().retirement();
    }

    @Override
    public @Nullable Void handleRequest(ScheduledEvent event, @Nullable Context context) {
        desk.take(context, event, this::take);
        return null;
    }

    private boolean take(BusEvent event, Instant now) {
        if (event instanceof BusEvent.Due) {
            visits.visitAll(NAME, (shift, at) -> {
                following.in(shift).visit(shift.pool(), at);
                retirement.sweep(shift, at);
            });
            return true;
        }
        if (event instanceof BusEvent.Announced(ContainerDrained drained)) {
            visits.visit(NAME, drained.pool(), retirement::stopDrained);
            return true;
        }
        return false;
    }
}
