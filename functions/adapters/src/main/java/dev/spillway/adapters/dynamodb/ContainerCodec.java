package dev.spillway.adapters.dynamodb;

import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A container's item. */
final class ContainerCodec {
    /** The version of this layout. */
    static final long VERSION = 1;

    /** The table forgets a container this long after its liveness ended (DESIGN.md, "The table"). */
    private static final Duration KEPT = Duration.ofDays(7);

    private ContainerCodec() {}

    static Map<String, AttributeValue> encode(Container container) {
        Map<String, AttributeValue> item = new HashMap<>();
        item.put("version", Attributes.of(VERSION));
        item.put("pool", Attributes.of(container.pool().value()));
        item.put("container", Attributes.of(container.id().value()));
        item.put("bootId", Attributes.of(container.bootId()));
        item.put("state", encode(container.state()));
        item.put("stateReason", Attributes.of(container.stateReason()));
        item.put("stateSinceMillis", Attributes.millis(container.stateSince()));
        item.put("address", Attributes.of(container.address()));
        item.put("revision", Attributes.of(container.revision()));
        item.put("limit", Attributes.of(container.limit()));
        Map<String, AttributeValue> claims = new HashMap<>();
        container.claims().forEach((call, claim) -> claims.put(call.value(), ClaimCodec.encode(claim)));
        item.put("claims", Attributes.of(claims));
        item.put("freed", AttributeValue.fromL(List.of()));
        item.put("report", encode(container.report()));
        item.put("aliveUntilMillis", Attributes.millis(container.aliveUntil()));
        item.put("protectedUntilMillis", Attributes.millis(container.protectedUntil()));
        item.put("startedAtMillis", Attributes.millis(container.startedAt()));
        item.put("closedUntilMillis", Attributes.millis(container.closedUntil()));
        item.put("mayExit", Attributes.of(container.mayExit()));
        item.put("expiresAt", Attributes.of(expiresAtEpochSeconds(container.aliveUntil())));
        return item;
    }

    static Container decode(Item item) {
        Map<ClaimKey, Claim> claims = new HashMap<>();
        Item map = item.map("claims");
        for (String call : map.names()) {
            claims.put(ClaimKey.of(call), ClaimCodec.decodeClaim(map.map(call)));
        }
        return new Container(
                new PoolId(item.text("pool")),
                new ContainerId(item.text("container")),
                item.text("bootId"),
                ContainerState.valueOf(item.text("state").toUpperCase(Locale.ROOT)),
                item.text("stateReason"),
                item.instant("stateSinceMillis"),
                item.text("address"),
                item.text("revision"),
                item.smallNumber("limit"),
                claims,
                decodeReport(item.map("report")),
                item.instant("aliveUntilMillis"),
                item.instant("protectedUntilMillis"),
                item.instant("startedAtMillis"),
                // An item from before there were orders is closed by none.
                item.optionalNumber("closedUntilMillis")
                        .map(Attributes::ofMillis)
                        .orElse(Instant.EPOCH),
                item.flag("mayExit"));
    }

    static AttributeValue encode(ContainerState state) {
        return Attributes.of(state.name().toLowerCase(Locale.ROOT));
    }

    static AttributeValue encode(Report report) {
        return Attributes.of(Map.of(
                "setups", Attributes.of(report.setups()),
                "live", Attributes.of(report.live()),
                "relays", Attributes.of(report.relays()),
                "cleanup", Attributes.of(report.cleanup()),
                "memoryBytes", Attributes.of(report.memoryBytes()),
                "lastActivityMillis", Attributes.millis(report.lastActivity()),
                "shortOfMemory", Attributes.of(report.shortOfMemory()),
                "agentMissing", Attributes.of(report.agentMissing())));
    }

    private static Report decodeReport(Item map) {
        return new Report(
                map.smallNumber("setups"),
                map.smallNumber("live"),
                map.smallNumber("relays"),
                map.smallNumber("cleanup"),
                map.number("memoryBytes"),
                map.instant("lastActivityMillis"),
                map.names().contains("shortOfMemory") && map.flag("shortOfMemory"),
                map.names().contains("agentMissing") && map.flag("agentMissing"));
    }

    /** The TTL attribute; it is never read as liveness. */
    static long expiresAtEpochSeconds(Instant aliveUntil) {
        return Math.min(Attributes.toMillis(aliveUntil) / 1000, Long.MAX_VALUE / 1000 - KEPT.toSeconds())
                + KEPT.toSeconds();
    }
}
