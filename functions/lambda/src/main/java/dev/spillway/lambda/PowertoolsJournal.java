package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import dev.spillway.adapters.journal.PhoneNumbers;
import dev.spillway.core.journal.Journal;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import software.amazon.lambda.powertools.logging.PowertoolsLogging;
import software.amazon.lambda.powertools.logging.argument.StructuredArgument;
import software.amazon.lambda.powertools.logging.argument.StructuredArguments;
import software.amazon.lambda.powertools.metrics.Metrics;
import software.amazon.lambda.powertools.metrics.MetricsFactory;
import software.amazon.lambda.powertools.metrics.model.DimensionSet;
import software.amazon.lambda.powertools.metrics.model.MetricUnit;

/**
 * The journal on Lambda: one JSON log line for each decision, with its fields beside the function's and the request's
 * names, and its metrics in namespace {@code Spillway} with the dimensions {@code service} and, where there is one,
 * {@code tenant}.
 */
final class PowertoolsJournal implements Journal, Invocations {
    private static final String NAMESPACE = "Spillway";

    private final Logger logger = LoggerFactory.getLogger("spillway");
    private final Metrics metrics;
    private final String service;

    /** The running request's log context: flows run on threads of their own, which do not inherit it. */
    private volatile Map<String, String> request = Map.of();

    PowertoolsJournal() {
        this(MetricsFactory.getMetricsInstance(), System.getenv());
    }

    PowertoolsJournal(Metrics metrics, Map<String, String> environment) {
        this.metrics = metrics;
        this.service = environment.getOrDefault("POWERTOOLS_SERVICE_NAME", "spillway");
        metrics.setNamespace(NAMESPACE);
        metrics.setDefaultDimensions(DimensionSet.of("service", service));
    }

    @Override
    public <T> T run(@Nullable Context context, Supplier<T> work) {
        if (context == null) {
            return work.get();
        }
        return PowertoolsLogging.withLogging(context, () -> {
            Map<String, String> names = MDC.getCopyOfContextMap();
            request = names == null ? Map.of() : names;
            return work.get();
        });
    }

    @Override
    public void write(Entry entry) {
        Map<String, String> before = MDC.getCopyOfContextMap();
        boolean bare = before == null || before.isEmpty();
        if (bare) {
            MDC.setContextMap(request);
        }
        try {
            logger.info(entry.event(), fields(entry));
        } finally {
            if (bare) {
                MDC.clear();
            }
        }
        if (!entry.metrics().isEmpty()) {
            metrics.flushMetrics(line -> measure(line, entry));
        }
    }

    private static Object[] fields(Entry entry) {
        StructuredArgument event = StructuredArguments.entry("event", entry.event());
        return java.util.stream.Stream.concat(
                        java.util.stream.Stream.of(event),
                        new TreeMap<>(entry.fields())
                                .entrySet().stream()
                                        .map(field -> StructuredArguments.entry(
                                                field.getKey(), PhoneNumbers.masked(field.getValue()))))
                .toArray();
    }

    private void measure(Metrics line, Entry entry) {
        line.setNamespace(NAMESPACE);
        line.setDefaultDimensions(DimensionSet.of("service", service));
        String tenant = entry.fields().get("tenant");
        if (tenant != null) {
            line.addDimension("tenant", tenant);
        }
        entry.metrics()
                .forEach((metric, value) -> line.addMetric(
                        name(metric),
                        value,
                        switch (metric) {
                            case HOLD_SECONDS, OUTBOUND_WAIT_SECONDS, SLOT_REUSE_SECONDS -> MetricUnit.SECONDS;
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
                                    SLOT_CEILING -> MetricUnit.COUNT;
                        }));
    }

    /** {@code HAND_OFFS} is {@code HandOffs} to CloudWatch. */
    static String name(Metric metric) {
        StringBuilder name = new StringBuilder();
        for (String word : metric.name().split("_")) {
            name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return name.toString();
    }
}
