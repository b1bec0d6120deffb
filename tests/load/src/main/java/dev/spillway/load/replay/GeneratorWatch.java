package dev.spillway.load.replay;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the generator itself uses. What a machine does not tell is null. CPU time and garbage collection are counters since
 * the process began, of the receiver that the note names.
 */
public final class GeneratorWatch {
    /** Counting sockets means to look at every open file. */
    private static final long MOST_FILES_LOOKED_AT = 5_000;

    private final String receiver = ProcessHandle.current().pid() + "@"
            + ManagementFactory.getRuntimeMXBean().getStartTime();

    /** @return a line for the journal */
    public String sample(long sinceOriginNanos, int inFlight) {
        Runtime runtime = Runtime.getRuntime();
        Long pauses = 0L;
        Long pausedMillis = 0L;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            pauses = sum(pauses, collector.getCollectionCount());
            pausedMillis = sum(pausedMillis, collector.getCollectionTime());
        }
        Long cpu = null;
        Long files = null;
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            cpu = system.getProcessCpuTime() / 1_000_000;
            files = system.getOpenFileDescriptorCount();
        }
        return String.format(
                Locale.ROOT,
                "{\"e\":\"generator\",\"t\":%d,\"receiver\":\"%s\",\"inFlight\":%d,\"cpuMs\":%s,\"heapMb\":%d,"
                        + "\"residentMb\":%s,\"gcCount\":%s,\"gcMs\":%s,\"files\":%s,\"sockets\":%s}",
                sinceOriginNanos / 1_000_000,
                receiver,
                inFlight,
                cpu,
                (runtime.totalMemory() - runtime.freeMemory()) >> 20,
                residentMb(),
                pauses,
                pausedMillis,
                files,
                sockets(files));
    }

    /** Null once a collector does not tell: a part of a sum is none. */
    private static @Nullable Long sum(@Nullable Long so, long more) {
        return so == null || more < 0 ? null : Long.valueOf(so + more);
    }

    /** Resident memory; null where the system does not say. */
    public static @Nullable Long residentMb() {
        return status("VmRSS:");
    }

    /** The most resident memory that this process ever had; null where the system does not say. */
    public static @Nullable Long peakMb() {
        return status("VmHWM:");
    }

    private static @Nullable Long status(String key) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith(key)) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024;
                }
            }
        } catch (IOException e) {
            return null; // not Linux
        }
        return null;
    }

    private static @Nullable Integer sockets(@Nullable Long files) {
        if (files == null || files > MOST_FILES_LOOKED_AT) {
            return null;
        }
        int sockets = 0;
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path file : open) {
                sockets += isSocket(file) ? 1 : 0;
            }
        } catch (IOException e) {
            return null;
        }
        return sockets;
    }

    private static boolean isSocket(Path file) {
        try {
            return Files.readSymbolicLink(file).toString().startsWith("socket:");
        } catch (IOException e) {
            return false; // closed in the meantime
        }
    }
}
