package dev.spillway.lambda;

import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Tenants;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Visits every tenant's pool and the gateway, several at once. */
final class Rounds {
    /** Pools at once: ECS allows 20 reads of services per second (FACTS 7), and one visit makes two. */
    private static final int AT_ONCE = 8;

    private final Tenants tenants;
    private final Journal journal;

    Rounds(Tenants tenants, Journal journal) {
        this.tenants = tenants;
        this.journal = journal;
    }

    /** Some visits failed; the function fails with this, so that it is retried and the alarm is raised. */
    static final class UnfinishedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnfinishedException(String what, List<String> failed, int of, Throwable first) {
            super(what + " failed for " + failed.size() + " of " + of + " pools: " + failed, first);
        }
    }

    /** The pools of a round. */
    List<PoolId> pools() {
        List<PoolId> pools = new ArrayList<>();
        pools.add(PoolId.GATEWAY);
        tenants.all().stream().map(PoolId::of).forEach(pools::add);
        return pools;
    }

    /**
     * @param what the round's name, for the log
     * @throws UnfinishedException after every pool was visited, if a visit failed
     */
    void visitAll(String what, List<PoolId> pools, Consumer<PoolId> visit) {
        ConcurrentLinkedQueue<PoolId> failed = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<Throwable> causes = new ConcurrentLinkedQueue<>();
        forEach(pools, pool -> {
            try {
                visit.accept(pool);
            } catch (RuntimeException e) {
                failed.add(pool);
                causes.add(e);
                noteFailure(what, pool, e);
            }
        });
        if (!failed.isEmpty()) {
            List<String> names = failed.stream().map(PoolId::value).sorted().toList();
            throw new UnfinishedException(what, names, pools.size(), causes.element());
        }
    }

    /** Several pools at once: whether the look says so of any. */
    boolean any(List<PoolId> pools, Predicate<PoolId> look) {
        AtomicBoolean any = new AtomicBoolean();
        forEach(pools, pool -> {
            if (look.test(pool)) {
                any.set(true);
            }
        });
        return any.get();
    }

    /** Several pools at once; ends when all are done. The work deals with its own failures. */
    private void forEach(List<PoolId> pools, Consumer<PoolId> work) {
        Semaphore permits = new Semaphore(AT_ONCE);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (PoolId pool : pools) {
                threads.execute(() -> {
                    permits.acquireUninterruptibly();
                    try {
                        work.accept(pool);
                    } finally {
                        permits.release();
                    }
                });
            }
        }
    }

    /** One visit failed; the others go on. */
    void noteFailure(String what, PoolId pool, RuntimeException why) {
        journal.write(
                Entry.of("visit-failed").with("round", what).with("pool", pool).with("reason", why));
    }
}
