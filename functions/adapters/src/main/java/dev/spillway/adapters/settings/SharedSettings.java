package dev.spillway.adapters.settings;

import dev.spillway.adapters.aws.AwsSettings;
import dev.spillway.core.Timing;

/**
 * What the functions and the media container are both told.
 *
 * @param aws where AWS is
 * @param table the name of the table
 * @param eventBus the name of the event bus
 * @param timing the durations, scaled by {@code SPILLWAY_SPEED}
 * @param publicUrl the base URL of the HTTP API as Twilio sees and signs it, without a trailing slash
 */
public record SharedSettings(AwsSettings aws, String table, String eventBus, Timing timing, String publicUrl) {
    public static SharedSettings from(Settings settings) {
        return new SharedSettings(
                AwsSettings.from(settings),
                settings.text("SPILLWAY_TABLE"),
                settings.text("SPILLWAY_EVENT_BUS"),
                Timing.STANDARD.scaled(settings.number("SPILLWAY_SPEED", 1, 1)),
                settings.url("SPILLWAY_PUBLIC_URL", "https", "http"));
    }
}
