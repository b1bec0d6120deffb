package dev.spillway.load.gatling;

import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.Simulation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Users that arrive at a constant rate and each wait for the service time. When the first is due is not told by Gatling: the
 * origin is laid so that no user is early and the lateness is the least that it can be.
 */
public final class OpenInjection extends Simulation {
    private static final int RATE = Integer.getInteger("bench.rate", 5_000);
    private static final int SECONDS = Integer.getInteger("bench.seconds", 20);
    private static final int SERVICE_MILLIS = Integer.getInteger("bench.serviceMillis", 200);

    private final long[] starts = new long[RATE * SECONDS + RATE];
    private final AtomicInteger started = new AtomicInteger();

    public OpenInjection() {
        setUp(scenario("open")
                .exec(session -> {
                    starts[started.getAndIncrement()] = System.nanoTime();
                    return session;
                })
                .pause(Duration.ofMillis(SERVICE_MILLIS))
                .injectOpen(constantUsersPerSec(RATE).during(Duration.ofSeconds(SECONDS))));
    }

    @Override
    public void after() {
        int count = started.get();
        long[] sorted = Arrays.copyOf(starts, count);
        Arrays.sort(sorted);
        double apart = 1e9 / RATE;
        double origin = Double.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            origin = Math.min(origin, sorted[i] - i * apart);
        }
        double[] late = new double[count];
        for (int i = 0; i < count; i++) {
            late[i] = (sorted[i] - i * apart - origin) / 1e6;
        }
        Arrays.sort(late);
        System.out.printf(
                Locale.ROOT,
                "BENCH {\"started\":%d,\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f,\"peakMb\":%d}%n",
                count,
                at(late, 50),
                at(late, 99),
                at(late, 100),
                peakMb());
    }

    private static double at(double[] sorted, double percent) {
        return sorted.length == 0
                ? 0
                : sorted[Math.clamp((long) Math.ceil(percent / 100 * sorted.length) - 1, 0, sorted.length - 1)];
    }

    private static long peakMb() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024;
                }
            }
        } catch (IOException e) {
            return -1; // not Linux
        }
        return -1;
    }
}
