package dev.spillway.lambda;

import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.outbound.DialUpkeep;
import dev.spillway.core.outbound.Dialer;
import dev.spillway.core.outbound.Outbound.Lease;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;

/** Runs a tenant's dialer for a while: under the lease, at the pace that is allowed, until there is nothing more to do. */
final class DialerRuns {
    /** What is left after that is the next invocation's: a function may last minutes, and its lease must not. A guess. */
    private static final Duration LONGEST = Duration.ofSeconds(20);

    /** Another run may be about to rest, having looked before what this one was told of: so it is waited for a moment. */
    private static final int TRIES = 5;

    private static final Duration PAUSE = Duration.ofMillis(400);

    private final Dialer dialer;
    private final DialUpkeep upkeep;
    private final Announcements announcements;
    private final InstantSource clock;
    private final Sleeper sleeper;

    DialerRuns(Dialer dialer, DialUpkeep upkeep, Announcements announcements, InstantSource clock, Sleeper sleeper) {
        this.dialer = dialer;
        this.upkeep = upkeep;
        this.announcements = announcements;
        this.clock = clock;
        this.sleeper = sleeper;
    }

    void run(TenantId tenant) {
        for (int i = 0; i < TRIES; i++) {
            Optional<Lease> lease = dialer.lead(tenant, UUID.randomUUID().toString(), clock.instant());
            if (lease.isPresent()) {
                lead(tenant, lease.get());
                return;
            }
            if (!dialer.hasWork(tenant) || !isRested(PAUSE)) {
                return;
            }
        }
    }

    private void lead(TenantId tenant, Lease lease) {
        Instant end = clock.instant().plus(LONGEST);
        boolean unfinished = true;
        try {
            upkeep.visit(tenant, clock.instant());
            while (unfinished && clock.instant().isBefore(end)) {
                Instant now = clock.instant();
                switch (dialer.step(tenant, lease, now)) {
                    case Dialer.Next.Rest rest -> unfinished = false;
                    case Dialer.Next.StepAt next -> {
                        Duration wait = Duration.between(now, next.when());
                        // The lease outlasts the longest run; a wait beyond that is another run's.
                        if (wait.compareTo(LONGEST) > 0 || (wait.isPositive() && !isRested(wait))) {
                            return;
                        }
                    }
                }
            }
        } finally {
            dialer.giveUp(tenant, lease);
        }
        if (unfinished) {
            announcements.publish(new Announcement.JobsWaiting(tenant, clock.instant()));
        }
    }

    private boolean isRested(Duration wait) {
        try {
            sleeper.sleep(wait);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
