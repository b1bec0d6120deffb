package dev.spillway.lambda;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.outbound.OutboundPolicy.Warmth;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.net.URI;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a deployment says about a pool, in JSON. The infrastructure writes it and reads it back before it deploys anything,
 * so that a mistake is told there and not by a failing deployment.
 *
 * @param service the ECS service of the pool
 * @param streamUrl where its streams are opened
 * @param streamKeySecret the name of the secret from which its containers get their key
 * @param tenant whose pool it is; empty for the gateway
 */
public record PoolDescription(
        String service,
        String streamUrl,
        String streamKeySecret,
        Policy policy,
        OutboundPolicy outbound,
        Optional<Tenant> tenant) {
    private static final JsonMapper JSON = new JsonMapper();

    /** @throws IllegalArgumentException if it is not as described; the message names the field */
    public static PoolDescription parse(String json) {
        try {
            JsonNode root = JSON.readTree(json);
            return new PoolDescription(
                    text(root, "service"),
                    text(root, "streamUrl"),
                    text(root, "streamKeySecret"),
                    policy(root.path("policy")),
                    root.hasNonNull("outbound") ? outbound(root.path("outbound")) : OutboundPolicy.NONE,
                    root.hasNonNull("tenant") ? Optional.of(tenant(root.path("tenant"))) : Optional.empty());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the description is not JSON", e);
        }
    }

    private static Policy policy(JsonNode node) {
        return new Policy(
                number(node, "minimum"),
                number(node, "maximum"),
                number(node, "limit"),
                number(node, "spareSlots"),
                ScaleOutRule.valueOf(constant(text(node, "scaleOut"))),
                ScaleInRule.valueOf(constant(text(node, "scaleIn"))));
    }

    private static OutboundPolicy outbound(JsonNode node) {
        List<Country> countries = new ArrayList<>();
        for (JsonNode country : node.path("countries")) {
            Set<ZoneId> zones = new HashSet<>();
            country.path("zones").forEach(zone -> zones.add(ZoneId.of(zone.asText())));
            countries.add(new Country(
                    text(country, "prefix"),
                    zones,
                    LocalTime.parse(text(country, "opens")),
                    LocalTime.parse(text(country, "closes"))));
        }
        Map<String, Integer> limits = new HashMap<>();
        node.path("providerLimits")
                .properties()
                .forEach(limit -> limits.put(limit.getKey(), limit.getValue().asInt()));
        Set<String> suppressed = new HashSet<>();
        node.path("suppressed").forEach(hash -> suppressed.add(hash.asText()));
        return new OutboundPolicy(
                number(node, "outboundLimit"),
                number(node, "inboundReserve"),
                number(node, "maxWaitingJobs"),
                node.path("dialsPerSecond").asDouble(1),
                number(node, "dailyCap"),
                limits,
                countries,
                suppressed,
                warmth(node.path("warmth")));
    }

    private static Warmth warmth(JsonNode node) {
        return node.isObject()
                ? new Warmth(
                        Duration.ofSeconds(number(node, "marginSeconds")),
                        Duration.ofSeconds(number(node, "keepSeconds")))
                : Warmth.USUAL;
    }

    private static Tenant tenant(JsonNode node) {
        Set<String> numbers = new HashSet<>();
        node.path("numbers").forEach(number -> numbers.add(number.asText()));
        Set<Principal> callers = new HashSet<>();
        node.path("callers").forEach(arn -> callers.add(new Principal(arn.asText())));
        JsonNode persona = node.path("persona");
        return new Tenant(
                new TenantId(text(node, "id")),
                numbers,
                text(node, "accountSid"),
                text(node, "secretName"),
                new Persona(
                        text(persona, "agent"),
                        text(persona, "voice"),
                        text(persona, "greeting"),
                        text(persona, "resume"),
                        text(persona, "farewell"),
                        bot(persona.path("bot"))),
                callers);
    }

    private static Persona.@Nullable Bot bot(JsonNode node) {
        return node.isObject()
                ? new Persona.Bot(
                        URI.create(text(node, "url")),
                        node.hasNonNull("state") ? URI.create(text(node, "state")) : null)
                : null;
    }

    private static String text(JsonNode node, String field) {
        JsonNode value = node.path(field);
        if (!value.isTextual() || value.textValue().isBlank()) {
            throw new IllegalArgumentException("want a text in '" + field + "'");
        }
        return value.textValue();
    }

    private static int number(JsonNode node, String field) {
        JsonNode value = node.path(field);
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            throw new IllegalArgumentException("want a whole number in '" + field + "'");
        }
        return value.intValue();
    }

    private static String constant(String text) {
        return text.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}
