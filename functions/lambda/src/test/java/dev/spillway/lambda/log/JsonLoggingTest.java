package dev.spillway.lambda.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import software.amazon.lambda.powertools.logging.argument.StructuredArguments;
import software.amazon.lambda.powertools.logging.internal.LoggingManagerRegistry;

class JsonLoggingTest {
    private static final Instant NOW = Instant.parse("2026-11-30T09:00:00Z");

    private static JsonNode line(String message, @Nullable Throwable thrown, Object... arguments) throws IOException {
        String line = LogLine.of(
                Level.WARN,
                message,
                thrown,
                Map.of(
                        "cold_start",
                        "true",
                        "function_memory_size",
                        "1769",
                        "sampling_rate",
                        "0.0",
                        "service",
                        "fallback"),
                arguments,
                NOW);
        assertThat(line).doesNotContain("\n");
        return new ObjectMapper().readTree(line);
    }

    @Test
    void slf4j_and_powertools_find_it() {
        assertThat(LoggerFactory.getILoggerFactory()).isInstanceOf(JsonLogging.class);
        assertThat(LoggingManagerRegistry.getLoggingManager()).isInstanceOf(LogLevels.class);
    }

    @Test
    void a_line_has_the_fields_of_powertools_own_layout() throws IOException {
        JsonNode line = line("answered", null, StructuredArguments.entry("event", "answered"), "not structured");

        assertThat(line.path("level").asText()).isEqualTo("WARN");
        assertThat(line.path("message").asText()).isEqualTo("answered");
        assertThat(line.path("timestamp").asText()).isEqualTo("2026-11-30T09:00:00.000Z");
        assertThat(line.path("service").asText()).isEqualTo("fallback");
        assertThat(line.path("cold_start").isBoolean()).isTrue();
        assertThat(line.path("function_memory_size").asInt()).isEqualTo(1769);
        assertThat(line.path("event").asText()).isEqualTo("answered");
        assertThat(line.has("error")).isFalse();
        assertThat(line).hasSize(7);
    }

    @Test
    void an_exception_is_one_line_too_and_shows_no_phone_number() throws IOException {
        JsonNode line =
                line("no answer for +15005550006", new IllegalStateException("\"odd\"\n\u0001 of +15005550001"));

        assertThat(line.path("message").asText()).isEqualTo("no answer for +15*****");
        assertThat(line.at("/error/name").asText()).isEqualTo("java.lang.IllegalStateException");
        assertThat(line.at("/error/message").asText()).isEqualTo("\"odd\"\n\u0001 of +15*****");
        assertThat(line.at("/error/stack").asText())
                .contains("JsonLoggingTest")
                .contains("\n")
                .doesNotContain("5005550");
    }

    @Test
    void decisions_are_written_and_of_libraries_what_they_warn_of() {
        assertThat(LogLevels.isEnabled("spillway", Level.INFO)).isTrue();
        assertThat(LogLevels.isEnabled("spillway", Level.DEBUG)).isFalse();
        assertThat(LogLevels.isEnabled("software.amazon.awssdk.core", Level.INFO))
                .isFalse();
        assertThat(LogLevels.isEnabled("software.amazon.awssdk.core", Level.WARN))
                .isTrue();
        assertThat(LogLevels.isEnabled("software.amazon.cloudwatchlogs.emf.model", Level.WARN))
                .isFalse();
        assertThat(new LogLevels().getLogLevel(LoggerFactory.getLogger("spillway")))
                .isEqualTo(Level.INFO);
    }

    @Test
    void a_thread_does_not_go_on_naming_the_request_in_which_it_was_begun() throws InterruptedException {
        LogContext context = new LogContext();
        context.put("function_request_id", "request-1");
        AtomicReference<@Nullable String> seen = new AtomicReference<>("nothing yet");

        Thread.ofPlatform()
                .start(() -> seen.set(context.get("function_request_id")))
                .join();

        assertThat(seen.get()).isNull();
        assertThat(context.getCopyOfContextMap()).containsEntry("function_request_id", "request-1");
    }
}
