package dev.spillway.infra;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.PoolId;
import dev.spillway.lambda.PoolDescription;
import java.util.Locale;

/** Writes {@link PoolDescription}s. */
final class Descriptions {
    private Descriptions() {}

    static String ofGateway(Names names, Policy policy) {
        return checked("the gateway", of(names, PoolId.GATEWAY, policy));
    }

    /** Everything but the tenant and its calls out. */
    static ObjectNode of(Names names, PoolId pool, Policy policy) {
        ObjectNode root = JsonNodeFactory.instance
                .objectNode()
                .put("service", names.service(pool))
                .put("streamUrl", names.streamUrl(pool))
                .put("streamKeySecret", names.streamKeySecret(pool));
        root.putObject("policy")
                .put("minimum", policy.minimum())
                .put("maximum", policy.maximum())
                .put("limit", policy.limit())
                .put("spareSlots", policy.spareSlots())
                .put("scaleOut", word(policy.scaleOut()))
                .put("scaleIn", word(policy.scaleIn()));
        return root;
    }

    static String checked(String what, ObjectNode description) {
        String text = description.toString();
        try {
            PoolDescription.parse(text);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(what + ": " + e.getMessage(), e);
        }
        return text;
    }

    private static String word(Enum<?> rule) {
        return rule.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
