package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.ContainerDrained;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.event.Announcement.JobsWaiting;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.event.Announcement.SlotsTaken;
import dev.spillway.core.event.Announcement.StreamSilent;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.order.OrderFollowing;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.scaling.Growth;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** On {@code ContainerReady} and {@code SlotFreed}: held calls are offered the slots of their own pool. */
public final class HandOffHandler implements RequestHandler<ScheduledEvent, @Nullable Void> {
    private final EventDesk desk;
    private final HandOff handOff;
    private final Growth growth;
    private final OrderFollowing following;

    /** For Lambda. */
    public HandOffHandler() {
        this(Functions.from(System.getenv()));
    }

    public HandOffHandler(Functions functions) {
        this.desk = functions.eventDesk();
        this.handOff = functions.handOff();
        this.growth = functions.growth();
        this.following = functions.orderFollowing();
    }

    @Override
    public @Nullable Void handleRequest(ScheduledEvent event, @Nullable Context context) {
        desk.take(context, event, this::take);
        return null;
    }

    private boolean take(BusEvent event, Instant now) {
        if (!(event instanceof BusEvent.Announced(Announcement announcement))) {
            return false;
        }
        return switch (announcement) {
            case ContainerReady ready -> {
                // Callers first: they are placed by the pool's orders, whatever its containers have been told.
                boolean taken = freed(ready.pool(), now);
                // Nobody has told it of an order that was given before it was there.
                following.visit(ready.pool(), now);
                yield taken;
            }
            case SlotFreed freed -> freed(freed.pool(), now);
            case CallOverflowed overflow -> false;
            case SlotsTaken taken -> false;
            case ContainerDrained drained -> false;
            case StreamSilent silent -> false;
            case JobsWaiting waiting -> false;
        };
    }

    private boolean freed(PoolId pool, Instant now) {
        pool.tenant().ifPresentOrElse(tenant -> handOff.run(tenant, now), () -> growth.ask(PoolId.GATEWAY, false, now));
        return true;
    }
}
