package dev.spillway.lambda.log;

import dev.spillway.adapters.journal.PhoneNumbers;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import software.amazon.lambda.powertools.logging.argument.StructuredArgument;
import software.amazon.lambda.powertools.logging.internal.JsonSerializer;
import software.amazon.lambda.powertools.logging.internal.PowertoolsLoggedFields;

/**
 * A line of the log as Powertools' own layout has it: {@code level}, {@code message}, {@code error} if there is one, {@code
 * timestamp}, the function's and the request's names, and each structured argument under its key.
 */
final class LogLine {
    /** Always with milliseconds, so that lines sort by their text. */
    private static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

    /** What the layout writes of a context as something else than a text. */
    private static final String COLD_START = PowertoolsLoggedFields.FUNCTION_COLD_START.getName();

    private static final String MEMORY = PowertoolsLoggedFields.FUNCTION_MEMORY_SIZE.getName();
    private static final String SAMPLING = PowertoolsLoggedFields.SAMPLING_RATE.getName();

    private LogLine() {}

    /**
     * @param context the fields of the thread
     * @param arguments of the message; structured ones become fields
     */
    static String of(
            Level level,
            String message,
            @Nullable Throwable thrown,
            Map<String, String> context,
            Object[] arguments,
            Instant now) {
        StringBuilder text = new StringBuilder(512);
        try (JsonSerializer json = new JsonSerializer(text)) {
            json.writeStartObject();
            json.writeStringField("level", level.name());
            json.writeSeparator();
            json.writeStringField("message", PhoneNumbers.masked(message));
            if (thrown != null) {
                json.writeSeparator();
                json.writeFieldName("error");
                json.writeStartObject();
                json.writeStringField("message", PhoneNumbers.masked(String.valueOf(thrown.getMessage())));
                json.writeSeparator();
                json.writeStringField("name", thrown.getClass().getName());
                json.writeSeparator();
                json.writeStringField("stack", PhoneNumbers.masked(stack(thrown)));
                json.writeEndObject();
            }
            json.writeSeparator();
            json.writeStringField("timestamp", TIME.format(now));
            for (Map.Entry<String, String> field : new TreeMap<>(context).entrySet()) {
                write(json, field.getKey(), field.getValue());
            }
            for (Object argument : arguments) {
                if (argument instanceof StructuredArgument structured) {
                    json.writeSeparator();
                    structured.writeTo(json);
                }
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException("a text in memory was not written to", e);
        }
        return escaped(text);
    }

    private static void write(JsonSerializer json, String name, String value) {
        if (name.equals(SAMPLING) && Double.parseDouble(value) == 0) {
            return; // nothing is sampled
        }
        json.writeSeparator();
        if (name.equals(COLD_START)) {
            json.writeBooleanField(name, Boolean.parseBoolean(value));
        } else if (name.equals(MEMORY) || name.equals(SAMPLING)) {
            json.writeFieldName(name);
            json.writeRaw(value);
        } else {
            json.writeStringField(name, value);
        }
    }

    private static String stack(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    /** Powertools' serializer leaves rarer control characters as they are, which no JSON has; outside of texts there are none. */
    private static String escaped(StringBuilder line) {
        for (int i = line.length() - 1; i >= 0; i--) {
            char c = line.charAt(i);
            if (c < ' ') {
                line.replace(i, i + 1, String.format("\\u%04x", (int) c));
            }
        }
        return line.toString();
    }
}
