package dev.spillway.core.pool;

import java.time.Instant;

/**
 * What a container says of itself with each heartbeat.
 *
 * @param setups calls being admitted
 * @param live streams carrying a conversation here
 * @param relays streams passed on to another container: work for draining, not for admission
 * @param cleanup calls that ended and are being put away
 * @param lastActivity the last time a call began or ended here; the start of the container if none did
 * @param shortOfMemory it refuses new calls until it has more memory left; those that it has a claim for it still takes
 * @param agentMissing nobody answers new calls there: its bot cannot be reached, and it refuses them until it can; or it was closed
 *     for good (asked to stop, declared lost), and it always will. Whatever the item's state says, no call is sent to it
 */
public record Report(
        int setups,
        int live,
        int relays,
        int cleanup,
        long memoryBytes,
        Instant lastActivity,
        boolean shortOfMemory,
        boolean agentMissing) {

    /** Of a container whose agents are there. */
    public Report(
            int setups,
            int live,
            int relays,
            int cleanup,
            long memoryBytes,
            Instant lastActivity,
            boolean shortOfMemory) {
        this(setups, live, relays, cleanup, memoryBytes, lastActivity, shortOfMemory, false);
    }

    /** Of a container that has memory enough. */
    public Report(int setups, int live, int relays, int cleanup, long memoryBytes, Instant lastActivity) {
        this(setups, live, relays, cleanup, memoryBytes, lastActivity, false);
    }

    public static Report empty(Instant startedAt) {
        return new Report(0, 0, 0, 0, 0, startedAt);
    }

    /** Whether it keeps the calls that it has and takes no others, though its slots are free. */
    public boolean isRefusing() {
        return shortOfMemory || agentMissing;
    }

    /** Whether nothing at all is going on. */
    public boolean isQuiet() {
        return setups == 0 && live == 0 && relays == 0 && cleanup == 0;
    }
}
