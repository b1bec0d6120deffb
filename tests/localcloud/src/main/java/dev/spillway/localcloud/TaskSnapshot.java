package dev.spillway.localcloud;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One task at one instant.
 *
 * @param pid process id, or -1 before the process started; kept after it ended
 * @param startedAt when it became RUNNING, or null
 * @param protectedUntil end of its scale-in protection, or null
 */
public record TaskSnapshot(
        String taskArn,
        String taskId,
        String service,
        String family,
        int revision,
        String availabilityZone,
        int port,
        long pid,
        String lastStatus,
        String desiredStatus,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant stoppedAt,
        @Nullable Instant protectedUntil,
        @Nullable String stopCode,
        @Nullable String stoppedReason,
        @Nullable Integer exitCode) {

    public boolean running() {
        return lastStatus.equals("RUNNING");
    }

    public boolean stopped() {
        return lastStatus.equals("STOPPED");
    }
}
