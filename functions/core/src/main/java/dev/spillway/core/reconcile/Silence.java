package dev.spillway.core.reconcile;

import dev.spillway.core.background.Shift;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.List;

/** Tells our own outage from the loss of containers: when nobody is heard, it is we who do not hear. */
final class Silence {
    private Silence() {}

    /** Writes down that the fleet fell silent, or is heard again; whether the pool's item was changed. */
    static boolean note(Shift shift, PoolView view, Instant now) {
        boolean silent = isSilent(shift, view, now);
        boolean wasSilent = view.pool().silentSince().isBefore(Instant.MAX);
        if (silent && !wasSilent) {
            shift.pools().recordSilence(view.pool().id(), now, view.pool().heardAgainAt());
            return true;
        } else if (!silent && wasSilent) {
            shift.pools().recordSilence(view.pool().id(), Instant.MAX, now);
            return true;
        }
        return false;
    }

    /**
     * Whether the whole fleet is silent, as far as this pool can tell: several containers that should be heard and are not,
     * or its only one while the gateway is not heard either.
     */
    private static boolean isSilent(Shift shift, PoolView view, Instant now) {
        List<Container> expected = view.containers().stream()
                .filter(container -> container.state() != ContainerState.LOST)
                .filter(container -> container.state() != ContainerState.STOPPING)
                .toList();
        if (expected.isEmpty() || expected.stream().anyMatch(container -> container.isAlive(now))) {
            return false;
        }
        return expected.size() > 1 || !isGatewayHeard(shift, now);
    }

    /** For the gateway itself yes: its only container is judged by its own silence. */
    private static boolean isGatewayHeard(Shift shift, Instant now) {
        return shift.pool().isGateway()
                || shift.pools()
                        .read(PoolId.GATEWAY)
                        .filter(gateway -> gateway.isHeard(now))
                        .isPresent();
    }
}
