package dev.spillway.core.outbound;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
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
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the holder of the lease does before it dials: ends jobs whose deadline has passed or that were canceled, and gives
 * back what a dialer that died left behind. A free slot waits for it, so it asks nobody but the table; what only Twilio
 * knows is the matter of {@link DialInquiry}.
 */
public final class DialUpkeep {
    /**
     * A job that ended stays at hand that long: a request that creates it, and was held up, still finds it there. A
     * function's request lasts 30 s at most (FACTS 10).
     */
    static final Duration KEPT_AT_HAND = Duration.ofMinutes(10);

    private final Pools pools;
    private final Containers containers;
    private final Calls calls;
    private final Jobs jobs;
    private final OutboundLines lines;
    private final DialProgress progress;
    private final OutboundEnding ending;
    private final Journal journal;

    public DialUpkeep(
            Pools pools,
            Containers containers,
            Calls calls,
            Jobs jobs,
            OutboundLines lines,
            DialProgress progress,
            OutboundEnding ending,
            Journal journal) {
        this.pools = pools;
        this.containers = containers;
        this.calls = calls;
        this.jobs = jobs;
        this.lines = lines;
        this.progress = progress;
        this.ending = ending;
        this.journal = journal;
    }

    public void visit(TenantId id, Instant now) {
        Optional<PoolView> view = pools.read(PoolId.of(id));
        if (view.isEmpty()) {
            return;
        }
        WriteBudget budget = new WriteBudget();
        Map<JobId, Job> atHand = jobs.atHand(id).stream().collect(Collectors.toMap(Job::id, Function.identity()));
        for (Job job : atHand.values()) {
            switch (job.state()) {
                case JobState.Waiting waiting -> waiting(view.get(), job, budget, now);
                case JobState.Dialling dialling -> {}
                case JobState.DialUnknown unknown -> {}
                case JobState.Dialled dialled -> {}
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
        releaseUnused(view.get(), atHand.values());
    }

    /** A waiting job holds nothing; if something is held for it, a dialer died between its line and its dial. */
    private void waiting(PoolView view, Job job, WriteBudget budget, Instant now) {
        Generation left = view.pool().outbound().calls().get(job.id());
        boolean isOver = job.cancelRequested() || !job.deadline().isAfter(now);
        if ((left == null && !isOver) || !budget.spend()) {
            return;
        }
        // The next version first: should that dialer only have slept, it can no longer write that it dials.
        boolean written;
        if (job.cancelRequested()) {
            written = progress.endAsSeen(job, Outcome.CANCELED, "by request", now);
        } else if (isOver) {
            written = progress.endAsSeen(job, Outcome.DEFERRED_EXPIRED, "its deadline has passed", now);
        } else {
            written = jobs.replace(
                    job.deferred(Cause.DEPENDENCY, Slots.of(view, now), "a dialer died before it dialled", now, now));
        }
        if (written && left != null) {
            for (Container container : view.containers()) {
                containers.release(view.pool().id(), container.id(), job.id(), left);
            }
            lines.leave(view.pool().id(), job.id(), left);
        }
    }

    private static boolean holds(PoolView view, Job job) {
        return view.pool().outbound().calls().containsKey(job.id()) || hasSlot(view, job);
    }

    /** Whether a slot is claimed in the job's own name: its call has not been answered. */
    private static boolean hasSlot(PoolView view, Job job) {
        return view.containers().stream()
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

    /**
     * Slots that wait for a call which was answered with another one: when the dial's webhook could not read the table, the
     * last resort sends the call to the gateway. Only calls that are seen on another claim are asked about, since every
     * call that rings still has such a slot.
     */
    private void releaseUnused(PoolView view, Collection<Job> atHand) {
        List<Job> unanswered = atHand.stream()
                .filter(job -> job.state() instanceof JobState.Dialled && hasSlot(view, job))
                .toList();
        if (unanswered.isEmpty()) {
            return;
        }
        Set<ClaimKey> placed = Stream.concat(Stream.of(view), pools.read(PoolId.GATEWAY).stream())
                .flatMap(pool -> pool.containers().stream())
                .flatMap(container -> container.claims().keySet().stream())
                .collect(Collectors.toSet());
        for (Job job : unanswered) {
            Dial dial = job.state().lastDial().orElseThrow();
            CallSid call = job.state().callSid().orElseThrow();
            if (placed.contains(call)
                    && isPlacedOtherwise(job, call, dial)
                    && containers.release(view.pool().id(), dial.container(), job.id(), dial.generation())) {
                journal.write(Entry.of("orphan")
                        .with("pool", view.pool().id())
                        .with("container", dial.container())
                        .with("job", job.id())
                        .with("callSid", call)
                        .with("reason", "its call was answered with another slot"));
            }
        }
    }

    private boolean isPlacedOtherwise(Job job, CallSid call, Dial dial) {
        return calls.find(job.tenant(), call)
                .flatMap(Call::current)
                .flatMap(Answer::placed)
                .filter(generation -> !generation.equals(dial.generation()))
                .isPresent();
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
}
