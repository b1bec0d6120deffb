package dev.spillway.load.study;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The processor time of a pool's only container while calls are held on it: the generator runs on the same machine and is not
 * in it. Unknown if the pool has no process here, or more than one.
 */
final class ContainerCpu implements AutoCloseable {
    private static final long EVERY_MILLIS = 500;

    private final Thread sampler;
    private volatile long first = -1;
    private volatile long last = -1;
    private volatile long pid = -1;
    private volatile boolean single = true;

    ContainerCpu(String dynamoDbUrl, String pool) {
        sampler = Thread.ofVirtual().name("container-cpu").start(() -> sample(dynamoDbUrl, pool));
    }

    private void sample(String dynamoDbUrl, String pool) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                List<ContainerProcess> all = ContainerProcess.of(dynamoDbUrl, pool);
                if (all.size() == 1) {
                    note(all.getFirst());
                }
                if (all.size() > 1) {
                    single = false;
                }
                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void note(ContainerProcess container) {
        OptionalLong millis = container.cpuMillis();
        if (millis.isEmpty()) {
            return;
        }
        if (pid != container.pid()) {
            if (pid >= 0) {
                single = false; // another took its place
            }
            pid = container.pid();
            first = millis.getAsLong();
        }
        last = millis.getAsLong();
    }

    /** Cores that it used, if all that it computed was for calls that were held for so long; null if that cannot be told. */
    @Nullable
    Double coresOver(double seconds) {
        return !single || first < 0 ? null : Double.valueOf((last - first) / 1e3 / seconds);
    }

    @Override
    public void close() {
        sampler.interrupt();
    }
}
