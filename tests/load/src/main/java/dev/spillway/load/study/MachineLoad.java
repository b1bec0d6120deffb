package dev.spillway.load.study;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The mean load of this machine while it is open: container and generator together, when both run on it. */
final class MachineLoad implements AutoCloseable {
    private static final long EVERY_NANOS = 500_000_000;

    private final AtomicBoolean over = new AtomicBoolean();
    private final DoubleAdder sum = new DoubleAdder();
    private final LongAdder samples = new LongAdder();

    MachineLoad() {
        Thread.ofPlatform().name("machine-load").daemon().start(this::sample);
    }

    private void sample() {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system)) {
            return;
        }
        while (!over.get()) {
            double load = system.getCpuLoad();
            if (load >= 0) {
                sum.add(load);
                samples.increment();
            }
            LockSupport.parkNanos(EVERY_NANOS);
        }
    }

    @Nullable
    Double mean() {
        return samples.sum() == 0 ? null : Double.valueOf(sum.sum() / samples.sum());
    }

    @Override
    public void close() {
        over.set(true);
    }
}
