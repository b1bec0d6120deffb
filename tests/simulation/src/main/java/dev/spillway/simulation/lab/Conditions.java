package dev.spillway.simulation.lab;

import dev.spillway.core.Timing;
import java.time.Duration;

/**
 * What is the same for every contender: how fast the world is, and how large.
 *
 * @param limit slots per container
 * @param maximum containers of the tenant
 * @param gatewayContainers containers of the gateway, always running; a tenant's share is all but one of them
 * @param timing the durations that the core's rules are given, the cold start among them
 * @param announcement from a write to the function that hears of it
 * @param exit from the lowering of the count to the end of the container
 * @param reserve slots that the tenant keeps for callers while the pool is awake
 * @param minimum containers that the tenant always has
 * @param seed of the moments at which a heartbeat or the end of a turn comes
 */
record Conditions(
        int limit,
        int minimum,
        int maximum,
        int gatewayContainers,
        Timing timing,
        Duration announcement,
        Duration exit,
        int reserve,
        long seed) {

    /**
     * Limit and cold start of the first text. The gateway is large enough for the largest burst of the shared schedules: this
     * is about the tenant's pool. Announcement and exit are guesses: EventBridge is not documented, a container that may
     * exit looks at its item once a second.
     */
    static final Conditions STANDARD =
            new Conditions(6, 0, 200, 10, Timing.STANDARD, Duration.ofMillis(300), Duration.ofSeconds(2), 0, 1);

    Conditions {
        if (limit < 1 || minimum < 0 || maximum < 1 || gatewayContainers < 1 || reserve < 0) {
            throw new IllegalArgumentException("want counts of at least 1, and no negative minimum or reserve");
        }
    }

    Conditions with(int newLimit, Timing newTiming) {
        return new Conditions(
                newLimit, minimum, maximum, gatewayContainers, newTiming, announcement, exit, reserve, seed);
    }

    Conditions withPool(int newMinimum, int newMaximum, int newGateway) {
        return new Conditions(limit, newMinimum, newMaximum, newGateway, timing, announcement, exit, reserve, seed);
    }
}
