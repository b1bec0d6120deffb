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
import dev.spillway.core.journal.Journal;
import dev.spillway.core.outbound.DialerRuns;
import dev.spillway.core.pool.Gauges;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** On {@code JobsWaiting}, {@code ContainerReady}, {@code SlotFreed} and every minute: waiting jobs are dialled. */
public final class DialerHandler implements RequestHandler<ScheduledEvent, @Nullable Void> {
    private static final String NAME = "dialer";

    private final EventDesk desk;
    private final Rounds rounds;
    private final DialerRuns runs;
    private final FailureAlarm alarm;
    private final Pools pools;
    private final Journal journal;

    /** For Lambda. */
    public DialerHandler() {
        this(Functions.from(System.getenv()));
    }

    public DialerHandler(Functions functions) {
        this.desk = functions.eventDesk();
        this.rounds = functions.rounds();
        this.runs = functions.outbound().runs();
        this.alarm = functions.background().alarm();
        this.pools = functions.ports().pools();
        this.journal = functions.journal();
    }

    @Override
    public @Nullable Void handleRequest(ScheduledEvent event, @Nullable Context context) {
        desk.take(context, event, this::take);
        return null;
    }

    private boolean take(BusEvent event, Instant now) {
        return switch (event) {
            case BusEvent.Due due -> {
                rounds.visitAll(NAME, rounds.pools(), pool -> alarm.watch(NAME, pool, () -> visit(pool, now)));
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
            case SlotsTaken taken -> false;
            case ContainerDrained drained -> false;
            case StreamSilent silent -> false;
        };
    }

    /** What a pool's slots do is measured here, once a minute for every pool. */
    private void visit(PoolId pool, Instant now) {
        pools.read(pool).ifPresent(view -> journal.write(Gauges.of(view, now).entry(pool)));
        pool.tenant().ifPresent(runs::tick);
    }

    private boolean visit(PoolId pool) {
        pool.tenant().ifPresent(runs::run);
        return true;
    }
}
