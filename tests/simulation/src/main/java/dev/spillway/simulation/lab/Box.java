package dev.spillway.simulation.lab;

import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** A container, as its item in the table shows it. It is always heard and protected: nothing fails here. */
final class Box {
    private static final Instant FOR_EVER = Instant.parse("2100-01-01T00:00:00Z");

    final long askedAtMillis;
    private Container item;

    Box(PoolId pool, int number, int limit, long askedAtMillis, Instant now) {
        this.askedAtMillis = askedAtMillis;
        this.item = new Container(
                pool,
                new ContainerId("c%06d".formatted(number)),
                "boot",
                ContainerState.STARTING,
                "asked for",
                now,
                "10.0.0.1:8080",
                "r1",
                limit,
                Map.of(),
                Report.empty(now),
                FOR_EVER,
                FOR_EVER,
                now,
                false);
    }

    Container item() {
        return item;
    }

    ContainerState state() {
        return item.state();
    }

    int calls() {
        return item.claims().size();
    }

    boolean isFull() {
        return calls() >= item.limit();
    }

    void become(ContainerState state, String reason, Instant now) {
        item = item.withState(state, reason, now);
    }

    /** READY for the first time: it says so itself, with its first report. */
    void ready(Instant now) {
        become(ContainerState.READY, "ready", now);
        item = item.heard(Report.empty(now), FOR_EVER, FOR_EVER);
    }

    void put(ClaimKey key, Claim claim) {
        Map<ClaimKey, Claim> claims = new HashMap<>(item.claims());
        claims.put(key, claim);
        item = item.withClaims(claims);
    }

    void remove(ClaimKey key) {
        Map<ClaimKey, Claim> claims = new HashMap<>(item.claims());
        claims.remove(key);
        item = item.withClaims(claims);
    }

    /** A call began or ended here. */
    void active(Instant now) {
        item = item.heard(Report.empty(now), FOR_EVER, FOR_EVER);
    }
}
