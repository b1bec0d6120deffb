package dev.spillway.media.life;

import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.call.Generations;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.Tenants;
import dev.spillway.core.tenant.TwilioTokens;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Everything outside that a container asks or tells.
 *
 * @param openConnections for each dependency, how many connections to it are open
 * @param close closes all of those connections
 */
public record Ports(
        Pools pools,
        Containers containers,
        Calls calls,
        Conversations conversations,
        Tenants tenants,
        TwilioTokens tokens,
        Announcements announcements,
        Generations generations,
        Supplier<Map<String, Integer>> openConnections,
        Runnable close) {}
