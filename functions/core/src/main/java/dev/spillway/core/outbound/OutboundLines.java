package dev.spillway.core.outbound;

import dev.spillway.core.DependencyException;
import dev.spillway.core.background.Lease;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Outbound.Pace;
import dev.spillway.core.pool.PoolId;
import java.time.Instant;
import java.util.Optional;

/**
 * The outbound side of the pools' items: who dials, and which calls out there are. Each is one conditional write on the
 * pool's item; {@code false} and empty mean that the condition did not hold. Everything may throw {@link
 * DependencyException}.
 */
public interface OutboundLines {
    /**
     * Takes the lease IF it has run out, under the next generation.
     *
     * @param holder never used before: it is how a taker that lost the reply knows its own lease
     */
    Optional<Lease> lead(PoolId pool, String holder, Instant now, Instant until);

    /** Moves the end of the lease IF its generation is still this one; giving it up is moving its end to the past. */
    boolean extend(PoolId pool, Lease lease, Instant until);

    /**
     * Enters a call out IF the lease's generation is still this one, fewer than {@code limit} are entered, and not this
     * job's. Sets the pace in the same write.
     */
    boolean enter(PoolId pool, Lease lease, JobId job, Generation generation, int limit, Pace pace);

    /** Strikes the call out of that generation off. */
    boolean leave(PoolId pool, JobId job, Generation generation);

    /**
     * Strikes the call out of that generation off, and takes it back out of the day's count: nobody was dialled.
     *
     * @param countedAt when it was entered; if that day is over, there is nothing to take back
     */
    boolean withdraw(PoolId pool, JobId job, Generation generation, Instant countedAt);

    /**
     * Takes it upon itself to wake the dialer at {@code until} IF nobody has for a time that is still to come and no later
     * than that: so that of many runs that find the next job's time soon, one waits for it, and a job that comes in between
     * with an earlier time is not left to a run that waits for a later one.
     */
    boolean watch(PoolId pool, Instant now, Instant until);
}
