package dev.spillway.core.memory;

import dev.spillway.core.background.Lease;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;

/** What lets the writes of one shift through. */
record Fence(PoolId pool, Lease lease) {
    boolean lets(Pool written) {
        return written.background().lease().generation() == lease.generation();
    }

    /** @param last the generation of the last shift that wrote to the container's item; 0 if none did */
    boolean lets(PoolId written, long last) {
        return covers(written) && last <= lease.generation();
    }

    boolean covers(PoolId written) {
        if (!written.equals(pool)) {
            throw new IllegalArgumentException("the shift is pool " + pool + "'s and cannot write to " + written);
        }
        return true;
    }
}
