package dev.spillway.simulation.world;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.MissingRedirect;
import dev.spillway.core.call.StreamFailure;
import dev.spillway.core.call.StreamFailure.Kind;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.ContainerDrained;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.event.Announcement.JobsWaiting;
import dev.spillway.core.event.Announcement.Placed;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.event.Announcement.SlotsTaken;
import dev.spillway.core.event.Announcement.StreamSilent;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.order.OrderFollowing;
import dev.spillway.core.outbound.DialAnswering;
import dev.spillway.core.outbound.DialerRuns;
import dev.spillway.core.outbound.Dials;
import dev.spillway.core.outbound.OutboundEnding;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.reconcile.SilenceWatch;
import dev.spillway.core.routing.CallAnswering;
import dev.spillway.core.routing.CallAnswering.Answered;
import dev.spillway.core.routing.CallAnswering.Asked;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The functions: each invocation is a process of its own, that may die at any question. What starts a flow here is what its
 * handler does after it has verified and parsed.
 */
final class Functions implements Bus.Subscribers {
    private static final long SECOND = 1_000_000;
    /** A webhook's flow has this long; then the last resort answers. */
    private static final long DEADLINE = 2_500_000;
    /** Callers wait for these; the others hold leases, and may stand still until they have none any more. */
    private static final Set<String> WAITED_FOR = Set.of("overflow-scaler", "hand-off");

    /** The flows, as the functions wire them. */
    record Flows(
            CallAnswering answering,
            Growth growth,
            HandOff handOff,
            CallEnding ending,
            StreamFailure streamFailure,
            Pools pools,
            OrderFollowing following,
            DialAnswering dialAnswering,
            OutboundEnding outboundEnding,
            DialerRuns dialer,
            Dials dials,
            SilenceWatch silence) {}

    private final Scheduler scheduler;
    private final Faults faults;
    private final Trace trace;
    private final Laws laws;
    private final Bus.Delivery schedules;
    private final long seed;
    private final Flows flows;
    private final Visits visits;
    private final Set<TenantId> dialling;
    private final Mutation mutation;
    /** How often a name was given: what something is called says what it is about, not how many came before it. */
    private final Map<String, Integer> names = new HashMap<>();

    /**
     * @param schedules how well the schedules keep their times
     * @param dialling tenants that make calls: the dialer of the others has nothing to do
     */
    Functions(
            Scheduler scheduler,
            Faults faults,
            Trace trace,
            Laws laws,
            Bus.Delivery schedules,
            long seed,
            Flows flows,
            Visits visits,
            Set<TenantId> dialling,
            Mutation mutation) {
        this.scheduler = scheduler;
        this.faults = faults;
        this.trace = trace;
        this.laws = laws;
        this.schedules = schedules;
        this.seed = seed;
        this.flows = flows;
        this.visits = visits;
        this.dialling = dialling;
        this.mutation = mutation;
    }

    /** The time as the running invocation knows it. */
    Instant now() {
        return scheduler.believed();
    }

    private String named(String about) {
        int before = names.merge(about, 1, Integer::sum);
        return before == 1 ? about : about + " no. " + before;
    }

    private Machine invocation(String about) {
        String name = named(about);
        return new Machine(name, Clocks.error(Chance.of(seed, "clock of " + name))).mortal();
    }

    static String tail(CallSid sid) {
        return sid.value().substring(sid.value().length() - 6);
    }

    /** A webhook that asks where its call goes. */
    CompletableFuture<Answered> webhook(TenantId tenant, CallSid sid, int fromHop, String cause, boolean turnedAway) {
        Asked asked = new Asked(tenant, sid, fromHop, cause, turnedAway, null);
        return answer(
                cause.equals("continue") ? "continue" : "fallback",
                tenant,
                sid,
                fromHop,
                now -> flows.answering().answer(asked, now));
    }

    /** Whoever was dialled has picked up. */
    CompletableFuture<Answered> dialled(JobId job, Generation generation, CallSid sid, String cause) {
        return answer("dial", job.tenant(), sid, 0, now -> switch (flows.dialAnswering()
                .answer(job, generation, sid, now)) {
            case DialAnswering.Said.Told told -> new Answered(1, told.answer());
            case DialAnswering.Said.Elsewhere elsewhere ->
                flows.answering().answer(job.tenant(), sid, 0, cause + ": " + elsewhere.reason(), now);
        });
    }

    private CompletableFuture<Answered> answer(
            String name, TenantId tenant, CallSid sid, int fromHop, Function<Instant, Answered> decide) {
        Machine process = invocation(name + " of " + tail(sid) + " after hop " + fromHop);
        CompletableFuture<Answered> answer = process.owes(new CompletableFuture<>());
        scheduler.spawn(process.name(), process, 30_000, () -> {
            CompletableFuture<Answered> flow = new CompletableFuture<>();
            Instant now = now();
            scheduler.spawn(process.name() + " flow", process, () -> {
                try {
                    flow.complete(mutation.answered(decide.apply(now), now));
                } catch (DependencyException e) {
                    flow.completeExceptionally(e);
                } catch (RuntimeException e) {
                    laws.surprise(e);
                }
            });
            boolean inTime = scheduler.await(flow, DEADLINE) && !flow.isCompletedExceptionally();
            Answered given = inTime
                    ? flow.join()
                    : new Answered(fromHop + 1, flows.answering().unclaimed(fromHop + 1, now));
            if (!inTime) {
                trace.write(process.name(), () -> "last resort: the gateway, unclaimed");
            }
            laws.callers().answered(tenant, sid, given, inTime);
            answer.complete(given);
        });
        return answer;
    }

    /** Twilio's notice that a call ended. */
    void ended(TenantId tenant, CallSid sid, FinalStatus status, long delay) {
        once("status of " + tail(sid), delay, () -> flows.ending().endInbound(tenant, sid, 0, status, now()));
    }

    /** Twilio's notice of how a call goes that we made. */
    void outboundStatus(JobId job, Generation generation, CallSid sid, String word, long delay) {
        once("outbound-status " + word + " of " + tail(sid), delay, () -> {
            boolean goesOn = FinalStatus.parse(word).isEmpty();
            flows.outboundEnding()
                    .status(job, generation, sid, word, now())
                    .filter(known -> known.cancelRequested() && goesOn)
                    .ifPresent(known -> flows.dials().hangUp(Sample.tenant(job.tenant()), sid));
        });
    }

    /** Twilio's notice that a stream could not be opened, or broke. */
    void streamFailed(TenantId tenant, CallSid sid, int hop, Kind kind, long delay) {
        once("stream-status of " + tail(sid) + " at hop " + hop, delay, () -> awaitRedirect(tenant, sid, hop, kind));
    }

    private void awaitRedirect(TenantId tenant, CallSid sid, int hop, Kind kind) {
        new MissingRedirect(flows.streamFailure(), this::pause).await(Sample.tenant(tenant), sid, hop, kind);
    }

    boolean pause(Duration wait) {
        scheduler.sleep(wait.toNanos() / 1_000);
        return true;
    }

    /**
     * Nobody repeats it if it fails.
     *
     * @param about names it: no two things that differ are called alike
     */
    void once(String about, long delay, Runnable work) {
        Machine process = invocation(about);
        scheduler.spawn(process.name(), process, delay, () -> {
            try {
                work.run();
            } catch (DependencyException e) {
                trace.write(process.name(), () -> "notice lost: " + e.getMessage());
            } catch (RuntimeException e) {
                laws.surprise(e);
            }
        });
    }

    @Override
    public void deliver(String event, Announcement announcement, long delay) {
        switch (announcement) {
            case CallOverflowed overflow -> {
                repeated("overflow-scaler", event, delay, 2, () -> {
                    PoolId pool = PoolId.of(overflow.tenant());
                    flows.pools().restartIdleWindow(pool, now());
                    flows.growth().ask(pool, overflow.placed() != Placed.GATEWAY, now());
                });
                repeated("gateway-scaler", event, delay, 2, () -> flows.growth().ask(PoolId.GATEWAY, false, now()));
            }
            case SlotsTaken taken ->
                repeated(
                        "overflow-scaler", event, delay, 2, () -> flows.growth().ask(taken.pool(), false, now()));
            case ContainerReady ready -> {
                repeated("hand-off", event, delay, 2, () -> {
                    freed(ready.pool());
                    flows.following().visit(ready.pool(), now());
                });
                ready.pool().tenant().ifPresent(tenant -> dial(tenant, event, delay));
            }
            case SlotFreed freed -> {
                repeated("hand-off", event, delay, 2, () -> freed(freed.pool()));
                freed.pool().tenant().ifPresent(tenant -> dial(tenant, event, delay));
            }
            case ContainerDrained drained ->
                repeated("idle-sweeper", event, delay, 2, () -> visits.stopDrained(drained.pool()));
            case StreamSilent silent ->
                repeated(
                        "zombie-reconciler",
                        event,
                        delay,
                        2,
                        () -> awaitRedirect(silent.tenant(), silent.call(), silent.hop(), Kind.SILENT));
            case JobsWaiting waiting -> dial(waiting.tenant(), event, delay);
        }
    }

    private void dial(TenantId tenant, String event, long delay) {
        if (dialling.contains(tenant)) {
            repeated("dialer", event, delay, 2, () -> flows.dialer().run(tenant));
        }
    }

    private void freed(PoolId pool) {
        pool.tenant()
                .ifPresentOrElse(
                        tenant -> flows.handOff().run(tenant, now()),
                        () -> flows.growth().ask(PoolId.GATEWAY, false, now()));
    }

    @Override
    public void taskStopped(String event, Cluster.Running task, long delay) {
        repeated("zombie-reconciler", event, delay, 2, () -> visits.reconcile(task.pool()));
    }

    /** Every minute, anywhere within it. */
    void schedule(long untilMicros) {
        List<PoolId> ofDialers = dialling.stream().sorted().map(PoolId::of).toList();
        for (long minute = 0; minute * 60 * SECOND < untilMicros; minute++) {
            long round = minute;
            due("idle-sweeper", minute, World.POOLS, visits::sweep);
            due("zombie-reconciler", minute, World.POOLS, visits::reconcile, () -> watch(round));
            due("gateway-scaler", minute, List.of(PoolId.GATEWAY), pool -> visits.scaleGateway());
            due("dialer", minute, ofDialers, pool -> pool.tenant().ifPresent(flows.dialer()::tick));
        }
    }

    private void due(String name, long minute, List<PoolId> visited, Consumer<PoolId> work) {
        due(name, minute, visited, work, () -> {});
    }

    private void due(String name, long minute, List<PoolId> visited, Consumer<PoolId> work, Runnable afterwards) {
        long within = Chance.of(seed, name + " " + minute).between(0, 59 * SECOND);
        if (faults.happens("lost round " + name + " " + minute, schedules.lost() / 2)) {
            return;
        }
        boolean twice = faults.happens("doubled round " + name + " " + minute, schedules.doubled() / 2);
        scheduler.at((minute * 60) * SECOND + within, null, () -> {
            for (PoolId pool : visited) {
                String about = pool + " in minute " + minute;
                repeated(name, about, 0, 0, () -> work.accept(pool));
                if (twice) {
                    repeated(name, about + " too", SECOND / 10, 0, () -> work.accept(pool));
                }
            }
            afterwards.run();
        });
    }

    private void watch(long minute) {
        once(
                "zombie-reconciler's watch of minute " + minute,
                0,
                () -> flows.silence().watch(World.POOLS, now(), this::reconcileBeforeItsTurn));
    }

    private void reconcileBeforeItsTurn(PoolId pool) {
        try {
            visits.reconcile(pool);
        } catch (DependencyException e) {
            trace.write("zombie-reconciler", () -> "before its turn fails: " + e.getMessage());
        }
    }

    /** An asynchronous invocation: Lambda repeats it if it fails. */
    private void repeated(String name, String about, long delay, int repeats, Runnable work) {
        Machine process = invocation(name + " on " + about);
        if (!WAITED_FOR.contains(name)) {
            process.sluggish();
        }
        scheduler.spawn(process.name(), process, delay, () -> {
            try {
                work.run();
            } catch (DependencyException e) {
                trace.write(process.name(), () -> "fails: " + e.getMessage());
                if (repeats > 0) {
                    repeated(name, about + " again", 60 * SECOND, repeats - 1, work);
                }
            } catch (RuntimeException e) {
                laws.surprise(e);
            }
        });
    }
}
