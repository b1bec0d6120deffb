package dev.spillway.simulation.world;

import dev.spillway.core.Timing;
import dev.spillway.core.call.Calls;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.scaling.Growth;

/** A fault planted on purpose between the flows and the world, so that it can be seen whether it would be found. */
enum Mutation {
    NONE;

    Containers containers(Containers real) {
        return real;
    }

    Calls calls(Calls real) {
        return real;
    }

    Pools pools(Pools real) {
        return real;
    }

    /** The rule that the hand-off asks again while calls stay held. */
    Growth growthOfHandOff(
            Growth real,
            Pools pools,
            Containers containers,
            Fleet fleet,
            Announcements announcements,
            Journal journal,
            Timing timing) {
        return real;
    }
}
