package dev.spillway.load.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.adapter.Target;
import dev.spillway.load.schedule.Direction;
import dev.spillway.load.schedule.OfferedLoad;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.StartConditions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of a target allows, from a file: who, until when, which hosts, how much of what. Loopback needs no file; if
 * one is given, its limits hold there too.
 *
 * @param destinations hosts, by name
 * @param quotas of providers, by name: how many calls the owner lets this run take of each
 * @param sideEffects what may happen beyond an answered call: {@code outbound-calls}
 */
public record Authorisation(
        String owner,
        Instant expires,
        Set<String> destinations,
        int maxConcurrency,
        double maxPerSecond,
        double maxSeconds,
        Map<String, Integer> quotas,
        Set<String> sideEffects) {
    /** Calls to numbers, through {@code POST /calls}. */
    public static final String OUTBOUND_CALLS = "outbound-calls";

    private static final Set<String> KEYS = Set.of(
            "owner",
            "expires",
            "destinations",
            "maxConcurrency",
            "maxPerSecond",
            "maxSeconds",
            "quotas",
            "sideEffects");

    /** @throws IOException if it is no authorisation, with every reason */
    public static Authorisation read(byte[] json) throws IOException {
        JsonNode node = new ObjectMapper().readTree(json);
        List<String> faults = new ArrayList<>();
        node.fieldNames().forEachRemaining(key -> {
            if (!KEYS.contains(key)) {
                faults.add("unknown key '" + key + "'");
            }
        });
        String owner = node.path("owner").asText();
        if (owner.isBlank()) {
            faults.add("owner is missing");
        }
        Instant expires = Instant.EPOCH;
        try {
            expires = Instant.parse(node.path("expires").asText());
        } catch (DateTimeParseException e) {
            faults.add("expires is no instant such as 2027-01-31T12:00:00Z");
        }
        for (String key : List.of("maxConcurrency", "maxPerSecond", "maxSeconds")) {
            if (!node.path(key).isNumber() || !(node.path(key).doubleValue() > 0)) {
                faults.add(key + " is no positive number");
            }
        }
        Set<String> destinations = texts(node.path("destinations"));
        if (destinations.isEmpty()) {
            faults.add("destinations names no host");
        }
        Map<String, Integer> quotas = new TreeMap<>();
        node.path("quotas")
                .properties()
                .forEach(entry -> quotas.put(entry.getKey(), entry.getValue().asInt()));
        if (!faults.isEmpty()) {
            throw new IOException("no authorisation: " + String.join("; ", faults));
        }
        return new Authorisation(
                owner,
                expires,
                destinations,
                node.path("maxConcurrency").asInt(),
                node.path("maxPerSecond").asDouble(),
                node.path("maxSeconds").asDouble(),
                quotas,
                texts(node.path("sideEffects")));
    }

    private static Set<String> texts(JsonNode list) {
        Set<String> texts = new HashSet<>();
        list.forEach(item -> texts.add(item.asText()));
        return texts;
    }

    /** Whether a host may be reached: loopback always, any other only by its name. */
    public static boolean allows(@Nullable Authorisation given, String host) {
        return Target.isLoopback(host) || (given != null && given.destinations().contains(host));
    }

    /**
     * The limits of a run that hold what is authorised while it goes on, whatever was predicted.
     */
    public static Limits held(@Nullable Authorisation given, Limits own) {
        return given == null
                ? own
                : new Limits(
                        Math.min(own.maxInFlight(), given.maxConcurrency()),
                        own.timeout(),
                        own.cleanup(),
                        given.maxPerSecond(),
                        given.expires());
    }

    /** The same, of when the run ends: at the latest when the authorisation expires. */
    public static StopRules held(@Nullable Authorisation given, StopRules own, Instant now) {
        if (given == null) {
            return own;
        }
        double left = Duration.between(now, given.expires()).toMillis() / 1e3;
        double most = Math.max(0, Math.min(given.maxSeconds(), left));
        Double wanted = own.maxSeconds();
        return new StopRules(
                wanted == null ? Double.valueOf(most) : Double.valueOf(Math.min(wanted, most)),
                own.maxRefused(),
                own.maxIncorrect(),
                own.maxMemoryMb());
    }

    /** Every reason why the run may not be; empty if it may. */
    public static List<String> objections(
            @Nullable Authorisation given,
            Set<String> hosts,
            Schedule schedule,
            double speed,
            int maxInFlight,
            Instant now) {
        List<String> objections = new ArrayList<>();
        for (String host : hosts) {
            if (!allows(given, host)) {
                objections.add(host + " is not on loopback, and no authorisation names it (--authorisation FILE)");
            }
        }
        if (given != null) {
            given.limit(schedule, speed, maxInFlight, now, objections);
        }
        return objections;
    }

    private void limit(Schedule schedule, double speed, int maxInFlight, Instant now, List<String> objections) {
        OfferedLoad load = OfferedLoad.of(schedule, speed);
        if (!now.isBefore(expires)) {
            objections.add("the authorisation expired at " + expires);
        }
        if (Math.min(load.peak(), maxInFlight) > maxConcurrency) {
            objections.add("the schedule asks for " + load.peak() + " calls at once and --max-in-flight allows "
                    + maxInFlight + "; authorised are " + maxConcurrency);
        }
        if (load.mostPerSecond() > maxPerSecond) {
            objections.add(
                    "up to " + load.mostPerSecond() + " arrivals come within a second; authorised are " + maxPerSecond);
        }
        if (load.seconds() > maxSeconds) {
            objections.add("the run takes " + Math.round(load.seconds()) + " s; authorised are " + maxSeconds);
        }
        int calls = schedule.arrivals().size() + besides(schedule);
        quotas.forEach((provider, quota) -> {
            if (calls > quota) {
                objections.add("the schedule and the probes are " + calls + " calls; the quota at " + provider + " is "
                        + quota);
            }
        });
        boolean outbound =
                schedule.arrivals().stream().anyMatch(arrival -> schedule.directionOf(arrival) == Direction.OUTBOUND);
        if (outbound && !sideEffects.contains(OUTBOUND_CALLS)) {
            objections.add(
                    "the schedule has outbound calls; the authorisation's side effects do not name " + OUTBOUND_CALLS);
        }
    }

    /** Calls to each tenant beside its arrivals: the probe at the end, and those that may be needed to warm what is to be warm. */
    private static int besides(Schedule schedule) {
        StartConditions start = schedule.start();
        int each = 1
                + ("warm".equals(start.functions()) || "warm".equals(start.caches()) ? 1 : 0)
                + ("warm".equals(start.pool()) ? 1 : 0);
        return each * Math.max(1, schedule.tenants().size());
    }
}
