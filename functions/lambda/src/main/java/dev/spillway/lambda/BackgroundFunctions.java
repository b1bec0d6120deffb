package dev.spillway.lambda;

import dev.spillway.core.Timing;
import dev.spillway.core.background.Shifts;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.reconcile.FleetMending;
import dev.spillway.core.reconcile.Inquiry;
import dev.spillway.core.reconcile.Launches;
import dev.spillway.core.reconcile.OpenCalls;
import dev.spillway.core.reconcile.Reconciliation;
import dev.spillway.core.reconcile.SilentContainers;
import dev.spillway.core.reconcile.StaleClaims;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.scaling.Retirement;
import java.time.InstantSource;

/** The background work as it is wired. */
final class BackgroundFunctions {
    private final Retirement retirement;
    private final Reconciliation reconciliation;
    private final FailureAlarm alarm;
    private final BackgroundVisits visits;

    BackgroundFunctions(
            Ports ports,
            Growth growth,
            HandOff handOff,
            Rounds rounds,
            Journal journal,
            InstantSource clock,
            Sleeper sleeper,
            Timing timing) {
        this.retirement = new Retirement(ports.fleet(), growth, journal, timing);
        Inquiry inquiry = new Inquiry(
                ports.tenants(),
                ports.telephony(),
                new CallEnding(
                        ports.calls(), ports.containers(), ports.announcements(), ports.conversations(), journal),
                journal);
        SilentContainers silentOnes = new SilentContainers(
                ports.calls(), ports.tenants(), ports.telephony(), ports.probe(), inquiry, journal);
        this.reconciliation = new Reconciliation(
                new StaleClaims(ports.calls(), inquiry, journal, timing),
                new FleetMending(ports.fleet(), growth, silentOnes, new Launches(journal, timing), journal, timing),
                new OpenCalls(ports.attempts(), ports.calls(), inquiry, journal, timing),
                retirement,
                handOff);
        this.alarm = new FailureAlarm(ports.leases(), ports.pools(), journal, clock);
        this.visits = new BackgroundVisits(
                rounds,
                new Shifts(ports.leases(), ports.pools(), ports.containers(), journal, timing),
                alarm,
                journal,
                clock,
                sleeper,
                timing);
    }

    Retirement retirement() {
        return retirement;
    }

    Reconciliation reconciliation() {
        return reconciliation;
    }

    FailureAlarm alarm() {
        return alarm;
    }

    /** Everything that these flows do is done in one of them. */
    BackgroundVisits visits() {
        return visits;
    }
}
