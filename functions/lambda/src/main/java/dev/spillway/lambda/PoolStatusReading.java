package dev.spillway.lambda;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.handoff.HeldCall;
import dev.spillway.core.order.Order;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Gauges;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.reconcile.Finding;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Puts together what is known of a pool: from the table, and from ECS if it can be asked. */
final class PoolStatusReading {
    private final Pools pools;
    private final Fleet fleet;
    private final Timing timing;

    PoolStatusReading(Pools pools, Fleet fleet, Timing timing) {
        this.pools = pools;
        this.fleet = fleet;
        this.timing = timing;
    }

    /** Empty if there is no such pool. Two reads of the table, one for the gateway, and two of ECS. */
    Optional<PoolStatus> read(PoolId id, Instant now) {
        return pools.read(id).map(view -> {
            Optional<PoolView> gateway = id.isGateway() ? Optional.of(view) : pools.read(PoolId.GATEWAY);
            return status(view, gateway, seen(view.pool().service()), now);
        });
    }

    /** What the table alone says of a pool; ECS is not asked. */
    PoolStatus fromTable(PoolView view, Optional<PoolView> gateway, Instant now) {
        return status(view, gateway, new Seen.Failed("ECS was not asked: this is what the table says"), now);
    }

    /** What ECS said of a service. */
    private sealed interface Seen {
        record Answered(Fleet.Service service, List<Fleet.Task> tasks) implements Seen {}

        record Failed(String error) implements Seen {}
    }

    private Seen seen(String service) {
        try {
            return new Seen.Answered(fleet.describe(service), fleet.tasks(service));
        } catch (DependencyException e) {
            return new Seen.Failed("ECS cannot be asked; the table's part is up to date");
        }
    }

    private PoolStatus status(PoolView view, Optional<PoolView> gateway, Seen seen, Instant now) {
        Pool pool = view.pool();
        return new PoolStatus(
                pool.id().value(),
                now.toString(),
                new PoolStatus.Policy(
                        pool.policy().minimum(),
                        pool.policy().maximum(),
                        pool.policy().limit(),
                        word(pool.policy().scaleOut()),
                        word(pool.policy().scaleIn())),
                Arrays.stream(Order.Subject.values())
                        .flatMap(subject -> pool.orders().inForce(subject, now).stream())
                        .map(OrderView::of)
                        .toList(),
                view.containers().stream()
                        .map(container -> container(container, now))
                        .toList(),
                pool.id()
                        .tenant()
                        .flatMap(tenant -> gateway.map(shared -> held(tenant, shared, now)))
                        .orElse(List.of()),
                new PoolStatus.Desired(pool.desired(), pool.version()),
                ecs(seen),
                view.starting(now, timing.coldStart()),
                Gauges.of(view, now),
                launches(view, seen, now),
                new PoolStatus.LastDecision(
                        pool.lastDecision().what(),
                        pool.lastDecision().reason(),
                        moment(pool.lastDecision().at())),
                pool.background()
                        .silentSince(timing.controllerExpiry(), now)
                        .map(since -> new PoolStatus.Controller(since.toString()))
                        .orElse(null),
                gateway.map(shared -> new PoolStatus.Gateway(
                                (int) shared.claimable(now).count(),
                                shared.claimable(now).mapToInt(Container::limit).sum(),
                                shared.free(now)))
                        .orElse(null));
    }

    PoolStatus.ContainerStatus container(Container container, Instant now) {
        Map<String, Integer> phases = new TreeMap<>();
        for (Claim.Phase phase : Claim.Phase.values()) {
            phases.put(word(phase), 0);
        }
        container.claims().values().forEach(claim -> phases.merge(word(claim.phase()), 1, Integer::sum));
        return new PoolStatus.ContainerStatus(
                container.id().value(),
                container.state().name(),
                container.stateReason(),
                container.stateSince().toString(),
                container.isAlive(now),
                container.revision(),
                new PoolStatus.Slots(container.claims().size(), container.limit()),
                phases,
                container.aliveUntil().minus(timing.expiry()).toString());
    }

    private static List<PoolStatus.Held> held(TenantId tenant, PoolView gateway, Instant now) {
        return HeldCall.of(tenant, gateway, now).stream()
                .map(held -> new PoolStatus.Held(
                        held.sid().value(),
                        Duration.between(held.claim().arrivedAt(), now).toMillis() / 1000.0,
                        !held.isWaiting()))
                .toList();
    }

    private static PoolStatus.Ecs ecs(Seen seen) {
        return switch (seen) {
            case Seen.Answered(Fleet.Service service, List<Fleet.Task> tasks) ->
                new PoolStatus.Ecs(
                        service.desired(),
                        service.running(),
                        service.pending(),
                        service.deploying(),
                        service.revision(),
                        null);
            case Seen.Failed(String error) -> new PoolStatus.Ecs(null, null, null, null, null, error);
        };
    }

    private PoolStatus.Launches launches(PoolView view, Seen seen, Instant now) {
        Pool.Launches recorded = view.pool().launches();
        int missing = view.missing();
        Instant since = view.pool().launchSince();
        boolean overdue = missing > 0 && since.plus(timing.launchDeadline()).isBefore(now);
        String recordedReason = recorded.reason().isEmpty() ? null : recorded.reason();
        String stopped = missing > 0 && seen instanceof Seen.Answered answered
                ? stoppedReason(view, answered, now).orElse(recordedReason)
                : recordedReason;
        return new PoolStatus.Launches(
                recorded.failures(),
                moment(recorded.backOffUntil()),
                missing,
                since.toString(),
                overdue,
                timing.launchDeadline().toSeconds(),
                stopped);
    }

    /** Looked up at once and not only once a minute: a launch that fails again and again is asked about while it does. */
    private Optional<String> stoppedReason(PoolView view, Seen.Answered seen, Instant now) {
        return Finding.find(view, seen.service(), seen.tasks(), timing, now).stream()
                .flatMap(finding -> finding instanceof Finding.FailedLaunches failed
                        ? Optional.of(failed.lastReason()).stream()
                        : Stream.empty())
                .filter(reason -> !reason.isEmpty())
                .findFirst();
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static @Nullable String moment(Instant at) {
        return at.equals(Instant.EPOCH) ? null : at.toString();
    }
}
