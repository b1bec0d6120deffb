package dev.spillway.core.outbound;

import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.background.Lease;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Generations;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.handoff.HeldCall;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.outbound.Fairness.Pick;
import dev.spillway.core.outbound.JobState.Dial;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.pool.SlotReuse;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes a tenant's calls, one dialer at a time. A dial is made in this order, each step a single conditional write: the
 * line on the pool's item, which checks the lease and the limit; the claim of a slot; the job as dialling; and only then
 * Twilio. A crash between two of them dials nobody twice: {@link DialUpkeep} and {@link DialInquiry} find what was left.
 *
 * <p>Races, and who wins: a caller for the same slot, exactly one of the two claims; a dialer that slept past its lease,
 * its line is refused; a dialer that slept between claim and dial, its job is refused, since whoever took over gave the
 * job another version; a cancellation, the same.
 */
public final class Dialer {
    /** How long one dialer keeps others out. A step takes two or three seconds at most; a guess with room. */
    public static final Duration LEASE = Duration.ofSeconds(30);

    private static final int MOST_LOST_SLOTS = 3;

    private final Pools pools;
    private final Containers containers;
    private final Jobs jobs;
    private final OutboundLines lines;
    private final Dials dials;
    private final Tenants tenants;
    private final Growth growth;
    private final DialProgress progress;
    private final OutboundEnding ending;
    private final DialPermit permit;
    private final Generations generations;
    private final DoubleSupplier chance;
    private final Journal journal;
    private final Timing timing;

    public Dialer(
            Pools pools,
            Containers containers,
            Jobs jobs,
            OutboundLines lines,
            Dials dials,
            Tenants tenants,
            Growth growth,
            DialProgress progress,
            OutboundEnding ending,
            DialPermit permit,
            Generations generations,
            DoubleSupplier chance,
            Journal journal,
            Timing timing) {
        this.pools = pools;
        this.containers = containers;
        this.jobs = jobs;
        this.lines = lines;
        this.dials = dials;
        this.tenants = tenants;
        this.growth = growth;
        this.progress = progress;
        this.ending = ending;
        this.permit = permit;
        this.generations = generations;
        this.chance = chance;
        this.journal = journal;
        this.timing = timing;
    }

    /** What comes after a step. */
    public sealed interface Next {
        /** Another step, not before then. */
        record StepAt(Instant when) implements Next {}

        /** Nothing to do until a job's time comes: its start, for which its pool is made ready, its next try, or its end. */
        record Later(Instant when) implements Next {}

        /** Nothing more to do until something happens. */
        record Rest(String reason) implements Next {}
    }

    /** Takes the lease IF it is free and there is anything to do. */
    public Optional<Lease> lead(TenantId tenant, String holder, Instant now) {
        return pools.read(PoolId.of(tenant))
                .filter(view -> view.pool().outbound().lease().isFree(now))
                .filter(view -> hasWork(view, tenant))
                .flatMap(view -> lines.lead(view.pool().id(), holder, now, now.plus(LEASE)));
    }

    /** Whether there is anything to do or to look after. */
    public boolean hasWork(TenantId tenant) {
        return pools.read(PoolId.of(tenant))
                .filter(view -> hasWork(view, tenant))
                .isPresent();
    }

    private boolean hasWork(PoolView view, TenantId tenant) {
        return !view.pool().outbound().calls().isEmpty() || jobs.isAnyAtHand(tenant);
    }

    public void giveUp(TenantId tenant, Lease lease) {
        lines.extend(PoolId.of(tenant), lease, Instant.EPOCH);
    }

    /** Dials one job at most. */
    public Next step(TenantId id, Lease lease, Instant now) {
        PoolId pool = PoolId.of(id);
        Optional<PoolView> view = pools.read(pool);
        Optional<Tenant> tenant = tenants.find(id);
        if (view.isEmpty() || tenant.isEmpty()) {
            return new Next.Rest("no such tenant or pool");
        }
        Outbound outbound = view.get().pool().outbound();
        List<Job> atHand = jobs.atHand(id);
        WriteBudget budget = new WriteBudget();
        List<Job> due = permitted(atHand, view.get(), budget, now);
        Optional<Pick> pick = Fairness.pick(due, outbound.pace().turns(), now);
        if (pick.isEmpty()) {
            return prepare(view.get(), atHand, now);
        }
        int held = held(id, now);
        return switch (Admission.plan(view.get(), held, Set.of(), timing, now)) {
            case Admission.Admit admit -> dial(tenant.get(), lease, view.get(), held, pick.get(), admit, now);
            case Admission.Defer defer when defer.cause() == Cause.DIAL_RATE -> new Next.StepAt(defer.earliest());
            case Admission.Defer defer -> {
                Map<JobId, Job> known = new HashMap<>();
                Stream.concat(atHand.stream(), defer(due, view.get(), defer, budget, now).stream())
                        .forEach(job -> known.put(job.id(), job));
                growth.ask(pool, false, now);
                yield later(
                        nextStart(atHand, outbound.policy(), now),
                        known.values(),
                        defer.cause().text() + ": " + defer.reason(),
                        now);
            }
        };
    }

    /** Nothing is due: the pool is made ready for what comes soon. */
    private Next prepare(PoolView view, List<Job> atHand, Instant now) {
        Optional<Instant> start = nextStart(atHand, view.pool().outbound().policy(), now);
        if (start.isPresent()) {
            growth.ask(view.pool().id(), false, now);
        }
        return later(start, atHand, "no job is due", now);
    }

    /** When the next job's time comes for which the pool is made ready by now. */
    private Optional<Instant> nextStart(List<Job> atHand, OutboundPolicy policy, Instant now) {
        Instant horizon = now.plus(Prewarming.lead(policy.warmth(), timing.coldStart()));
        return Prewarming.nextStart(atHand, policy, now).filter(at -> !at.isAfter(horizon));
    }

    /** At the next start, if there is any, or when one of those that wait is to be looked at before. */
    private Next later(Optional<Instant> start, Collection<Job> waiting, String reason, Instant now) {
        return Stream.concat(start.stream(), RetryTime.soonest(waiting, timing.coldStart(), now).stream())
                .min(Comparator.naturalOrder())
                .<Next>map(Next.Later::new)
                .orElseGet(() -> new Next.Rest(reason));
    }

    /**
     * Whether this run is to wake the dialer at {@code until}; of many that find the next job's time soon, one is.
     *
     * @see OutboundLines#watch
     */
    public boolean watch(TenantId tenant, Instant now, Instant until) {
        return lines.watch(PoolId.of(tenant), now, until);
    }

    private Next dial(
            Tenant tenant, Lease lease, PoolView view, int held, Pick pick, Admission.Admit admit, Instant now) {
        PoolId pool = view.pool().id();
        Job job = pick.job();
        Generation generation = generations.next(1);
        Outbound outbound = view.pool().outbound();
        boolean entered = lines.enter(
                pool,
                lease,
                job.id(),
                generation,
                outbound.policy().outboundLimit(),
                outbound.pace().dialled(now, pick.turns()));
        if (!entered) {
            return new Next.Rest("the lease, or the last line, is another's");
        }
        Optional<Container> slot = claim(view, held, job, generation, admit.container(), now);
        if (slot.isEmpty()) {
            lines.withdraw(pool, job.id(), generation, now);
            return new Next.StepAt(now);
        }
        Dial dial = new Dial(slot.get().id(), generation, now);
        Optional<PoolView> after = pools.read(pool);
        if (after.isEmpty()) {
            giveBack(pool, job, dial);
            return new Next.Rest("the pool is gone");
        }
        Optional<Admission.Defer> meanwhile = Admission.meanwhile(after.get(), held, now);
        if (meanwhile.isPresent()) {
            giveBack(pool, job, dial);
            defer(List.of(job), after.get(), meanwhile.get(), new WriteBudget(), now);
            return new Next.StepAt(now);
        }
        Job dialling = job.dialling(dial, admit.reason() + "; " + pick.reason());
        if (!jobs.replace(dialling)) {
            giveBack(pool, job, dial);
            return new Next.StepAt(now);
        }
        // What the reserve was kept by, for whoever checks it.
        Entry entry = entry(job, dial)
                .with("free", after.get().free(now))
                .with("held", held)
                .with("reserve", outbound.policy().inboundReserve());
        ask(tenant, after.get(), dialling, dial, entry, now);
        return new Next.StepAt(now);
    }

    private static Entry entry(Job job, Dial dial) {
        return Entry.of("dial")
                .with("tenant", job.tenant())
                .with("job", job.id())
                .with("batch", job.batch().name())
                .with("container", dial.container())
                .with("generation", dial.generation())
                .measure(Metric.OUTBOUND_WAIT_SECONDS, seconds(job.waitingSince(), dial.at()));
    }

    /** Never negative: the clocks of two processes differ. */
    private static double seconds(Instant from, Instant to) {
        return Math.max(0, Duration.between(from, to).toMillis()) / 1000.0;
    }

    private Optional<Container> claim(
            PoolView view, int held, Job job, Generation generation, Container first, Instant now) {
        Set<ContainerId> lost = new HashSet<>();
        Container container = first;
        while (true) {
            Claim claim = Claim.reserved(generation, job.tenant(), job.waitingSince(), now)
                    .dialledFor(job.id());
            if (containers.claim(view.pool().id(), container.id(), job.id(), claim, container.limit(), now)
                    instanceof Containers.ClaimResult.Claimed claimed) {
                SlotReuse.write(view.pool().id(), container.id(), job.id(), claimed, now, journal);
                return Optional.of(container);
            }
            lost.add(container.id());
            if (lost.size() == MOST_LOST_SLOTS
                    || !(Admission.plan(view, held, lost, timing, now) instanceof Admission.Admit other)) {
                return Optional.empty();
            }
            container = other.container();
        }
    }

    private void ask(Tenant tenant, PoolView view, Job job, Dial dial, Entry entry, Instant now) {
        // A dial this late would come when the job has been given up as not dialled.
        Dials.Result result = dials.dial(
                tenant, job, dial.generation(), now.plus(timing.lostAfter().dividedBy(3)));
        switch (result) {
            case Dials.Result.Taken taken -> {
                journal.write(entry.with("callSid", taken.call())
                        .with("reason", job.steps().getLast().reason()));
                progress.learn(job.id(), dial.generation(), taken.call(), "Twilio's reply", now)
                        .filter(Job::cancelRequested)
                        .ifPresent(canceled -> dials.hangUp(tenant, taken.call()));
            }
            case Dials.Result.Unknown unknown -> {
                journal.write(entry.with("answer", "unknown").with("reason", unknown.reason()));
                jobs.replace(job.dialUnknown(unknown.reason(), now)); // refused if Twilio has asked for TwiML meanwhile
            }
            case Dials.Result.Refused refused -> {
                journal.write(entry.with("answer", "refused").with("reason", refused.reason()));
                lines.withdraw(view.pool().id(), job.id(), dial.generation(), dial.at());
                if (refused.forGood()) {
                    ending.end(job, Outcome.SETUP_FAILED, refused.reason(), now);
                } else {
                    Admission.Defer defer = new Admission.Defer(Cause.DEPENDENCY, refused.reason(), now);
                    ending.notDialled(job, seen -> deferred(seen, view, defer, now), now);
                }
            }
        }
    }

    private void giveBack(PoolId pool, Job job, Dial dial) {
        containers.release(pool, dial.container(), job.id(), dial.generation());
        lines.withdraw(pool, job.id(), dial.generation(), dial.at());
    }

    /** Jobs that may be dialled as far as their own numbers and hours go; the others are deferred or ended here. */
    private List<Job> permitted(List<Job> atHand, PoolView view, WriteBudget budget, Instant now) {
        OutboundPolicy policy = view.pool().outbound().policy();
        Set<String> busy = atHand.stream()
                .filter(job -> job.state().isInFlight())
                .map(Job::to)
                .collect(Collectors.toSet());
        List<Job> due = new ArrayList<>();
        for (Job job : atHand) {
            if (!job.isDue(now)) {
                continue;
            }
            if (job.cancelRequested()) {
                if (budget.spend()) {
                    progress.endAsSeen(job, Outcome.CANCELED, "by request", now);
                }
                continue;
            }
            switch (permit.of(job, policy, busy, now)) {
                case DialPermit.Verdict.Granted granted -> due.add(job);
                case DialPermit.Verdict.NotNow(Admission.Defer defer) -> defer(List.of(job), view, defer, budget, now);
                case DialPermit.Verdict.Never never -> {
                    if (budget.spend()) {
                        progress.refuse(job, Cause.SUPPRESSED, Slots.of(view, now), never.reason(), now);
                    }
                }
            }
        }
        return due;
    }

    /** Writes down why they wait and when they ask again; only for those whose time had come, which it gives. */
    private List<Job> defer(List<Job> due, PoolView view, Admission.Defer defer, WriteBudget budget, Instant now) {
        List<Job> deferred = due.stream()
                .filter(job -> job.isTimeToTry(now))
                .takeWhile(job -> budget.spend())
                .map(job -> deferred(job, view, defer, now))
                .filter(jobs::replace)
                .toList();
        deferred.forEach(next -> journal.write(Entry.of("deferred")
                .with("tenant", next.tenant())
                .with("job", next.id())
                .with("cause", defer.cause().text())
                .with("reason", defer.reason())
                .count(Metric.DEFERRALS)));
        return deferred;
    }

    private Job deferred(Job job, PoolView view, Admission.Defer defer, Instant now) {
        Instant earliest = defer.earliest().isAfter(now) ? defer.earliest() : now;
        return job.deferred(
                defer.cause(),
                Slots.of(view, now),
                defer.reason(),
                RetryTime.next(job, timing.coldStart(), earliest, chance.getAsDouble()),
                now);
    }

    private int held(TenantId tenant, Instant now) {
        return pools.read(PoolId.GATEWAY)
                .map(gateway -> (int) HeldCall.of(tenant, gateway, now).stream()
                        .filter(HeldCall::isWaiting)
                        .count())
                .orElse(0);
    }
}
