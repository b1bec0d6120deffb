package dev.spillway.adapters.dynamodb;

import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Offer;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.tenant.TenantId;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Claims and offers, as maps inside other items. */
final class ClaimCodec {
    private ClaimCodec() {}

    static AttributeValue encode(Claim claim) {
        Map<String, AttributeValue> map = new HashMap<>();
        map.put("generation", Attributes.of(claim.generation().toString()));
        map.put("phase", encode(claim.phase()));
        map.put("tenant", Attributes.of(claim.tenant().value()));
        map.put("arrivedAtMillis", Attributes.millis(claim.arrivedAt()));
        map.put("claimedAtMillis", Attributes.millis(claim.claimedAt()));
        if (claim.offer() != null) {
            map.put("offer", encode(claim.offer()));
        }
        if (claim.job() != null) {
            map.put("job", Attributes.of(claim.job().value()));
        }
        return Attributes.of(map);
    }

    static Claim decodeClaim(Item map) {
        return new Claim(
                decodeGeneration(map.text("generation")),
                Claim.Phase.valueOf(map.text("phase").toUpperCase(Locale.ROOT)),
                new TenantId(map.text("tenant")),
                map.instant("arrivedAtMillis"),
                map.instant("claimedAtMillis"),
                map.optionalMap("offer").map(ClaimCodec::decodeOffer).orElse(null),
                map.optionalText("job").flatMap(JobId::parse).orElse(null));
    }

    static AttributeValue encode(Claim.Phase phase) {
        return Attributes.of(phase.name().toLowerCase(Locale.ROOT));
    }

    static AttributeValue encode(Offer offer) {
        return Attributes.of(Map.of(
                "container", Attributes.of(offer.container().value()),
                "generation", Attributes.of(offer.generation().toString()),
                "atMillis", Attributes.millis(offer.at())));
    }

    static Offer decodeOffer(Item map) {
        return new Offer(
                new ContainerId(map.text("container")),
                decodeGeneration(map.text("generation")),
                map.instant("atMillis"));
    }

    static Generation decodeGeneration(String text) {
        return Generation.parse(text).orElseThrow(() -> new IllegalArgumentException("not a generation: " + text));
    }
}
