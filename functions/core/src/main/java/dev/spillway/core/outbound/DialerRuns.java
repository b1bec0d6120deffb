package dev.spillway.core.outbound;

import dev.spillway.core.Pause;
import dev.spillway.core.background.Lease;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/** Runs a tenant's dialer for a while: under the lease, at the pace that is allowed, until there is nothing more to do. */
public final class DialerRuns {
    /** What is left after that is the next invocation's: a function may last minutes, and its lease must not. A guess. */
    private static final Duration LONGEST = Duration.ofSeconds(20);

    /** How long a minute's run asks Twilio about one tenant's dials. A guess: others wait for their turn. */
    private static final Duration INQUIRY = Duration.ofSeconds(5);

    /** Another run may be about to rest, having looked before what this one was told of: so it is waited for a moment. */
    private static final int TRIES = 5;

    private static final Duration BETWEEN_TRIES = Duration.ofMillis(400);

    private final Dialer dialer;
    private final DialUpkeep upkeep;
    private final DialInquiry inquiry;
    private final Announcements announcements;
    private final Supplier<String> holders;
    private final InstantSource clock;
    private final Pause pause;

    /** @param holders gives names that were never used before, for holders of the lease */
    public DialerRuns(
            Dialer dialer,
            DialUpkeep upkeep,
            DialInquiry inquiry,
            Announcements announcements,
            Supplier<String> holders,
            InstantSource clock,
            Pause pause) {
        this.dialer = dialer;
        this.upkeep = upkeep;
        this.inquiry = inquiry;
        this.announcements = announcements;
        this.holders = holders;
        this.clock = clock;
        this.pause = pause;
    }

    /** After an event. If the next job's time comes soon, one run waits for it without the lease. */
    public void run(TenantId tenant) {
        if (lead(tenant) instanceof Dialer.Next.Later later) {
            await(tenant, later.when());
        }
    }

    /** At the minute: many tenants are visited one after the other, so that a wait is left to a run of its own. */
    public void tick(TenantId tenant) {
        if (lead(tenant) instanceof Dialer.Next.Later) {
            wake(tenant);
        }
        // Here only, and after the dials: a slot that became free does not wait for questions about others.
        inquiry.ask(tenant, clock, clock.instant().plus(INQUIRY));
    }

    /** What came last of the steps that were made; if there were none, whoever leads goes on. */
    private Dialer.Next lead(TenantId tenant) {
        for (int i = 0; i < TRIES; i++) {
            Optional<Lease> lease = dialer.lead(tenant, holders.get(), clock.instant());
            if (lease.isPresent()) {
                return lead(tenant, lease.get());
            }
            if (!dialer.hasWork(tenant) || !pause.isOver(BETWEEN_TRIES)) {
                break;
            }
        }
        return new Dialer.Next.Rest("another leads, or there is nothing to do");
    }

    private Dialer.Next lead(TenantId tenant, Lease lease) {
        Instant end = clock.instant().plus(LONGEST);
        Dialer.Next next = new Dialer.Next.StepAt(clock.instant());
        try {
            upkeep.visit(tenant, clock.instant());
            while (next instanceof Dialer.Next.StepAt && clock.instant().isBefore(end)) {
                Instant now = clock.instant();
                next = dialer.step(tenant, lease, now);
                if (next instanceof Dialer.Next.StepAt(Instant when)) {
                    Duration wait = Duration.between(now, when);
                    // The lease outlasts the longest run; a wait beyond that is another run's.
                    if (wait.compareTo(LONGEST) > 0 || (wait.isPositive() && !pause.isOver(wait))) {
                        return new Dialer.Next.Rest("the pace is slower than a run is long");
                    }
                }
            }
        } finally {
            dialer.giveUp(tenant, lease);
        }
        if (next instanceof Dialer.Next.StepAt) {
            wake(tenant);
        }
        return next;
    }

    /** Without the lease, which what comes meanwhile may need. */
    private void await(TenantId tenant, Instant when) {
        Instant now = clock.instant();
        Instant longest = now.plus(LONGEST);
        Instant until = when.isBefore(longest) ? when : longest;
        if (dialer.watch(tenant, now, until)
                && pause.isOver(Duration.between(now, until).plusMillis(1))) {
            wake(tenant);
        }
    }

    private void wake(TenantId tenant) {
        announcements.publish(new Announcement.JobsWaiting(tenant, clock.instant()));
    }
}
