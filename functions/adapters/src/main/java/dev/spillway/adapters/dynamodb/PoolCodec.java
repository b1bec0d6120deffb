package dev.spillway.adapters.dynamodb;

import dev.spillway.core.background.Background;
import dev.spillway.core.background.Lease;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A pool's own item. */
final class PoolCodec {
    private static final long VERSION = 1;

    private PoolCodec() {}

    static Map<String, AttributeValue> encode(Pool pool) {
        Map<String, AttributeValue> item = new HashMap<>();
        item.put("version", Attributes.of(VERSION));
        item.put("pool", Attributes.of(pool.id().value()));
        item.put("policy", encode(pool.policy()));
        item.put("service", Attributes.of(pool.service()));
        item.put("streamUrl", Attributes.of(pool.streamUrl()));
        item.put("desired", Attributes.of(pool.desired()));
        item.put("desiredVersion", Attributes.of(pool.version()));
        item.put("launchSinceMillis", Attributes.millis(pool.launchSince()));
        item.put("idleSinceMillis", Attributes.millis(pool.idleSince()));
        item.put("scaleInLockedUntilMillis", Attributes.millis(pool.scaleInLockedUntil()));
        Map<String, AttributeValue> lowered = new HashMap<>();
        pool.lowered().forEach((container, at) -> lowered.put(container.value(), Attributes.millis(at)));
        item.put("lowered", Attributes.of(lowered));
        item.put("launches", encode(pool.launches()));
        item.put("lastDecision", encode(pool.lastDecision()));
        for (int i = 0; i < pool.earlier().size(); i++) {
            item.put(earlier(i), encode(pool.earlier().get(i)));
        }
        item.put("silentSinceMillis", Attributes.millis(pool.silentSince()));
        item.put("heardAgainAtMillis", Attributes.millis(pool.heardAgainAt()));
        encode(pool.background(), item);
        OrderCodec.encode(pool.orders(), item);
        OutboundCodec.encode(pool.outbound(), item);
        return item;
    }

    private static void encode(Background background, Map<String, AttributeValue> item) {
        item.put("backgroundHolder", Attributes.of(background.lease().holder()));
        item.put("backgroundGeneration", Attributes.of(background.lease().generation()));
        item.put("backgroundUntilMillis", Attributes.millis(background.lease().until()));
        item.put("controllerAliveUntilMillis", Attributes.millis(background.aliveUntil()));
        if (!background.since().equals(Instant.MAX)) {
            item.put("backgroundSinceMillis", Attributes.millis(background.since()));
        }
    }

    /** A pool that was described before there were leases has had no visit; one may have taken its first lease since. */
    static Background decodeBackground(Item item) {
        Lease lease = item.optionalText("backgroundHolder")
                .map(holder ->
                        new Lease(holder, item.number("backgroundGeneration"), item.instant("backgroundUntilMillis")))
                .orElse(Lease.NONE);
        Instant aliveUntil = item.optionalNumber("controllerAliveUntilMillis")
                .map(Attributes::ofMillis)
                .orElse(Instant.EPOCH);
        Instant since = item.optionalNumber("backgroundSinceMillis")
                .map(Attributes::ofMillis)
                .orElse(Instant.MAX);
        return new Background(lease, aliveUntil, since);
    }

    static Pool decode(Item item) {
        Map<ContainerId, Instant> lowered = new HashMap<>();
        Item map = item.map("lowered");
        for (String container : map.names()) {
            lowered.put(new ContainerId(container), map.instant(container));
        }
        return new Pool(
                new PoolId(item.text("pool")),
                decodePolicy(item.map("policy")),
                item.text("service"),
                item.text("streamUrl"),
                item.smallNumber("desired"),
                item.number("desiredVersion"),
                item.instant("launchSinceMillis"),
                item.instant("idleSinceMillis"),
                item.instant("scaleInLockedUntilMillis"),
                lowered,
                decodeLaunches(item.map("launches")),
                decodeDecision(item.map("lastDecision")),
                decodeEarlier(item),
                item.instant("silentSinceMillis"),
                item.instant("heardAgainAtMillis"),
                decodeBackground(item),
                OrderCodec.decode(item),
                OutboundCodec.decode(item));
    }

    static AttributeValue encode(Policy policy) {
        return Attributes.of(Map.of(
                "minimum", Attributes.of(policy.minimum()),
                "maximum", Attributes.of(policy.maximum()),
                "limit", Attributes.of(policy.limit()),
                "spareSlots", Attributes.of(policy.spareSlots()),
                "scaleOut", Attributes.of(text(policy.scaleOut())),
                "scaleIn", Attributes.of(text(policy.scaleIn()))));
    }

    private static Policy decodePolicy(Item map) {
        return new Policy(
                map.smallNumber("minimum"),
                map.smallNumber("maximum"),
                map.smallNumber("limit"),
                map.smallNumber("spareSlots"),
                ScaleOutRule.valueOf(constant(map.text("scaleOut"))),
                ScaleInRule.valueOf(constant(map.text("scaleIn"))));
    }

    static AttributeValue encode(Pool.Launches launches) {
        return Attributes.of(Map.of(
                "failures", Attributes.of(launches.failures()),
                "reason", Attributes.of(launches.reason()),
                "backOffUntilMillis", Attributes.millis(launches.backOffUntil())));
    }

    private static Pool.Launches decodeLaunches(Item map) {
        return new Pool.Launches(map.smallNumber("failures"), map.text("reason"), map.instant("backOffUntilMillis"));
    }

    /** Where the decision lies that is so many before the one before the last. An attribute each, so that a write can shift them. */
    private static String earlier(int index) {
        return "earlier" + (char) ('A' + index);
    }

    /**
     * One decision more, for an update: each takes the place of the one before it, and the oldest is gone. What an update
     * reads is the item as it was before, so the order of these does not matter and nobody's decision is lost.
     *
     * @param decision the placeholder of the new one's value
     * @param empty the placeholder of {@link #NO_DECISION}
     */
    static String deciding(String decision, String empty) {
        StringBuilder set = new StringBuilder("#lastDecision = " + decision + ", #earlierA = #lastDecision");
        for (int i = 1; i < Pool.MOST_EARLIER; i++) {
            set.append(", #%s = if_not_exists(#%s, %s)".formatted(earlier(i), earlier(i - 1), empty));
        }
        return set.toString();
    }

    /** What lies where no decision is yet. */
    static final AttributeValue NO_DECISION = Attributes.of(Map.of());

    private static List<Pool.Decision> decodeEarlier(Item item) {
        return IntStream.range(0, Pool.MOST_EARLIER)
                .mapToObj(i -> item.optionalMap(earlier(i)))
                .flatMap(Optional::stream)
                .filter(map -> !map.names().isEmpty())
                .map(PoolCodec::decodeDecision)
                .filter(Pool.Decision::isAny)
                .toList();
    }

    static AttributeValue encode(Pool.Decision decision) {
        return Attributes.of(Map.of(
                "what", Attributes.of(decision.what()),
                "reason", Attributes.of(decision.reason()),
                "atMillis", Attributes.millis(decision.at())));
    }

    private static Pool.Decision decodeDecision(Item map) {
        return new Pool.Decision(map.text("what"), map.text("reason"), map.instant("atMillis"));
    }

    /** As the design writes rules: {@code plus-one}. */
    private static String text(Enum<?> rule) {
        return rule.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String constant(String text) {
        return text.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}
