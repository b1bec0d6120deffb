package dev.spillway.localcloud.twilio;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Dates as Twilio's REST API and callbacks write them: {@code Sun, 29 Nov 2026 20:00:00 +0000}. */
final class RestDates {
    private static final DateTimeFormatter RFC_2822 = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss Z", Locale.US)
            .withZone(ZoneOffset.UTC);

    private RestDates() {}

    static String format(Instant instant) {
        return RFC_2822.format(instant);
    }
}
