package dev.spillway.media.host;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * How much of the heap is left: its maximum less what was in use right after the last collection. What is in use at any
 * moment says little, since it grows to the brim and falls again with every collection; what a collection leaves behind is
 * what calls really hold, and some garbage that only a full collection finds. So when a lesser collection leaves less than
 * the floor, a full one is asked for, once a minute at most, and decides.
 *
 * <p>Before the first collection that is heard, what is in use at the moment must do.
 *
 * <p>Only the heap is measured. Network buffers and threads live outside it, in what {@code MaxRAMPercentage} leaves of the
 * container's memory.
 */
public final class HeapHeadroom implements LongSupplier {
    /** A full collection of the heap of a 2 GB task stops it for some 0.1 s: heard once a minute at most. A guess. */
    private static final Duration BETWEEN_FULL = Duration.ofMinutes(1);

    private final long floorBytes;
    private final Executor workers;
    private final Runnable collect;
    private volatile long leftBehind = -1;
    private volatile long collectedAtNanos = System.nanoTime() - BETWEEN_FULL.toNanos();

    /** @param floorBytes below this a full collection is asked for before the figure is believed */
    public HeapHeadroom(long floorBytes, Executor workers) {
        this(floorBytes, workers, System::gc);
    }

    HeapHeadroom(long floorBytes, Executor workers, Runnable collect) {
        this.floorBytes = floorBytes;
        this.workers = workers;
        this.collect = collect;
    }

    /** Begins to hear of collections. Loads much: not before the container serves. */
    public void listen() {
        Set<String> heapPools = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getName)
                .collect(Collectors.toSet());
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (collector instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener((notification, handback) -> heard(notification, heapPools), null, null);
            }
        }
    }

    @Override
    public long getAsLong() {
        long used = leftBehind;
        Runtime runtime = Runtime.getRuntime();
        return runtime.maxMemory() - (used >= 0 ? used : runtime.totalMemory() - runtime.freeMemory());
    }

    private void heard(Notification notification, Set<String> heapPools) {
        if (!notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            return;
        }
        var info = GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData());
        long used = info.getGcInfo().getMemoryUsageAfterGc().entrySet().stream()
                .filter(pool -> heapPools.contains(pool.getKey()))
                .mapToLong(pool -> pool.getValue().getUsed())
                .sum();
        collected(used, info.getGcAction().contains("major"));
    }

    /** @param full whether nothing but what is held was left */
    void collected(long usedBytes, boolean full) {
        leftBehind = usedBytes;
        long now = System.nanoTime();
        boolean isShort = Runtime.getRuntime().maxMemory() - usedBytes < floorBytes;
        if (isShort && !full && now - collectedAtNanos >= BETWEEN_FULL.toNanos()) {
            collectedAtNanos = now;
            workers.execute(collect);
        }
    }
}
