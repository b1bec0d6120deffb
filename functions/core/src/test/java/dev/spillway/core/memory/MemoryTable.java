package dev.spillway.core.memory;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.background.Lease;
import dev.spillway.core.background.Leases;
import dev.spillway.core.background.Shift;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Generations;
import dev.spillway.core.call.JobId;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.order.OrderLog;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.outbound.OutboundLines;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Pool;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * Everything that the flows talk to, in memory and safe for many threads: each operation is one atomic step, as a
 * conditional write on one item is. {@code put} and {@code look} leave no trace in {@link #operations()}.
 */
public final class MemoryTable {
    private final Operations operations = new Operations();
    private final AtomicReference<Instant> clock = new AtomicReference<>(Sample.NOW);
    private final MemoryContainers containers = new MemoryContainers(operations, clock::get);
    private final MemoryPools pools = new MemoryPools(operations, containers);
    private final MemoryCalls calls = new MemoryCalls(operations);
    private final MemoryJobs jobs = new MemoryJobs(operations);
    private final MemoryAttempts attempts = new MemoryAttempts(operations, this::attempts);
    private final MemoryLines lines = new MemoryLines(operations, pools);
    private final MemoryLeases leases = new MemoryLeases(operations, pools);
    private final MemoryOrders orders = new MemoryOrders(operations);
    private final MemoryFleet fleet = new MemoryFleet(operations);
    private final Map<TenantId, Tenant> directory = new ConcurrentHashMap<>();
    private final List<Announcement> announced = new CopyOnWriteArrayList<>();
    private final List<Journal.Entry> journal = new CopyOnWriteArrayList<>();
    private final AtomicLong generation = new AtomicLong();
    private final Conversations conversations = new MemoryConversations();

    /** What the table itself dates is dated by this time from now on. */
    public void time(Instant now) {
        clock.set(now);
    }

    public Pools pools() {
        return pools;
    }

    public Containers containers() {
        return containers;
    }

    public Calls calls() {
        return calls;
    }

    public Conversations conversations() {
        return conversations;
    }

    private List<Attempt> attempts(TenantId tenant) {
        return Stream.concat(
                        calls.attempts(tenant).stream(),
                        jobs.attempts(tenant).stream()
                                .map(job -> Optional.ofNullable(job.call())
                                        .flatMap(call -> calls.look(tenant, call))
                                        .map(job::joined)
                                        .orElse(job)))
                .toList();
    }

    /** The list of what {@link #calls()} and {@link #jobs()} know. */
    public Attempts listing() {
        return attempts;
    }

    public Jobs jobs() {
        return jobs;
    }

    public OutboundLines lines() {
        return lines;
    }

    public Leases leases() {
        return leases;
    }

    /** A shift of background work that begins now, whoever had one before; it leaves no trace in the log of operations. */
    public Shift shift(PoolId id, Instant now) {
        Lease lease = operations.quietly(() -> pools.item(id)
                .map(pool -> {
                    Lease next = new Lease(
                            "shift", pool.background().lease().generation() + 1, now.plus(Duration.ofMinutes(1)));
                    pools.replace(pool.with(draft -> draft.background = draft.background.under(next)));
                    return next;
                })
                .orElse(Lease.NONE));
        return new Shift(id, lease, pools.under(id, lease), containers.under(id, lease));
    }

    public OrderLog orders() {
        return orders;
    }

    public MemoryFleet fleet() {
        return fleet;
    }

    public Tenants tenants() {
        return new Tenants() {
            @Override
            public Optional<Tenant> find(TenantId id) {
                return operations.perform(Operation.TENANTS_FIND, () -> Optional.ofNullable(directory.get(id)));
            }

            @Override
            public List<TenantId> all() {
                return operations.perform(
                        Operation.TENANTS_ALL,
                        () -> directory.keySet().stream().sorted().toList());
            }
        };
    }

    public Announcements announcements() {
        return announced::add;
    }

    public Journal journal() {
        return journal::add;
    }

    /** Generations {@code 1.0000000000000001}, {@code 1.0000000000000002} and so on: never the same twice. */
    public Generations generations() {
        return hop -> new Generation(hop, "%016d".formatted(generation.incrementAndGet()));
    }

    public Operations operations() {
        return operations;
    }

    /** What was announced so far, in order. */
    public List<Announcement> announced() {
        return List.copyOf(announced);
    }

    /** What was written to the journal so far, in order. */
    public List<Journal.Entry> written() {
        return List.copyOf(journal);
    }

    /** What was written to the journal under that event's name. */
    public List<Journal.Entry> written(String event) {
        return journal.stream().filter(entry -> entry.event().equals(event)).toList();
    }

    public void put(Pool pool) {
        pools.put(pool);
    }

    public void put(Container container) {
        containers.put(container);
    }

    public void put(Call call) {
        calls.put(call);
    }

    public void put(Tenant tenant) {
        directory.put(tenant.id(), tenant);
    }

    public void put(Job job) {
        jobs.put(job);
    }

    public Job look(JobId id) {
        return jobs.look(id).orElseThrow();
    }

    public PoolView look(PoolId id) {
        return pools.look(id).orElseThrow();
    }

    /** The pool's own item, without its containers. */
    public Pool item(PoolId id) {
        return operations.quietly(() -> pools.item(id)).orElseThrow();
    }

    /** Whether any container of that pool has a claim. */
    public boolean isClaimed(PoolId id) {
        return operations.quietly(() -> containers.isClaimed(id));
    }

    public Container look(PoolId pool, ContainerId id) {
        return containers.look(pool, id).orElseThrow();
    }

    public boolean has(PoolId pool, ContainerId id) {
        return containers.look(pool, id).isPresent();
    }

    public Call look(TenantId tenant, CallSid sid) {
        return calls.look(tenant, sid).orElseThrow();
    }

    /** The container's item, if there is one; leaves no trace. */
    public Optional<Container> peek(PoolId pool, ContainerId id) {
        return containers.look(pool, id);
    }

    /** The call's record, if there is one; leaves no trace. */
    public Optional<Call> peek(TenantId tenant, CallSid sid) {
        return calls.look(tenant, sid);
    }

    /** How many calls the table knows. */
    public int attempts() {
        return calls.size();
    }
}
