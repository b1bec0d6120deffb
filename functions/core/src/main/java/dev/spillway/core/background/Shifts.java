package dev.spillway.core.background;

import dev.spillway.core.Timing;
import dev.spillway.core.background.Leases.Taking;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import java.time.Instant;
import java.util.Optional;

/**
 * Begins and ends shifts. A controller that was silent for long has not seen what happened meanwhile: its first shift
 * notes that, so that nothing is declared lost until the containers had time to be heard again.
 */
public final class Shifts {
    private final Leases leases;
    private final Pools pools;
    private final Containers containers;
    private final Journal journal;
    private final Timing timing;

    public Shifts(Leases leases, Pools pools, Containers containers, Journal journal, Timing timing) {
        this.leases = leases;
        this.pools = pools;
        this.containers = containers;
        this.journal = journal;
        this.timing = timing;
    }

    /** What came of wanting a shift. */
    public sealed interface Start {
        /** @param unfinished as in {@link Taking.Taken} */
        record Begun(Shift shift, int unfinished) implements Start {}

        /** Another has it. */
        record Busy(Lease by) implements Start {}

        record NoPool() implements Start {}
    }

    /** @param holder the name of the work, a space, and what was never used before */
    public Start begin(PoolId pool, String holder, Instant now) {
        return switch (leases.take(pool, holder, now, now.plus(timing.backgroundLease()))) {
            case Taking.Held held -> new Start.Busy(held.by());
            case Taking.NoPool none -> new Start.NoPool();
            case Taking.Taken taken -> {
                Lease lease = taken.lease();
                Shift shift = new Shift(pool, lease, pools.under(pool, lease), containers.under(pool, lease));
                noteAbsence(shift, taken.pool(), now);
                yield new Start.Begun(shift, taken.unfinished());
            }
        };
    }

    /** After a visit in which nothing failed; false if another took the pool before it ended. */
    public boolean complete(Shift shift, Instant now) {
        return leases.complete(shift.pool(), shift.lease(), now, now.plus(timing.controllerExpiry()));
    }

    /** After a visit in which something failed: the controller counts as heard only after a complete one. */
    public void breakOff(Shift shift, Instant now) {
        leases.giveBack(shift.pool(), shift.lease(), now);
    }

    /** Once for each silence: the first good read after it is the one that counts. */
    private void noteAbsence(Shift shift, Pool pool, Instant now) {
        Optional<Instant> since = pool.background().silentSince(timing.controllerExpiry(), now);
        if (since.isEmpty() || !pool.heardAgainAt().isBefore(pool.background().heardUntil(timing.controllerExpiry()))) {
            return;
        }
        shift.pools().recordSilence(pool.id(), pool.silentSince(), now);
        long calls = shift.pools().read(pool.id()).map(Shifts::calls).orElse(0L);
        journal.write(Entry.alert(
                        "controller-silent",
                        "no complete visit from " + since.get() + " to " + now
                                + "; nothing is declared lost for another "
                                + timing.outageQuiet().toSeconds() + " s",
                        calls)
                .with("pool", pool.id()));
    }

    private static long calls(PoolView view) {
        return view.containers().stream()
                .flatMap(container -> container.claims().keySet().stream())
                .filter(CallSid.class::isInstance)
                .distinct()
                .count();
    }
}
