package dev.spillway.core.handoff;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** A call whose claim is on the gateway and that its tenant's pool should have. */
public record HeldCall(CallSid sid, ContainerId gatewayContainer, Claim claim) {

    /** A tenant's calls on live gateway containers, oldest first. */
    public static List<HeldCall> of(TenantId tenant, PoolView gateway, Instant now) {
        return gateway.containers().stream()
                .filter(container -> container.isAlive(now))
                .flatMap(container -> container.claims().entrySet().stream()
                        .filter(entry -> entry.getValue().tenant().equals(tenant))
                        .filter(entry -> entry.getValue().phase() != Claim.Phase.COOLDOWN)
                        .map(entry -> new HeldCall(entry.getKey(), container.id(), entry.getValue())))
                .sorted(Comparator.comparing((HeldCall held) -> held.claim().arrivedAt())
                        .thenComparing(HeldCall::sid))
                .toList();
    }

    /** Whether no slot waits for it yet. */
    public boolean isWaiting() {
        return claim.offer() == null;
    }
}
