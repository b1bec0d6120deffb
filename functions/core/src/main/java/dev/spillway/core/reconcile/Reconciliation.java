package dev.spillway.core.reconcile;

import dev.spillway.core.DependencyException;
import dev.spillway.core.background.Shift;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.Retirement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Once a minute, makes the table, ECS, Twilio and the callers agree again after whatever was lost: containers that died,
 * claims that no call names, calls that ended unnoticed, launches that fail, counts that drifted, calls that are still
 * held.
 */
public final class Reconciliation {
    private final StaleClaims claims;
    private final FleetMending fleet;
    private final OpenCalls openCalls;
    private final Retirement retirement;
    private final HandOff handOff;

    public Reconciliation(
            StaleClaims claims, FleetMending fleet, OpenCalls openCalls, Retirement retirement, HandOff handOff) {
        this.claims = claims;
        this.fleet = fleet;
        this.openCalls = openCalls;
        this.retirement = retirement;
        this.handOff = handOff;
    }

    /**
     * One visit to one pool; gives what was found.
     *
     * @throws DependencyException if any part of it failed, after everything else was done
     */
    public List<Finding> visit(Shift shift, Instant now) {
        Optional<PoolView> read = shift.pools().read(shift.pool());
        if (read.isEmpty()) {
            return List.of();
        }
        // The findings need to know since when the fleet is heard again.
        PoolView view = Silence.note(shift, read.get(), now)
                ? shift.pools().read(shift.pool()).orElse(read.get())
                : read.get();
        List<DependencyException> failures = new ArrayList<>();
        attempt(failures, () -> claims.visit(shift, view, now));
        List<Finding> findings = fleet.find(view, now);
        for (Finding finding : findings) {
            attempt(failures, () -> fleet.mend(shift, view, finding, now));
        }
        attempt(failures, () -> fleet.afterwards(shift, view, findings));
        attempt(failures, () -> retirement.stopDrained(shift, now));
        shift.pool().tenant().ifPresent(tenant -> {
            attempt(failures, () -> handOff.run(tenant, now));
            attempt(failures, () -> openCalls.visit(shift, tenant, view, now));
        });
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        return findings;
    }

    /** What fails is left to the next visit, and keeps nothing else from being mended: callers wait for the hand-off. */
    private static void attempt(List<DependencyException> failures, Runnable step) {
        try {
            step.run();
        } catch (DependencyException e) {
            failures.add(e);
        }
    }
}
