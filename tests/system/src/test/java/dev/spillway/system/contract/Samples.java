package dev.spillway.system.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;

import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.ContainerDrained;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.event.Announcement.Placed;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.event.Announcement.SlotsTaken;
import dev.spillway.core.event.Announcement.StreamSilent;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Tenant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** What is sent and read here, beside the core's samples. */
final class Samples {
    static final List<Announcement> ONE_ANNOUNCEMENT_OF_EACH_KIND = List.of(
            new CallOverflowed(ACME, call(1), 1, Placed.GATEWAY, NOW),
            new ContainerReady(ACME_POOL, new ContainerId("a1"), NOW),
            new SlotFreed(PoolId.GATEWAY, new ContainerId("gw1"), NOW),
            new SlotsTaken(ACME_POOL, new ContainerId("a1"), NOW),
            new StreamSilent(ACME, call(1), 1, new ContainerId("a1"), NOW),
            new ContainerDrained(ACME_POOL, new ContainerId("a1"), NOW));

    private Samples() {}

    static Tenant tenantWithSecret(String name) {
        Tenant acme = Sample.tenant(ACME);
        return new Tenant(ACME, acme.numbers(), acme.accountSid(), name, acme.persona());
    }

    /** A stream secret of 32 bytes, each of them {@code filling}. */
    static String streamSecret(int filling) {
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) filling);
        return "{\"key\":\"" + Base64.getEncoder().encodeToString(key) + "\"}";
    }
}
