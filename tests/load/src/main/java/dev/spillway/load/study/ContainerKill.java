package dev.spillway.load.study;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Kills one container of a local stack: a process whose environment names that stack's table and that pool. Linux only. */
final class ContainerKill {
    private ContainerKill() {}

    /** @return the process, if there was one */
    static Optional<Long> kill(String dynamoDbUrl, String pool) {
        return ProcessHandle.allProcesses()
                .filter(process -> belongs(process.pid(), dynamoDbUrl, pool))
                .findFirst()
                .filter(ProcessHandle::destroyForcibly)
                .map(ProcessHandle::pid);
    }

    private static boolean belongs(long pid, String dynamoDbUrl, String pool) {
        try {
            List<String> environment = List.of(
                    new String(Files.readAllBytes(Path.of("/proc/" + pid + "/environ")), StandardCharsets.ISO_8859_1)
                            .split("\0"));
            return environment.contains("AWS_ENDPOINT_URL_DYNAMODB=" + dynamoDbUrl)
                    && environment.contains("SPILLWAY_POOL=" + pool);
        } catch (IOException e) {
            return false; // somebody else's, or gone
        }
    }
}
