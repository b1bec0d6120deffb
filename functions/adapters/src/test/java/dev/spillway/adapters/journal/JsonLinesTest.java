package dev.spillway.adapters.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonLinesTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-11-29T12:00:00Z"));
    private static final Entry OVERFLOW = Entry.of("answered")
            .with("tenant", "acme")
            .with("reason", "no free slot; from +15005550006 and %2B15005550001")
            .count(Metric.OVERFLOWS)
            .measure(Metric.HOLD_SECONDS, 12.5);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void a_decision_is_one_line_with_its_time_its_fields_and_its_metrics() throws IOException {
        new JsonLines(out, CLOCK, Map.of("pool", "acme")).write(OVERFLOW);

        assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("}\n").containsOnlyOnce("\n");
        JsonNode line = new ObjectMapper().readTree(out.toByteArray());
        assertThat(line.at("/time").asText()).isEqualTo("2026-11-29T12:00:00Z");
        assertThat(line.at("/event").asText()).isEqualTo("answered");
        assertThat(line.at("/pool").asText()).isEqualTo("acme");
        assertThat(line.at("/tenant").asText()).isEqualTo("acme");
        assertThat(line.at("/Overflows").asDouble()).isEqualTo(1);
        assertThat(line.at("/HoldSeconds").asDouble()).isEqualTo(12.5);
    }

    @Test
    void a_line_s_metrics_are_told_in_cloudwatch_s_embedded_format_with_the_names_of_the_functions()
            throws IOException {
        JsonLines journal = new JsonLines(
                out, CLOCK, Map.of("service", "media-container", "pool", "acme"), MetricNames.namespace("burst"));
        journal.write(OVERFLOW);

        JsonNode aws = new ObjectMapper().readTree(out.toByteArray()).at("/_aws");
        assertThat(aws.at("/Timestamp").asLong()).isEqualTo(1_795_953_600_000L);
        JsonNode told = aws.at("/CloudWatchMetrics/0");
        assertThat(told.at("/Namespace").asText()).isEqualTo("Spillway/burst");
        assertThat(told.at("/Dimensions").toString()).isEqualTo("[[\"service\",\"tenant\"]]");
        assertThat(told.at("/Metrics"))
                .extracting(metric ->
                        metric.at("/Name").asText() + " " + metric.at("/Unit").asText())
                .containsExactlyInAnyOrder("Overflows Count", "HoldSeconds Seconds");

        out.reset();
        journal.write(Entry.of("drain"));
        assertThat(new ObjectMapper().readTree(out.toByteArray()).has("_aws")).isFalse();
    }

    @Test
    void an_entry_s_own_field_comes_before_the_one_of_every_line() throws IOException {
        new JsonLines(out, CLOCK, Map.of("pool", "acme"))
                .write(Entry.of("drain").with("pool", "gateway"));

        assertThat(new ObjectMapper().readTree(out.toByteArray()).at("/pool").asText())
                .isEqualTo("gateway");
    }

    @Test
    void no_phone_number_ever_stands_in_a_line() {
        new JsonLines(out, CLOCK, Map.of()).write(OVERFLOW);

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("+15*****", "%2B15*****")
                .doesNotContain("5005550");
    }

    @Test
    void a_log_that_nobody_reads_any_more_stops_nothing() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                throw new IOException("closed");
            }
        };
        assertThatCode(() -> new JsonLines(closed, CLOCK, Map.of()).write(OVERFLOW))
                .doesNotThrowAnyException();
    }
}
