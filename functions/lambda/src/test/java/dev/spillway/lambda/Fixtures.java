package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import com.amazonaws.services.lambda.runtime.serialization.events.LambdaEventSerializers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.joda.time.DateTime;

/** The payloads in {@code events/}, parsed as Lambda parses them. */
final class Fixtures {
    static final Path EVENTS = Path.of("../../events");

    private Fixtures() {}

    static <T> T read(String file, Class<T> type) {
        return parse(text(file), type);
    }

    static <T> T parse(String json, Class<T> type) {
        return LambdaEventSerializers.serializerFor(type, Fixtures.class.getClassLoader())
                .fromJson(json);
    }

    static String text(String file) {
        try {
            return Files.readString(EVENTS.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ScheduledEvent bus(String name) {
        return read("event-bridge/" + name + ".json", ScheduledEvent.class);
    }

    /** An event of ours. */
    static ScheduledEvent ours(String type, Map<String, Object> detail) {
        return new ScheduledEvent()
                .withSource("spillway")
                .withDetailType(type)
                .withTime(DateTime.parse("2026-11-29T09:00:00Z"))
                .withDetail(detail);
    }
}
