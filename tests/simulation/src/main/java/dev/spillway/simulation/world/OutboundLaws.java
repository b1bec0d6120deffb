package dev.spillway.simulation.world;

import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobState;
import dev.spillway.core.outbound.JobState.Dial;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What has to hold of calls out: looked at with every dial, with every write of a job, a slot or a line, and twice a second. */
final class OutboundLaws implements Exchange.Watch {
    private static final long SECOND = 1_000_000;
    /**
     * How old what a dialer knows of its pool may be when it dials: 30 s by its clock, 5 s on the way, two clocks 1.5 s off
     * each.
     */
    private static final long OLDEST_LOOK_SECONDS = 38;

    private static final long OLDEST_LOOK_WHEN_CALM_SECONDS = 4;

    /** The minute's run comes anywhere within it, and may find another run that lasts 20 s. */
    private static final long LATE_END = 145 * SECOND;

    /** A callback comes in a quarter of a second; a container says within a heartbeat of 10 s what it has no more. */
    private static final long LATE_RELEASE = 25 * SECOND;

    private final MemoryTable table;
    private final Scheduler scheduler;
    private final Laws laws;
    private final OrderLaws orders;
    private final Map<TenantId, OutboundPolicy> policies;
    private final boolean calm;
    /** Slots claimed for jobs that nobody is dialled for yet. */
    private final Map<JobId, Pending> pending = new HashMap<>();

    private final Map<JobId, Exchange.CallOut> made = new LinkedHashMap<>();
    private final Map<JobId, Job> open = new LinkedHashMap<>();
    private final List<Exchange.CallOut> held = new ArrayList<>();
    private final Map<String, Integer> ends = new HashMap<>();
    private final Map<String, Integer> created = new HashMap<>();
    private final Map<String, Integer> wished = new HashMap<>();

    /** @param mostFree slots that were free at once, at some time since this one was taken */
    private record Pending(PoolId pool, Generation generation, int mostFree) {}

    OutboundLaws(MemoryTable table, Scheduler scheduler, Laws laws, OrderLaws orders, Outgoing outgoing, boolean calm) {
        this.table = table;
        this.scheduler = scheduler;
        this.laws = laws;
        this.orders = orders;
        this.policies = outgoing.policies();
        outgoing.requests()
                .forEach(request -> wished.put(request.batch(), request.wishes().size()));
        this.calm = calm;
    }

    private void require(boolean holds, Invariant invariant, Supplier<String> what) {
        if (!holds) {
            throw laws.broken(invariant, what.get());
        }
    }

    /** How the jobs ended. */
    Map<String, Integer> ends() {
        return ends;
    }

    @Override
    public void dials(Job job, Generation generation, List<Exchange.CallOut> before) {
        OutboundPolicy policy = policies.get(job.tenant());
        Job there = table.look(job.id());
        Exchange.CallOut first = made.get(job.id());
        if (first != null) {
            throw laws.broken(
                    Invariant.DIALLED_ONCE,
                    "job " + job.id() + " is dialled again, and its first dial was made as "
                            + first.call().sid());
        }
        require(
                there.state() instanceof JobState.Dialling(Dial dial)
                        && dial.generation().equals(generation),
                Invariant.DIALLED_ONCE,
                () -> "job " + job.id() + " is dialled as " + generation + ", and the table says " + there.state());
        long live = before.stream()
                .filter(out -> out.job().tenant().equals(job.tenant()) && !out.isOver())
                .count();
        require(
                policy != null && live < policy.outboundLimit(),
                Invariant.OUTBOUND_LIMIT,
                () -> "job " + job.id() + " is dialled while " + live + " calls of tenant " + job.tenant()
                        + " are up or ring, and " + (policy == null ? 0 : policy.outboundLimit()) + " are allowed");
        look(PoolId.of(job.tenant()));
        Pending claimed = pending.remove(job.id());
        require(
                claimed != null && claimed.generation.equals(generation),
                Invariant.RESERVE,
                () -> "job " + job.id() + " is dialled without a slot of its own");
        require(
                policy != null && claimed != null && claimed.mostFree >= policy.inboundReserve(),
                Invariant.RESERVE,
                () -> "job " + job.id() + " is dialled, and since it has its slot at most "
                        + (claimed == null ? 0 : claimed.mostFree) + " were free, of which "
                        + (policy == null ? 0 : policy.inboundReserve()) + " are reserved for callers");
        long late = calm ? OLDEST_LOOK_WHEN_CALM_SECONDS : OLDEST_LOOK_SECONDS;
        require(
                scheduler.instant().isBefore(job.deadline().plusSeconds(late)),
                Invariant.JOBS_END,
                () -> "job " + job.id() + " is dialled at " + scheduler.instant() + ", after its deadline "
                        + job.deadline());
        orders.dials(job.id());
    }

    @Override
    public void made(Exchange.CallOut out) {
        made.put(out.job(), out);
        held.add(out);
    }

    /** Looks at each write of a job. */
    Gate.Witness ofJobs() {
        return (method, arguments) -> {
            boolean writes =
                    method.getName().equals("replace") || method.getName().equals("create");
            if (!writes) {
                return result -> {};
            }
            Job next = (Job) arguments[0];
            Optional<Job> before =
                    method.getName().equals("replace") ? Optional.of(table.look(next.id())) : Optional.empty();
            return result -> {
                Job now = table.look(next.id());
                before.ifPresentOrElse(was -> changed(was, now), () -> created(now, result));
                if (now.state() instanceof JobState.Ended) {
                    open.remove(now.id());
                } else {
                    open.put(now.id(), now);
                }
            };
        };
    }

    private void created(Job job, @Nullable Object result) {
        if (Boolean.TRUE.equals(result)) {
            String batch = job.batch().name();
            int most = wished.getOrDefault(batch, 0);
            int many = created.merge(batch, 1, Integer::sum);
            require(
                    many <= most,
                    Invariant.DIALLED_ONCE,
                    () -> batch + " has " + many + " jobs, and " + most + " were asked for");
        }
    }

    private void changed(Job before, Job now) {
        if (before.equals(now)) {
            return;
        }
        String job = "job " + now.id();
        require(
                !(before.state() instanceof JobState.Ended),
                Invariant.JOBS_END,
                () -> job + " had ended as " + before.state() + " and is now " + now.state());
        Exchange.CallOut out = made.get(now.id());
        now.state()
                .callSid()
                .ifPresent(sid -> require(
                        out != null && out.call().sid().equals(sid),
                        Invariant.DIALLED_ONCE,
                        () -> job + " believes in call " + sid + ", and its own is "
                                + (out == null ? "none" : out.call().sid())));
        if (now.state() instanceof JobState.Ended(Outcome outcome, Instant at, var _, var _)) {
            ends.merge("job " + outcome.text(), 1, Integer::sum);
            boolean fits = switch (outcome) {
                case DEFERRED_EXPIRED -> out == null;
                // Whoever was dialled and then found no slot anywhere hears the busy message, or the apology.
                case REFUSED, SETUP_FAILED, CANCELED -> true;
                case COMPLETED, ABANDONED, LOST -> out != null;
            };
            require(
                    fits,
                    Invariant.JOBS_END,
                    () -> job + " ends as " + outcome.text() + " and was " + (out == null ? "never " : "") + "dialled");
            require(
                    out == null || out.isOver(),
                    Invariant.JOBS_END,
                    () -> job + " ends as " + outcome.text() + " while its call is up");
            require(
                    outcome != Outcome.DEFERRED_EXPIRED || !at.isBefore(now.deadline()),
                    Invariant.JOBS_END,
                    () -> job + " has expired at " + at + ", and its deadline is " + now.deadline());
            require(
                    !calm || outcome != Outcome.LOST,
                    Invariant.JOBS_END,
                    () -> job + " was lost though nothing failed");
        }
    }

    /** Looks at each write of a pool's slots. */
    Gate.Witness ofContainers() {
        return (method, arguments) -> result -> {
            if (method.getName().equals("find")) {
                return;
            }
            PoolId pool = arguments[0] instanceof PoolId id ? id : ((Container) arguments[0]).pool();
            if (method.getName().equals("claim")
                    && arguments[2] instanceof JobId job
                    && result instanceof ClaimResult.Claimed) {
                pending.put(job, new Pending(pool, ((Claim) arguments[3]).generation(), 0));
            }
            look(pool);
        };
    }

    /** Whoever looked at the pool since saw so many free slots at most. */
    private void look(PoolId pool) {
        if (pending.values().stream().noneMatch(claimed -> claimed.pool.equals(pool))) {
            return;
        }
        PoolView view = table.look(pool);
        Instant now = scheduler.instant();
        long late = calm ? OLDEST_LOOK_WHEN_CALM_SECONDS : OLDEST_LOOK_SECONDS;
        int free = Math.max(view.free(now.minusSeconds(late)), Math.max(view.free(now), view.free(now.plusSeconds(2))));
        pending.replaceAll((job, claimed) -> claimed.pool.equals(pool) && claimed.mostFree < free
                ? new Pending(pool, claimed.generation, free)
                : claimed);
    }

    /** Looks at each write of the list of calls out. */
    Gate.Witness ofLines() {
        return (method, arguments) -> result -> {
            PoolId pool = (PoolId) arguments[0];
            pool.tenant().map(policies::get).ifPresent(policy -> {
                int lines = table.item(pool).outbound().calls().size();
                require(
                        lines <= policy.outboundLimit(),
                        Invariant.OUTBOUND_LIMIT,
                        () -> "pool " + pool + " has " + lines + " calls out, and its limit is "
                                + policy.outboundLimit());
            });
        };
    }

    /** Twice a second, where nothing goes wrong: nothing is late. */
    void look() {
        if (!calm) {
            return;
        }
        long now = scheduler.now();
        for (Job job : open.values()) {
            require(
                    !job.isWaiting()
                            || job.deadline().plusNanos(LATE_END * 1_000).isAfter(scheduler.instant()),
                    Invariant.JOBS_END,
                    () -> "job " + job.id() + " still waits, and its deadline was " + job.deadline());
        }
        held.removeIf(out -> {
            if (out.overAt() < 0 || now - out.overAt() < LATE_RELEASE) {
                return false;
            }
            String left = left(out);
            require(
                    left.isEmpty(),
                    Invariant.JOBS_END,
                    () -> out.call() + " of job " + out.job() + " was over " + (now - out.overAt()) / SECOND
                            + " s ago, and there is still " + left);
            return true;
        });
    }

    private String left(Exchange.CallOut out) {
        List<String> left = new ArrayList<>();
        if (open.containsKey(out.job())) {
            left.add("its job");
        }
        for (PoolId pool : List.of(PoolId.of(out.job().tenant()), PoolId.GATEWAY)) {
            PoolView view = table.look(pool);
            if (view.pool().outbound().calls().containsKey(out.job())) {
                left.add("its line");
            }
            for (ClaimKey key : List.of(out.job(), out.call().sid())) {
                view.containers().stream()
                        .filter(container -> container.claims().containsKey(key))
                        .forEach(container -> left.add("its slot on " + container.id()));
            }
        }
        return String.join(", ", left);
    }

    /** What keeps a run from having come to its end. */
    List<String> unsettled() {
        List<String> left = new ArrayList<>();
        open.values()
                .forEach(
                        job -> left.add("job " + job.id() + " is " + job.state().text()));
        policies.keySet().forEach(tenant -> {
            Map<JobId, Generation> calls =
                    table.item(PoolId.of(tenant)).outbound().calls();
            if (!calls.isEmpty()) {
                left.add("tenant " + tenant + " has the calls out " + calls.keySet());
            }
        });
        return left;
    }
}
