package dev.spillway.core.outbound;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.outbound.JobState.Dial;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Asks about the dials that are under way: settles those of which nobody knows whether they took place, and ends jobs
 * whose final status never came. Nothing is decided by age alone: a call's record is asked, or Twilio. Needs no lease,
 * since each write is refused if the job has gone on.
 */
public final class DialInquiry {
    /** Questions to Twilio in one round. A guess: some seconds of them. */
    static final int MOST_QUESTIONS = 50;

    /** A call is listed from the moment it is made, by Twilio's clock and ours. */
    private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(10);

    private final Pools pools;
    private final Calls calls;
    private final Jobs jobs;
    private final Dials dials;
    private final Tenants tenants;
    private final OutboundEnding ending;
    private final Journal journal;
    private final Timing timing;

    public DialInquiry(
            Pools pools,
            Calls calls,
            Jobs jobs,
            Dials dials,
            Tenants tenants,
            OutboundEnding ending,
            Journal journal,
            Timing timing) {
        this.pools = pools;
        this.calls = calls;
        this.jobs = jobs;
        this.dials = dials;
        this.tenants = tenants;
        this.ending = ending;
        this.journal = journal;
        this.timing = timing;
    }

    /**
     * One round: each dial is asked about once at most. Where there are too many for one round, the next begins with
     * others.
     *
     * @param until no question is begun from then on
     */
    public void ask(TenantId id, InstantSource clock, Instant until) {
        Optional<PoolView> view = pools.read(PoolId.of(id));
        Optional<Tenant> tenant = tenants.find(id);
        if (view.isEmpty() || tenant.isEmpty()) {
            return;
        }
        List<Job> atHand = jobs.atHand(id);
        int asked = 0;
        for (Job job : inTurn(atHand, clock.instant())) {
            Instant now = clock.instant();
            if (asked == MOST_QUESTIONS || !now.isBefore(until)) {
                journal.write(Entry.of("inquiry-cut")
                        .with("tenant", id)
                        .with("asked", asked)
                        .with("reason", "the other dials are asked about in the next round"));
                return;
            }
            boolean isQuestion = job.state() instanceof JobState.Dialled dialled
                    ? dialled(tenant.get(), job, dialled, now)
                    : unsettled(
                            tenant.get(),
                            view.get(),
                            job,
                            job.state().lastDial().orElseThrow(),
                            atHand,
                            now);
            asked += isQuestion ? 1 : 0;
        }
    }

    /** Dials that may not have taken place first; otherwise each round begins further on. */
    private List<Job> inTurn(List<Job> atHand, Instant now) {
        List<Job> inFlight = new ArrayList<>(atHand.stream()
                .filter(job -> job.state().isInFlight())
                .sorted(Comparator.comparing(Job::id))
                .toList());
        long round = now.toEpochMilli() / Math.max(1, timing.round().toMillis());
        if (!inFlight.isEmpty()) {
            Collections.rotate(inFlight, -Math.floorMod(round * MOST_QUESTIONS, inFlight.size()));
        }
        inFlight.sort(Comparator.comparing((Job job) -> job.state() instanceof JobState.Dialled));
        return inFlight;
    }

    /**
     * Twilio's list decides: it shows calls by number and time, and no two calls of ours to one number are under way. Not
     * found at first may mean not yet, so that is believed only when no request of ours can still be on its way. Whether
     * Twilio was asked.
     */
    private boolean unsettled(Tenant tenant, PoolView view, Job job, Dial dial, List<Job> atHand, Instant now) {
        if (dial.at().plus(timing.lostAfter().dividedBy(3)).isAfter(now)) {
            return false; // its reply, its TwiML request or its first callback may come any moment
        }
        List<Dials.Listed> listed;
        try {
            listed = dials.find(tenant, job.from(), job.to(), dial.at().minus(CLOCKS_DIFFER));
        } catch (DependencyException e) {
            journal.write(entry("dial-unsettled", job, e.dependency() + " does not answer"));
            return true;
        }
        Set<CallSid> others = atHand.stream()
                .filter(other -> !other.id().equals(job.id()))
                .flatMap(other -> other.state().callSid().stream())
                .collect(Collectors.toSet());
        Optional<Dials.Listed> ours =
                listed.stream().filter(call -> !others.contains(call.call())).findFirst();
        if (ours.isPresent()) {
            Dials.Listed call = ours.get();
            journal.write(entry("dial-settled", job, "Twilio lists call " + call.call()));
            ending.status(job.id(), dial.generation(), call.call(), call.status(), now)
                    .filter(known -> FinalStatus.parse(call.status()).isEmpty())
                    .ifPresent(known -> hangUpIfCanceled(tenant, known, call.call()));
        } else if (dial.at().plus(timing.lostAfter()).isBefore(now)) {
            String reason = "Twilio never dialled: its list shows no such call";
            if (ending.notDialled(
                    job,
                    seen -> seen.deferred(Cause.DEPENDENCY, Slots.of(view, now), reason, now, now),
                    now)) {
                journal.write(entry("dial-settled", job, "Twilio lists no such call"));
            }
        }
        return true;
    }

    /** Its final status may have been lost: the call's record tells, or Twilio itself. Whether Twilio was asked. */
    private boolean dialled(Tenant tenant, Job job, JobState.Dialled dialled, Instant now) {
        Optional<Call> call = calls.find(job.tenant(), dialled.call());
        if (call.isPresent() && call.get().outcome() != null) {
            ending.endAs(job, call.get(), now);
            return false;
        }
        if (dialled.dial().at().plus(timing.lostAfter()).isAfter(now)) {
            return false;
        }
        Optional<String> word;
        try {
            word = dials.status(tenant, dialled.call());
        } catch (DependencyException e) {
            journal.write(entry("status-unknown", job, e.dependency() + " does not answer"));
            return true;
        }
        Optional<FinalStatus> status = word.flatMap(FinalStatus::parse);
        if (word.isEmpty()) {
            journal.write(entry("status-asked", job, "Twilio knows no call " + dialled.call()));
            ending.lose(job, dialled.call(), now);
        } else if (status.isPresent()) {
            journal.write(entry("status-asked", job, "Twilio says " + status.get()));
            ending.end(job, dialled.call(), status.get(), now);
        } else {
            hangUpIfCanceled(tenant, job, dialled.call());
        }
        return true;
    }

    /** The request to hang up may have found no call yet, or may have been lost. Its final status ends the job. */
    private void hangUpIfCanceled(Tenant tenant, Job job, CallSid call) {
        if (!job.cancelRequested()) {
            return;
        }
        try {
            dials.hangUp(tenant, call);
        } catch (DependencyException e) {
            journal.write(entry("hang-up-failed", job, e.dependency() + " does not answer"));
        }
    }

    private static Entry entry(String event, Job job, String reason) {
        return Entry.of(event)
                .with("tenant", job.tenant())
                .with("job", job.id())
                .with("reason", reason);
    }
}
