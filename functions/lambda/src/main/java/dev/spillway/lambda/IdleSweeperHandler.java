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
    private final EventDesk desk;
    private final Rounds rounds;
    private final OrderFollowing following;
    private final Retirement retirement;

    /** For Lambda. */
    public IdleSweeperHandler() {
        this(Functions.from(System.getenv()));
    }

    public IdleSweeperHandler(Functions functions) {
        this.desk = functions.eventDesk();
        this.rounds = functions.rounds();
        this.following = functions.orderFollowing();
        this.retirement = functions.retirement();
    }

    @Override
    public @Nullable Void handleRequest(ScheduledEvent event, @Nullable Context context) {
        desk.take(context, event, this::take);
        return null;
    }

    private boolean take(BusEvent event, Instant now) {
        if (event instanceof BusEvent.Due) {
            rounds.visitAll("idle-sweeper", pool -> {
                following.visit(pool, now);
                retirement.sweep(pool, now);
            });
            return true;
        }
        if (event instanceof BusEvent.Announced(ContainerDrained drained)) {
            retirement.stopDrained(drained.pool(), now);
            return true;
        }
        return false;
    }
}
