package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.core.call.MissingRedirect;
import dev.spillway.core.call.StreamFailure.Kind;
import dev.spillway.core.event.Announcement.StreamSilent;
import dev.spillway.core.reconcile.Reconciliation;
import dev.spillway.core.reconcile.SilenceWatch;
import dev.spillway.core.tenant.Tenants;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Every minute, in every pool, and for the pool of a task that stops: table, ECS and callers are made to agree. Until the next
 * minute it watches for containers that fall silent with calls. On {@code StreamSilent}: a call that was left where nobody
 * hears it goes on.
 */
public final class ZombieReconcilerHandler implements RequestHandler<ScheduledEvent, @Nullable Void> {
    private static final String NAME = "zombie-reconciler";
    /** Out of the load balancer, with its calls for as long as that allows; and gone. */
    private static final Set<String> STOPS = Set.of("DEACTIVATING", "STOPPED");

    private final EventDesk desk;
    private final BackgroundVisits visits;
    private final PoolOfService pools;
    private final Reconciliation reconciliation;
    private final SilenceWatch silence;
    private final Tenants tenants;
    private final MissingRedirect redirect;

    /** For Lambda. */
    public ZombieReconcilerHandler() {
        this(Functions.forBackground(System.getenv()));
    }

    public ZombieReconcilerHandler(Functions functions) {
        this.desk = functions.eventDesk();
        this.visits = functions.background().visits();
        this.pools = functions.poolOfService();
        this.reconciliation = functions.background().reconciliation();
        this.silence = functions.silenceWatch();
        this.tenants = functions.ports().tenants();
        this.redirect = functions.missingRedirect();
    }

    @Override
    public @Nullable Void handleRequest(ScheduledEvent event, @Nullable Context context) {
        desk.take(context, event, this::take);
        return null;
    }

    private boolean take(BusEvent event, Instant now) {
        return switch (event) {
            case BusEvent.Due due -> {
                visits.visitAllAndWatch(NAME, reconciliation::visit, silence);
                yield true;
            }
            case BusEvent.TaskChanged task -> {
                // Only stops are news: that a container can serve is told by itself, and ECS RUNNING is not ready.
                if (STOPS.contains(task.lastStatus())) {
                    pools.find(task.service()).ifPresent(pool -> visits.visit(NAME, pool, reconciliation::visit));
                }
                yield true;
            }
            case BusEvent.Announced(StreamSilent silent) -> {
                tenants.find(silent.tenant())
                        .ifPresent(tenant -> redirect.await(tenant, silent.call(), silent.hop(), Kind.SILENT));
                yield true;
            }
            case BusEvent.Announced announced -> false;
            case BusEvent.Unknown unknown -> false;
        };
    }
}
