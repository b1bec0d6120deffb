package dev.spillway.simulation.world;

import dev.spillway.core.Timing;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.call.Generations;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.Tenants;
import java.time.InstantSource;
import java.util.List;

/** What a container needs of the world. */
interface Ports {
    Scheduler scheduler();

    Trace trace();

    Laws laws();

    Timing timing();

    int limit();

    Containers containers();

    Calls calls();

    Tenants tenants();

    Conversations conversations();

    Announcements announcements();

    Generations generations();

    /** The clock of that process, which may be wrong. */
    InstantSource clock(Machine process);

    StreamKey key(PoolId pool);

    /** The pool's containers that have not exited, in the order of their launch. */
    List<MediaTask> tasks(PoolId pool);
}
