package dev.spillway.core.outbound;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.outbound.JobState.Dial;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What the holder of the lease does before it dials: ends jobs whose deadline has passed, settles dials of which nobody
 * knows whether they took place, ends jobs whose final status never came, and gives back what a dialer that died left
 * behind. Nothing here is decided by age alone: a job is asked, a call's record, or Twilio.
 */
public final class DialUpkeep {
    /**
     * A job that ended stays at hand that long: a request that creates it, and was held up, still finds it there. A
     * function's request lasts 30 s at most (FACTS 10).
     */
    static final Duration KEPT_AT_HAND = Duration.ofMinutes(10);

    /** A call is listed from the moment it is made, by Twilio's clock and ours. */
    private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(10);

    private final Pools pools;
    private final Containers containers;
    private final Calls calls;
    private final Jobs jobs;
    private final OutboundLines lines;
    private final Dials dials;
    private final Tenants tenants;
    private final DialProgress progress;
    private final OutboundEnding ending;
    private final Journal journal;
    private final Timing timing;

    public DialUpkeep(
            Pools pools,
            Containers containers,
            Calls calls,
            Jobs jobs,
            OutboundLines lines,
            Dials dials,
            Tenants tenants,
            DialProgress progress,
            OutboundEnding ending,
            Journal journal,
            Timing timing) {
        this.pools = pools;
        this.containers = containers;
        this.calls = calls;
        this.jobs = jobs;
        this.lines = lines;
        this.dials = dials;
        this.tenants = tenants;
        this.progress = progress;
        this.ending = ending;
        this.journal = journal;
        this.timing = timing;
    }

    public void visit(TenantId id, Instant now) {
        Optional<PoolView> view = pools.read(PoolId.of(id));
        Optional<Tenant> tenant = tenants.find(id);
        if (view.isEmpty() || tenant.isEmpty()) {
            return;
        }
        Map<JobId, Job> atHand = jobs.atHand(id).stream().collect(Collectors.toMap(Job::id, Function.identity()));
        for (Job job : atHand.values()) {
            switch (job.state()) {
                case JobState.Waiting waiting -> waiting(view.get(), job, now);
                case JobState.Dialling dialling ->
                    unsettled(tenant.get(), view.get(), job, dialling.dial(), atHand, now);
                case JobState.DialUnknown unknown ->
                    unsettled(tenant.get(), view.get(), job, unknown.dial(), atHand, now);
                case JobState.Dialled dialled -> dialled(tenant.get(), job, dialled, now);
                case JobState.Ended ended -> {
                    if (holds(view.get(), job)) {
                        ending.free(job, now);
                    }
                    if (ended.at().plus(KEPT_AT_HAND).isBefore(now)) {
                        jobs.putBy(job);
                    }
                }
            }
        }
        releaseStrays(view.get(), atHand);
    }

    /** A waiting job holds nothing; if something is held for it, a dialer died between its line and its dial. */
    private void waiting(PoolView view, Job job, Instant now) {
        if (!job.deadline().isAfter(now)) {
            progress.end(job, Outcome.DEFERRED_EXPIRED, "its deadline has passed", now);
            return;
        }
        Generation left = view.pool().outbound().calls().get(job.id());
        if (left == null) {
            return;
        }
        // The next version first: should that dialer only have slept, it can no longer write that it dials.
        if (jobs.replace(
                job.deferred(Cause.DEPENDENCY, Slots.of(view, now), "a dialer died before it dialled", now, now))) {
            for (Container container : view.containers()) {
                containers.release(view.pool().id(), container.id(), job.id(), left);
            }
            lines.leave(view.pool().id(), job.id(), left);
        }
    }

    /**
     * Twilio's list decides: it shows calls by number and time, and no two calls of ours to one number are under way. Not
     * found at first may mean not yet, so that is believed only when no request of ours can still be on its way.
     */
    private void unsettled(Tenant tenant, PoolView view, Job job, Dial dial, Map<JobId, Job> atHand, Instant now) {
        if (dial.at().plus(timing.lostAfter().dividedBy(3)).isAfter(now)) {
            return; // its reply, its TwiML request or its first callback may come any moment
        }
        List<Dials.Listed> listed;
        try {
            listed = dials.find(tenant, job.from(), job.to(), dial.at().minus(CLOCKS_DIFFER));
        } catch (DependencyException e) {
            journal.write(entry("dial-unsettled", job, e.dependency() + " does not answer"));
            return;
        }
        Set<CallSid> others = atHand.values().stream()
                .filter(other -> !other.id().equals(job.id()))
                .flatMap(other -> other.state().callSid().stream())
                .collect(Collectors.toSet());
        Optional<Dials.Listed> ours =
                listed.stream().filter(call -> !others.contains(call.call())).findFirst();
        if (ours.isPresent()) {
            journal.write(
                    entry("dial-settled", job, "Twilio lists call " + ours.get().call()));
            ending.status(
                    job.id(), dial.generation(), ours.get().call(), ours.get().status(), now);
        } else if (dial.at().plus(timing.lostAfter()).isBefore(now)) {
            Job again = job.deferred(
                    Cause.DEPENDENCY,
                    Slots.of(view, now),
                    "Twilio never dialled: its list shows no such call",
                    now,
                    now);
            if (jobs.replace(again)) {
                journal.write(entry("dial-settled", job, "Twilio lists no such call: dialled again in its turn"));
                ending.free(job, now);
            }
        }
    }

    /** Its final status may have been lost: the call's record tells, or Twilio itself. */
    private void dialled(Tenant tenant, Job job, JobState.Dialled dialled, Instant now) {
        Optional<Call> call = calls.find(job.tenant(), dialled.call());
        if (call.isPresent() && call.get().outcome() != null) {
            ending.endAs(job, call.get(), now);
            return;
        }
        if (dialled.dial().at().plus(timing.lostAfter()).isAfter(now)) {
            return;
        }
        try {
            dials.status(tenant, dialled.call()).flatMap(FinalStatus::parse).ifPresent(status -> {
                journal.write(entry("status-asked", job, "Twilio says " + status));
                ending.end(job, dialled.call(), status, now);
            });
        } catch (DependencyException e) {
            journal.write(entry("status-unknown", job, e.dependency() + " does not answer"));
        }
    }

    private static boolean holds(PoolView view, Job job) {
        return view.pool().outbound().calls().containsKey(job.id())
                || view.containers().stream()
                        .anyMatch(container -> container.claims().containsKey(job.id()));
    }

    /** Lines and claims whose job has no dial of that generation: it is another's, over, or was never written. */
    private void releaseStrays(PoolView view, Map<JobId, Job> atHand) {
        PoolId pool = view.pool().id();
        view.pool().outbound().calls().forEach((id, generation) -> {
            if (!atHand.containsKey(id)) {
                lines.leave(pool, id, generation);
            }
        });
        for (Container container : view.containers()) {
            for (Map.Entry<ClaimKey, Claim> held : container.claims().entrySet()) {
                if (held.getKey() instanceof JobId id
                        && !isDialOf(id, held.getValue().generation(), view, atHand)) {
                    containers.release(pool, container.id(), id, held.getValue().generation());
                    journal.write(Entry.of("orphan")
                            .with("pool", pool)
                            .with("container", container.id())
                            .with("job", id)
                            .with("reason", "no dial names this claim any more"));
                }
            }
        }
    }

    /** A line without a dial is looked at with its waiting job, so that what it names is left alone here. */
    private static boolean isDialOf(JobId id, Generation generation, PoolView view, Map<JobId, Job> atHand) {
        Job job = atHand.get(id);
        return job != null
                && (job.state()
                                .lastDial()
                                .filter(dial -> dial.generation().equals(generation))
                                .isPresent()
                        || generation.equals(view.pool().outbound().calls().get(id)));
    }

    private static Entry entry(String event, Job job, String reason) {
        return Entry.of(event)
                .with("tenant", job.tenant())
                .with("job", job.id())
                .with("reason", reason);
    }
}
