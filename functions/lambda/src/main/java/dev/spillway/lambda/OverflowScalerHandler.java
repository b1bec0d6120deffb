package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.core.Timing;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.SlotsTaken;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.scaling.Growth;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * On {@code CallOverflowed}: the tenant's pool is asked to grow, and its idle window starts again. On {@code SlotsTaken} it is
 * only asked: a pool that keeps slots free may have too few now.
 */
public final class OverflowScalerHandler implements RequestHandler<ScheduledEvent, @Nullable Void> {
    private final EventDesk desk;
    private final Pools pools;
    private final Growth growth;
    private final Journal journal;
    private final Timing timing;
    private final MinuteLimit limit = new MinuteLimit();

    /** For Lambda. */
    public OverflowScalerHandler() {
        this(Functions.from(System.getenv()));
    }

    public OverflowScalerHandler(Functions functions) {
        this.desk = functions.eventDesk();
        this.pools = functions.ports().pools();
        this.growth = functions.growth();
        this.journal = functions.journal();
        this.timing = functions.timing();
    }

    @Override
    public @Nullable Void handleRequest(ScheduledEvent event, @Nullable Context context) {
        desk.take(context, event, this::take);
        return null;
    }

    private boolean take(BusEvent event, Instant now) {
        if (event instanceof BusEvent.Announced(SlotsTaken taken)) {
            growth.ask(taken.pool(), false, now);
            return true;
        }
        if (!(event instanceof BusEvent.Announced(CallOverflowed overflow))) {
            return false;
        }
        PoolId pool = PoolId.of(overflow.tenant());
        pools.restartIdleWindow(pool, now);
        // A call that is held shows in the gateway; one that was refused, or placed without a claim, shows nowhere.
        boolean refused = switch (overflow.placed()) {
            case BUSY, UNCLAIMED -> true;
            case GATEWAY -> false;
        };
        growth.ask(pool, refused, now);
        watchController(pool, now);
        return true;
    }

    /** Background work that does not run cannot say so itself. */
    private void watchController(PoolId pool, Instant now) {
        pools.read(pool)
                .flatMap(view -> view.pool().background().silentSince(timing.controllerExpiry(), now))
                .filter(since -> limit.passes(pool.value(), now))
                .ifPresent(since -> journal.write(
                        Entry.alert("controller-silent", "no complete visit of background work since " + since, 1)
                                .with("pool", pool)));
    }
}
