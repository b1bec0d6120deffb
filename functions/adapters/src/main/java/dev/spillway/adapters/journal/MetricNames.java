package dev.spillway.adapters.journal;

import dev.spillway.core.journal.Journal.Metric;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What CloudWatch calls what the journal measures; alarms and dashboards take it from here. */
public final class MetricNames {
    /** Of what runs outside an account. */
    public static final String NAMESPACE = "Spillway";

    /** The setting that says which namespace the metrics are in. */
    public static final String NAMESPACE_SETTING = "SPILLWAY_METRICS_NAMESPACE";

    /** The dimension by which the metrics of one function are told from another's. */
    public static final String SERVICE = "service";

    /** The dimension of a pool, the gateway among them. */
    public static final String TENANT = "tenant";

    /**
     * What stands in {@link #SERVICE} for the time that calls were held, whichever function measured it: an alarm watches one
     * series, and calls are handed off, and seen to be held, by several.
     */
    public static final String HELD_CALLS = "held-calls";

    /** Likewise for how long slots were free, which whichever function takes one measures. */
    public static final String SLOTS = "slots";

    private MetricNames() {}

    /**
     * Of a deployment. Two of them may share an account and a region, and what one measures must not keep an alarm of the
     * other quiet.
     */
    public static String namespace(String deployment) {
        return NAMESPACE + "/" + deployment;
    }

    /** As the environment says. */
    public static String namespace(Map<String, String> environment) {
        return environment.getOrDefault(NAMESPACE_SETTING, NAMESPACE);
    }

    /** What stands in {@link #SERVICE}, if it is not the function that measures. */
    public static Optional<String> series(Metric metric) {
        if (metric == Metric.HOLD_SECONDS) {
            return Optional.of(HELD_CALLS);
        }
        return metric == Metric.SLOT_REUSE_SECONDS ? Optional.of(SLOTS) : Optional.empty();
    }

    /** Whether it is measured in seconds; what is not is a number of something. */
    public static boolean isSeconds(Metric metric) {
        return switch (metric) {
            case HOLD_SECONDS, OUTBOUND_WAIT_SECONDS, SLOT_REUSE_SECONDS -> true;
            case OVERFLOWS,
                    HOLDS,
                    HAND_OFFS,
                    REFUSALS,
                    DEFERRALS,
                    SCALE_DECISIONS,
                    ZOMBIES_FOUND,
                    APOLOGIES,
                    TURNED_AWAY,
                    SPARE_SLOTS,
                    ALERTS,
                    LIVE_SLOTS,
                    RESERVED_SLOTS,
                    COOLDOWN_SLOTS,
                    READY_SLOTS,
                    USABLE_SLOTS,
                    SLOT_CEILING -> false;
        };
    }

    /** {@code HAND_OFFS} is {@code HandOffs} to CloudWatch. */
    public static String of(Metric metric) {
        StringBuilder name = new StringBuilder();
        for (String word : metric.name().split("_")) {
            name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return name.toString();
    }
}
