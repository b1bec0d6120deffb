package dev.spillway.core.memory;

import dev.spillway.core.background.Lease;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.Outbound.Pace;
import dev.spillway.core.outbound.OutboundLines;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

final class MemoryLines implements OutboundLines {
    private final Operations operations;
    private final MemoryPools pools;
    private final Map<PoolId, Instant> watched = new HashMap<>();

    MemoryLines(Operations operations, MemoryPools pools) {
        this.operations = operations;
        this.pools = pools;
    }

    @Override
    public Optional<Lease> lead(PoolId pool, String holder, Instant now, Instant until) {
        return operations.perform(
                Operation.LINES_LEAD,
                () -> pools.item(pool)
                        .filter(item -> item.outbound().lease().isFree(now)
                                || item.outbound().lease().holder().equals(holder))
                        .map(item -> {
                            Lease before = item.outbound().lease();
                            Lease lease = before.holder().equals(holder)
                                    ? before // the own write, whose reply was lost
                                    : new Lease(holder, before.generation() + 1, until);
                            pools.replace(item.withOutbound(withLease(item.outbound(), lease)));
                            return lease;
                        }));
    }

    @Override
    public boolean extend(PoolId pool, Lease lease, Instant until) {
        return change(Operation.LINES_EXTEND, pool, outbound -> {
            Lease there = outbound.lease();
            return there.generation() == lease.generation()
                    ? withLease(outbound, new Lease(there.holder(), there.generation(), until))
                    : null;
        });
    }

    @Override
    public boolean enter(PoolId pool, Lease lease, JobId job, Generation generation, int limit, Pace pace) {
        return change(Operation.LINES_ENTER, pool, outbound -> {
            Generation there = outbound.calls().get(job);
            if (there != null) {
                return there.equals(generation) ? outbound : null;
            }
            if (outbound.lease().generation() != lease.generation()
                    || outbound.calls().size() >= limit) {
                return null;
            }
            Map<JobId, Generation> calls = new HashMap<>(outbound.calls());
            calls.put(job, generation);
            return new Outbound(outbound.policy(), outbound.lease(), calls, pace);
        });
    }

    @Override
    public boolean leave(PoolId pool, JobId job, Generation generation) {
        return change(Operation.LINES_LEAVE, pool, outbound -> {
            if (!generation.equals(outbound.calls().get(job))) {
                return null;
            }
            Map<JobId, Generation> calls = new HashMap<>(outbound.calls());
            calls.remove(job);
            return new Outbound(outbound.policy(), outbound.lease(), calls, outbound.pace());
        });
    }

    @Override
    public boolean withdraw(PoolId pool, JobId job, Generation generation, Instant countedAt) {
        return change(Operation.LINES_WITHDRAW, pool, outbound -> {
            if (!generation.equals(outbound.calls().get(job))) {
                return null;
            }
            Map<JobId, Generation> calls = new HashMap<>(outbound.calls());
            calls.remove(job);
            return new Outbound(
                    outbound.policy(), outbound.lease(), calls, outbound.pace().notDialled(countedAt));
        });
    }

    @Override
    public boolean watch(PoolId pool, Instant now, Instant until) {
        return operations.perform(Operation.LINES_WATCH, () -> {
            Instant watchedUntil = watched.getOrDefault(pool, now);
            if (pools.item(pool).isEmpty() || (watchedUntil.isAfter(now) && !watchedUntil.isAfter(until))) {
                return false;
            }
            watched.put(pool, until);
            return true;
        });
    }

    private static Outbound withLease(Outbound outbound, Lease lease) {
        return new Outbound(outbound.policy(), lease, outbound.calls(), outbound.pace());
    }

    private boolean change(Operation operation, PoolId pool, Function<Outbound, @Nullable Outbound> change) {
        return operations.perform(operation, () -> {
            Optional<Pool> item = pools.item(pool);
            Outbound next = item.isEmpty() ? null : change.apply(item.get().outbound());
            if (item.isEmpty() || next == null) {
                return false;
            }
            pools.replace(item.get().withOutbound(next));
            return true;
        });
    }
}
