package dev.spillway.simulation.world;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.order.Orders;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobState;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.OutboundLines;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What is planted in the making of calls. */
final class DialFaults {
    private final Mutation planted;
    private final MemoryTable table;

    DialFaults(Mutation planted, MemoryTable table) {
        this.planted = planted;
        this.table = table;
    }

    Jobs jobs(Jobs real) {
        return planted == Mutation.AN_UNKNOWN_DIAL_IS_MADE_AGAIN || planted == Mutation.EXPIRED_JOBS_STAY
                ? Planting.around(Jobs.class, real, (method, arguments, go) -> {
                    if (method.getName().equals("replace") && arguments[0] instanceof Job next) {
                        if (planted == Mutation.AN_UNKNOWN_DIAL_IS_MADE_AGAIN
                                && next.state() instanceof JobState.DialUnknown(JobState.Dial dial)) {
                            Job asItIs = table.look(next.id());
                            arguments[0] = asItIs.deferred(
                                    Cause.DEPENDENCY,
                                    Slots.unseen(PoolId.of(next.tenant())),
                                    "not made, it seems",
                                    dial.at(),
                                    dial.at());
                        }
                        if (planted == Mutation.EXPIRED_JOBS_STAY
                                && next.state() instanceof JobState.Ended ended
                                && ended.outcome() == Outcome.DEFERRED_EXPIRED) {
                            return false;
                        }
                    }
                    return go.run();
                })
                : real;
    }

    /** The dialers' lease, and what is entered under it. */
    OutboundLines lines(OutboundLines real) {
        return switch (planted) {
            case A_DIALER_TAKES_WHAT_ANOTHER_HOLDS ->
                Planting.around(OutboundLines.class, real, (method, arguments, go) -> {
                    if (method.getName().equals("lead")) {
                        arguments[2] = Instant.MAX; // whoever holds it, its time is over then
                    }
                    return go.run();
                });
            case A_FORMER_DIALER_GOES_ON ->
                Planting.around(OutboundLines.class, real, (method, arguments, go) -> {
                    if (method.getName().equals("enter")) {
                        arguments[1] =
                                table.item((PoolId) arguments[0]).outbound().lease();
                    }
                    return go.run();
                });
            default -> real;
        };
    }

    /** What gives back what a dial held. */
    Containers containersOfEnding(Containers real) {
        return planted == Mutation.BUSY_FREES_NOTHING
                ? Planting.around(
                        Containers.class,
                        real,
                        (method, arguments, go) ->
                                method.getName().equals("release") && isBusy(arguments[2]) ? false : go.run())
                : real;
    }

    OutboundLines linesOfEnding(OutboundLines real) {
        return planted == Mutation.BUSY_FREES_NOTHING
                ? Planting.around(
                        OutboundLines.class,
                        real,
                        (method, arguments, go) ->
                                method.getName().equals("leave") && isBusy(arguments[1]) ? false : go.run())
                : real;
    }

    private boolean isBusy(@Nullable Object key) {
        return key instanceof JobId job
                && table.look(job).steps().getLast().reason().endsWith("call status BUSY");
    }

    Pools poolsOfDialer(Pools real) {
        if (planted == Mutation.THE_OUTBOUND_LIMIT_IS_NOT_KEPT) {
            return Planting.seeing(real, pool -> withPolicy(pool, 1_000, -1));
        }
        if (planted == Mutation.THE_RESERVE_IS_NOT_KEPT) {
            return Planting.seeing(real, pool -> withPolicy(pool, -1, 0));
        }
        return planted == Mutation.A_STOP_IS_NOT_HEEDED
                ? Planting.seeing(real, pool -> pool.with(draft -> draft.orders = Orders.NONE))
                : real;
    }

    private static Pool withPolicy(Pool pool, int limit, int reserve) {
        Outbound outbound = pool.outbound();
        OutboundPolicy policy = outbound.policy();
        return pool.withOutbound(new Outbound(
                new OutboundPolicy(
                        limit < 0 ? policy.outboundLimit() : limit,
                        reserve < 0 ? policy.inboundReserve() : reserve,
                        policy.maxWaitingJobs(),
                        policy.dialsPerSecond(),
                        policy.dailyCap(),
                        policy.providerLimits(),
                        policy.countries(),
                        policy.suppressed(),
                        policy.warmth()),
                outbound.lease(),
                outbound.calls(),
                outbound.pace()));
    }
}
