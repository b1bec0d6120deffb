package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import dev.spillway.adapters.Once;
import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.adapters.journal.PhoneNumbers;
import dev.spillway.core.journal.Journal;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import software.amazon.cloudwatchlogs.emf.config.EnvironmentConfigurationProvider;
import software.amazon.cloudwatchlogs.emf.environment.Environments;
import software.amazon.lambda.powertools.logging.PowertoolsLogging;
import software.amazon.lambda.powertools.logging.argument.StructuredArgument;
import software.amazon.lambda.powertools.logging.argument.StructuredArguments;
import software.amazon.lambda.powertools.metrics.Metrics;
import software.amazon.lambda.powertools.metrics.model.DimensionSet;
import software.amazon.lambda.powertools.metrics.model.MetricUnit;
import software.amazon.lambda.powertools.metrics.provider.EmfMetricsProvider;

/**
 * The journal on Lambda: one JSON log line for each decision, with its fields beside the function's and the request's
 * names, and its metrics as {@link MetricNames} has them, with the tenant where there is one.
 */
final class PowertoolsJournal implements Journal, Invocations {
    private final Logger logger = LoggerFactory.getLogger("spillway");

    /** Made with the first line of metrics: a start waits for none. */
    private final Once<Metrics> metrics = new Once<>(PowertoolsJournal::writer);

    private final String service;
    private final String namespace;

    /** The running request's log context: flows run on threads of their own, which do not inherit it. */
    private volatile Map<String, String> request = Map.of();

    PowertoolsJournal() {
        this(System.getenv());
    }

    PowertoolsJournal(Map<String, String> environment) {
        this.service = environment.getOrDefault("POWERTOOLS_SERVICE_NAME", "spillway");
        this.namespace = MetricNames.namespace(environment);
    }

    /**
     * Powertools' factory would give one that keeps something of every traced request until it is flushed, and single lines
     * never flush it. Its library, unless it is told, asks the network where it runs, EC2's metadata too, and keeps a
     * connection that no snapshot may have.
     */
    private static Metrics writer() {
        EnvironmentConfigurationProvider.getConfig().setEnvironmentOverride(Environments.Lambda);
        return new EmfMetricsProvider().getMetricsInstance();
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
        Map<String, Map<Metric, Double>> series = new LinkedHashMap<>();
        Map<Metric, Double> sorted = new EnumMap<>(Metric.class);
        sorted.putAll(entry.metrics());
        sorted.forEach((metric, value) -> series.computeIfAbsent(
                        MetricNames.series(metric).orElse(service), name -> new EnumMap<>(Metric.class))
                .put(metric, value));
        series.forEach((name, values) -> metrics.get().flushMetrics(line -> measure(line, name, values, entry)));
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

    private void measure(Metrics line, String from, Map<Metric, Double> values, Entry entry) {
        line.setNamespace(namespace);
        // One set of both: a dimension that is added makes a set of its own, and so a series that no alarm asks for.
        String tenant = entry.fields().get("tenant");
        line.setDefaultDimensions(
                tenant == null
                        ? DimensionSet.of(MetricNames.SERVICE, from)
                        : DimensionSet.of(MetricNames.SERVICE, from, MetricNames.TENANT, tenant));
        values.forEach((metric, value) -> line.addMetric(
                MetricNames.of(metric), value, MetricNames.isSeconds(metric) ? MetricUnit.SECONDS : MetricUnit.COUNT));
    }
}
