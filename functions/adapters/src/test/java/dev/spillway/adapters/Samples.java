package dev.spillway.adapters;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Generation;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/** One tenant, one call and one container for these tests. */
public final class Samples {
    public static final Instant NOW = Instant.parse("2026-11-29T09:00:00.123Z");
    public static final TenantId ACME = new TenantId("acme");
    public static final PoolId POOL = PoolId.of(ACME);
    public static final ContainerId A1 = new ContainerId("a1");
    public static final CallSid CALL = new CallSid("CA00000000000000000000000000000001");
    public static final Tenant TENANT = new Tenant(
            ACME,
            Set.of("+15005550001", "+15005550002"),
            "AC00000000000000000000000000000001",
            "spillway/acme",
            new Persona("scripted", "anna", "Acme, good morning!", "Where were we?", "Good-bye."));

    private Samples() {}

    public static Generation generation(int hop, int n) {
        return new Generation(hop, "test%012d".formatted(n));
    }

    public static Instant seconds(long seconds) {
        return NOW.plusSeconds(seconds);
    }

    public static Container container(ContainerState state, Map<ClaimKey, Claim> claims) {
        return new Container(
                POOL,
                A1,
                "boot-1",
                state,
                "it can serve",
                seconds(-60),
                "10.0.0.7:8080",
                "media:7",
                6,
                claims,
                new Report(1, 2, 3, 4, 5_000_000_000L, seconds(-5), true),
                seconds(30),
                Instant.EPOCH,
                seconds(-70),
                false);
    }
}
