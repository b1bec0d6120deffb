package dev.spillway.load.study;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** A container of a local stack: a process whose environment names that stack's table and that pool. Linux only. */
record ContainerProcess(long pid) {
    /** Of a second; what Linux counts processor time in towards programs, on every architecture that matters here. */
    private static final double TICKS_PER_SECOND = 100;

    static List<ContainerProcess> of(String dynamoDbUrl, String pool) {
        return ProcessHandle.allProcesses()
                .map(process -> new ContainerProcess(process.pid()))
                .filter(one -> one.belongs(dynamoDbUrl, pool))
                .toList();
    }

    private boolean belongs(String dynamoDbUrl, String pool) {
        try {
            List<String> environment = List.of(
                    new String(Files.readAllBytes(Path.of("/proc/" + pid + "/environ")), StandardCharsets.ISO_8859_1)
                            .split("\0"));
            return !dynamoDbUrl.isEmpty()
                    && environment.contains("AWS_ENDPOINT_URL_DYNAMODB=" + dynamoDbUrl)
                    && environment.contains("SPILLWAY_POOL=" + pool);
        } catch (IOException e) {
            return false; // somebody else's, or gone
        }
    }

    /** Whether it was there to be killed. */
    boolean kill() {
        return ProcessHandle.of(pid).map(ProcessHandle::destroyForcibly).orElse(false);
    }

    /** Processor time since its start, of all its threads; empty if it is gone, or this is no Linux. */
    OptionalLong cpuMillis() {
        try {
            return cpuMillis(Files.readString(Path.of("/proc/" + pid + "/stat")));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** @param stat a line of /proc/PID/stat: utime and stime are its fields 14 and 15, after a name that may hold blanks */
    static OptionalLong cpuMillis(String stat) {
        int name = stat.lastIndexOf(')');
        String[] fields =
                name < 0 ? new String[0] : stat.substring(name + 1).strip().split(" ");
        if (fields.length < 13) {
            return OptionalLong.empty();
        }
        try {
            long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
            return OptionalLong.of(Math.round(ticks * 1_000 / TICKS_PER_SECOND));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
