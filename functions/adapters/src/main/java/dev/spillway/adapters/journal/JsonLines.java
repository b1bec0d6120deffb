package dev.spillway.adapters.journal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.spillway.core.journal.Journal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A journal of JSON lines: {@code time}, {@code event}, the entry's fields by name, and its metrics as {@link MetricNames}
 * has them. A line with metrics says so in CloudWatch's embedded metric format, so that whatever takes it to CloudWatch Logs
 * takes them to CloudWatch. A phone number that a dependency's message carries is masked.
 */
public final class JsonLines implements Journal {
    private static final JsonFactory JSON = new JsonFactory();

    private final OutputStream out;
    private final InstantSource clock;
    private final Map<String, String> always;
    private final String namespace;

    /** @param always fields of every line: who writes */
    public JsonLines(OutputStream out, InstantSource clock, Map<String, String> always) {
        this(out, clock, always, MetricNames.NAMESPACE);
    }

    /** @param namespace which the metrics are in */
    public JsonLines(OutputStream out, InstantSource clock, Map<String, String> always, String namespace) {
        this.out = out;
        this.clock = clock;
        this.always = Map.copyOf(always);
        this.namespace = namespace;
    }

    @Override
    public void write(Entry entry) {
        Instant now = clock.instant();
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        try (JsonGenerator json = JSON.createGenerator(line)) {
            json.writeStartObject();
            json.writeStringField("time", now.toString());
            json.writeStringField("event", entry.event());
            for (Map.Entry<String, String> field : always.entrySet()) {
                if (!entry.fields().containsKey(field.getKey())) {
                    json.writeStringField(field.getKey(), field.getValue());
                }
            }
            for (Map.Entry<String, String> field : new TreeMap<>(entry.fields()).entrySet()) {
                json.writeStringField(field.getKey(), PhoneNumbers.masked(field.getValue()));
            }
            for (Map.Entry<Metric, Double> metric : entry.metrics().entrySet()) {
                json.writeNumberField(MetricNames.of(metric.getKey()), metric.getValue());
            }
            if (!entry.metrics().isEmpty()) {
                writeFormat(entry, now, json);
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a line of the journal could not be built", e);
        }
        line.write('\n');
        synchronized (out) {
            try {
                line.writeTo(out);
                out.flush();
            } catch (IOException e) {
                // Nobody reads the log any more: calls go on.
            }
        }
    }

    /** What of the line are metrics, and by which of its fields they are told apart. */
    private void writeFormat(Entry entry, Instant now, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("_aws");
        json.writeNumberField("Timestamp", now.toEpochMilli());
        json.writeArrayFieldStart("CloudWatchMetrics");
        json.writeStartObject();
        json.writeStringField("Namespace", namespace);
        json.writeArrayFieldStart("Dimensions");
        json.writeStartArray();
        for (String dimension : List.of(MetricNames.SERVICE, MetricNames.TENANT)) {
            if (always.containsKey(dimension) || entry.fields().containsKey(dimension)) {
                json.writeString(dimension);
            }
        }
        json.writeEndArray();
        json.writeEndArray();
        json.writeArrayFieldStart("Metrics");
        for (Metric metric : entry.metrics().keySet()) {
            json.writeStartObject();
            json.writeStringField("Name", MetricNames.of(metric));
            json.writeStringField("Unit", MetricNames.isSeconds(metric) ? "Seconds" : "Count");
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
        json.writeEndArray();
        json.writeEndObject();
    }
}
