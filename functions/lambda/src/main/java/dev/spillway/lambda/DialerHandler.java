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
import dev.spillway.core.pool.PoolId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** On {@code JobsWaiting}, {@code ContainerReady}, {@code SlotFreed} and every minute: waiting jobs are dialled. */
public final class DialerHandler implements RequestHandler<ScheduledEvent, @Nullable Void> {
    private final EventDesk desk;
    private final Rounds rounds;
    private final DialerRuns runs;

    /** For Lambda. */
    public DialerHandler() {
        this(Functions.from(System.getenv()));
    }

    public DialerHandler(Functions functions) {
        this.desk = functions.eventDesk();
        this.rounds = functions.rounds();
        this.runs = functions.outbound().runs();
    }

    @Override
    public @Nullable Void handleRequest(ScheduledEvent event, @Nullable Context context) {
        desk.take(context, event, this::take);
        return null;
    }

    private boolean take(BusEvent event, Instant now) {
        return switch (event) {
            case BusEvent.Due due -> {
                rounds.visitAll("dialer", this::visit);
                yield true;
            }
            case BusEvent.Announced(Announcement announcement) -> take(announcement);
            case BusEvent.TaskChanged task -> false;
            case BusEvent.Unknown unknown -> false;
        };
    }

    private boolean take(Announcement announcement) {
        return switch (announcement) {
            case JobsWaiting waiting -> visit(PoolId.of(waiting.tenant()));
            case ContainerReady ready -> visit(ready.pool());
            case SlotFreed freed -> visit(freed.pool());
            case CallOverflowed overflow -> false;
            case ContainerDrained drained -> false;
        };
    }

    private boolean visit(PoolId pool) {
        pool.tenant().ifPresent(runs::run);
        return true;
    }
}
