package dev.spillway.lambda;

import dev.spillway.adapters.settings.Settings;
import dev.spillway.adapters.settings.SettingsException;
import dev.spillway.adapters.settings.SharedSettings;
import dev.spillway.core.tenant.Access;
import dev.spillway.core.tenant.Principal;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the functions are told by their environment.
 *
 * @param cluster the ECS cluster of all pools
 * @param gatewayStreamUrl where the gateway's streams are opened; null if that is unknown, and the last resort is then
 *     the apology
 * @param streamSecret the name of the secret from which stream keys are derived
 * @param tenantSecrets what the names of the tenants' secrets begin with; while the table is away, a tenant's secret is
 *     found by this and his name
 * @param twilioApiUrl the base URL of Twilio's REST API
 * @param access who may touch every tenant, from {@code SPILLWAY_OPERATORS}: ARNs of IAM users and roles, set apart by
 *     commas or blanks
 * @param journal where decisions are written
 */
record FunctionSettings(
        SharedSettings shared,
        String cluster,
        @Nullable String gatewayStreamUrl,
        String streamSecret,
        String tenantSecrets,
        String twilioApiUrl,
        Access access,
        JournalChoice journal) {

    /** {@code SPILLWAY_JOURNAL}. */
    enum JournalChoice {
        /** Powertools: JSON log lines on standard error, metrics in the embedded format on standard output. */
        POWERTOOLS,
        /** JSON lines on standard error and no metrics: for functions that run inside another process. */
        STDERR
    }

    /** @throws SettingsException listing every problem at once */
    static FunctionSettings from(Map<String, String> environment) {
        return Settings.read(
                environment,
                settings -> new FunctionSettings(
                        SharedSettings.from(settings),
                        settings.text("SPILLWAY_CLUSTER"),
                        settings.optionalUrl("SPILLWAY_GATEWAY_STREAM_URL", "wss", "ws")
                                .orElse(null),
                        settings.text("SPILLWAY_STREAM_SECRET"),
                        settings.text("SPILLWAY_TENANT_SECRETS"),
                        settings.url(
                                "SPILLWAY_TWILIO_API_URL",
                                "https://api.twilio.com",
                                java.util.List.of("https", "http")),
                        settings.value(
                                "SPILLWAY_OPERATORS",
                                new Access(Set.of()),
                                FunctionSettings::access,
                                "want ARNs of IAM users and roles, set apart by commas"),
                        settings.value(
                                "SPILLWAY_JOURNAL",
                                JournalChoice.POWERTOOLS,
                                FunctionSettings::choice,
                                "want powertools or stderr")));
    }

    private static Access access(String text) {
        return new Access(Arrays.stream(text.split("[\\s,]+"))
                .filter(arn -> !arn.isEmpty())
                .map(Principal::new)
                .collect(Collectors.toSet()));
    }

    private static JournalChoice choice(String text) {
        return switch (text) {
            case "powertools" -> JournalChoice.POWERTOOLS;
            case "stderr" -> JournalChoice.STDERR;
            default -> throw new IllegalArgumentException("unknown journal");
        };
    }
}
