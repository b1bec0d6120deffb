package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.core.reconcile.Reconciliation;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Every minute, in every pool, and for the pool of a task that stopped: table, ECS and callers are made to agree. */
public final class ZombieReconcilerHandler implements RequestHandler<ScheduledEvent, @Nullable Void> {
    private final EventDesk desk;
    private final Rounds rounds;
    private final PoolOfService pools;
    private final Reconciliation reconciliation;

    /** For Lambda. */
    public ZombieReconcilerHandler() {
        this(Functions.from(System.getenv()));
    }

    public ZombieReconcilerHandler(Functions functions) {
        this.desk = functions.eventDesk();
        this.rounds = functions.rounds();
        this.pools = functions.poolOfService();
        this.reconciliation = functions.reconciliation();
    }

    @Override
    public @Nullable Void handleRequest(ScheduledEvent event, @Nullable Context context) {
        desk.take(context, event, this::take);
        return null;
    }

    private boolean take(BusEvent event, Instant now) {
        return switch (event) {
            case BusEvent.Due due -> {
                rounds.visitAll("zombie-reconciler", pool -> reconciliation.visit(pool, now));
                yield true;
            }
            case BusEvent.TaskChanged task -> {
                // Only a stop is news: that a container can serve is told by itself, and ECS RUNNING is not ready.
                if (task.lastStatus().equals("STOPPED")) {
                    pools.find(task.service()).ifPresent(pool -> reconciliation.visit(pool, now));
                }
                yield true;
            }
            case BusEvent.Announced announced -> false;
            case BusEvent.Unknown unknown -> false;
        };
    }
}
