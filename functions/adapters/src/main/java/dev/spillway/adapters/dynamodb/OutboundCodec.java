package dev.spillway.adapters.dynamodb;

import dev.spillway.core.background.Lease;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.Outbound.Pace;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.outbound.OutboundPolicy.Warmth;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The outbound side of a pool's item: {@code outboundPolicy}, the lease in three flat attributes, {@code outbound} (a map
 * job → generation, whose size is the number of calls out) and {@code pace}. An item from before there were calls out
 * makes none.
 */
final class OutboundCodec {
    static final String CALLS = "outbound";

    private OutboundCodec() {}

    static void encode(Outbound outbound, Map<String, AttributeValue> item) {
        item.put("outboundPolicy", encode(outbound.policy()));
        item.put("dialerHolder", Attributes.of(outbound.lease().holder()));
        item.put("dialerGeneration", Attributes.of(outbound.lease().generation()));
        item.put("dialerUntilMillis", Attributes.millis(outbound.lease().until()));
        Map<String, AttributeValue> calls = new HashMap<>();
        outbound.calls().forEach((job, generation) -> calls.put(job.value(), Attributes.of(generation.toString())));
        item.put(CALLS, Attributes.of(calls));
        item.put("pace", encode(outbound.pace()));
    }

    static Outbound decode(Item item) {
        if (item.optionalMap(CALLS).isEmpty()) {
            return Outbound.NONE;
        }
        Map<JobId, Generation> calls = new HashMap<>();
        Item map = item.map(CALLS);
        for (String job : map.names()) {
            calls.put(
                    JobId.parse(job).orElseThrow(() -> new IllegalArgumentException("not a job's id")),
                    ClaimCodec.decodeGeneration(map.text(job)));
        }
        return new Outbound(
                item.optionalMap("outboundPolicy")
                        .map(OutboundCodec::decodePolicy)
                        .orElse(OutboundPolicy.NONE),
                decodeLease(item),
                calls,
                item.optionalMap("pace").map(OutboundCodec::decodePace).orElse(Pace.FRESH));
    }

    static Lease decodeLease(Item item) {
        return item.optionalText("dialerHolder")
                .map(holder -> new Lease(holder, item.number("dialerGeneration"), item.instant("dialerUntilMillis")))
                .orElse(Lease.NONE);
    }

    static AttributeValue encode(OutboundPolicy policy) {
        Map<String, AttributeValue> providers = new HashMap<>();
        policy.providerLimits().forEach((name, limit) -> providers.put(name, Attributes.of(limit)));
        return Attributes.of(Map.of(
                "outboundLimit", Attributes.of(policy.outboundLimit()),
                "inboundReserve", Attributes.of(policy.inboundReserve()),
                "maxWaitingJobs", Attributes.of(policy.maxWaitingJobs()),
                "dialsPerSecond", AttributeValue.fromN(Double.toString(policy.dialsPerSecond())),
                "dailyCap", Attributes.of(policy.dailyCap()),
                "providerLimits", Attributes.of(providers),
                "countries",
                        AttributeValue.fromL(policy.countries().stream()
                                .map(OutboundCodec::encode)
                                .toList()),
                "suppressed",
                        AttributeValue.fromL(policy.suppressed().stream()
                                .sorted()
                                .map(Attributes::of)
                                .toList()),
                "prewarmMarginMillis", Attributes.of(policy.warmth().margin().toMillis()),
                "keepWarmMillis", Attributes.of(policy.warmth().keep().toMillis())));
    }

    private static OutboundPolicy decodePolicy(Item map) {
        return new OutboundPolicy(
                map.smallNumber("outboundLimit"),
                map.smallNumber("inboundReserve"),
                map.smallNumber("maxWaitingJobs"),
                map.fraction("dialsPerSecond"),
                map.smallNumber("dailyCap"),
                decodeProviders(map),
                map.maps("countries").stream().map(OutboundCodec::decodeCountry).toList(),
                Set.copyOf(map.texts("suppressed")),
                new Warmth(
                        millis(map, "prewarmMarginMillis", Warmth.USUAL.margin()),
                        millis(map, "keepWarmMillis", Warmth.USUAL.keep())));
    }

    /** An older item has one limit for all providers together. */
    private static Map<String, Integer> decodeProviders(Item map) {
        Map<String, Integer> limits = new HashMap<>();
        map.optionalNumber("providerSessions").ifPresent(limit -> limits.put("all", Math.toIntExact(limit)));
        map.optionalMap("providerLimits")
                .ifPresent(found -> found.names().forEach(name -> limits.put(name, found.smallNumber(name))));
        return limits;
    }

    private static Duration millis(Item map, String attribute, Duration usual) {
        return map.optionalNumber(attribute).map(Duration::ofMillis).orElse(usual);
    }

    private static AttributeValue encode(Country country) {
        List<AttributeValue> zones = country.zones().stream()
                .map(ZoneId::getId)
                .sorted()
                .map(Attributes::of)
                .toList();
        return Attributes.of(Map.of(
                "prefix", Attributes.of(country.prefix()),
                "zones", AttributeValue.fromL(zones),
                "opens", Attributes.of(country.opens().toString()),
                "closes", Attributes.of(country.closes().toString())));
    }

    private static Country decodeCountry(Item map) {
        try {
            return new Country(
                    map.text("prefix"),
                    map.texts("zones").stream().map(ZoneId::of).collect(Collectors.toSet()),
                    LocalTime.parse(map.text("opens")),
                    LocalTime.parse(map.text("closes")));
        } catch (java.time.DateTimeException e) {
            throw new IllegalArgumentException(map.name() + " is no country", e);
        }
    }

    /** A pace's day, as it is written. */
    static long dayOf(Instant instant) {
        return LocalDate.ofInstant(instant, ZoneOffset.UTC).toEpochDay();
    }

    static AttributeValue encode(Pace pace) {
        Map<String, AttributeValue> turns = new HashMap<>();
        pace.turns().forEach((batch, turn) -> turns.put(batch, Attributes.of(turn)));
        return Attributes.of(Map.of(
                "lastDialAtMillis", Attributes.millis(pace.lastDialAt()),
                "dayEpochDay", Attributes.of(pace.day().toEpochDay()),
                "dialsOfDay", Attributes.of(pace.dialsOfDay()),
                "turns", Attributes.of(turns)));
    }

    private static Pace decodePace(Item map) {
        Map<String, Long> turns = new HashMap<>();
        Item found = map.map("turns");
        for (String batch : found.names()) {
            turns.put(batch, found.number(batch));
        }
        return new Pace(
                map.instant("lastDialAtMillis"),
                LocalDate.ofEpochDay(map.number("dayEpochDay")),
                map.smallNumber("dialsOfDay"),
                turns);
    }
}
