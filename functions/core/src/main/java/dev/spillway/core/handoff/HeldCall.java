package dev.spillway.core.handoff;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.JobId;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A call whose claim is on the gateway and that its tenant's pool should have. */
public record HeldCall(CallSid sid, ContainerId gatewayContainer, Claim claim) {

    /** A tenant's calls on live gateway containers, oldest first. */
    public static List<HeldCall> of(TenantId tenant, PoolView gateway, Instant now) {
        return gateway.containers().stream()
                .filter(container -> container.isAlive(now))
                .flatMap(container -> container.claims().entrySet().stream()
                        .filter(entry -> entry.getValue().tenant().equals(tenant))
                        .filter(entry -> entry.getValue().phase() != Claim.Phase.COOLDOWN)
                        .flatMap(entry -> held(entry.getKey(), container.id(), entry.getValue())))
                .sorted(Comparator.comparing((HeldCall held) -> held.claim().arrivedAt())
                        .thenComparing(HeldCall::sid))
                .toList();
    }

    /** For each tenant with held calls: how long the oldest of them has been held. */
    public static Map<TenantId, Duration> longest(PoolView gateway, Instant now) {
        Map<TenantId, Duration> longest = new TreeMap<>();
        gateway.containers().stream()
                .flatMap(container -> container.claims().values().stream())
                .map(Claim::tenant)
                .distinct()
                .forEach(tenant -> of(tenant, gateway, now).stream()
                        .findFirst()
                        .ifPresent(oldest -> longest.put(
                                tenant, Duration.between(oldest.claim().arrivedAt(), now))));
        return longest;
    }

    /** Jobs claim no slot of the gateway: nobody has been dialled for them. */
    private static Stream<HeldCall> held(ClaimKey key, ContainerId container, Claim claim) {
        return switch (key) {
            case CallSid sid -> Stream.of(new HeldCall(sid, container, claim));
            case JobId job -> Stream.empty();
        };
    }

    /** Whether no slot waits for it yet. */
    public boolean isWaiting() {
        return claim.offer() == null;
    }
}
