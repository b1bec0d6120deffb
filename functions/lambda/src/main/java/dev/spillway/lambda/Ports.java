package dev.spillway.lambda;

import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.background.Leases;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.call.Generations;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.order.OrderLog;
import dev.spillway.core.outbound.Dials;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.outbound.OutboundLines;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.pool.Probe;
import dev.spillway.core.tenant.Tenants;
import dev.spillway.core.tenant.TwilioTokens;
import dev.spillway.core.usage.Lives;

/** Everything outside that the functions' flows need. */
record Ports(
        Pools pools,
        Containers containers,
        Leases leases,
        Calls calls,
        Conversations conversations,
        Attempts attempts,
        Jobs jobs,
        OutboundLines lines,
        Dials dials,
        Tenants tenants,
        TwilioTokens tokens,
        Telephony telephony,
        Fleet fleet,
        Probe probe,
        Announcements announcements,
        OrderLog orders,
        Generations generations,
        Lives lives) {}
