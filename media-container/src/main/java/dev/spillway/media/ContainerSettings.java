package dev.spillway.media;

import dev.spillway.adapters.settings.Settings;
import dev.spillway.adapters.settings.SettingsException;
import dev.spillway.adapters.settings.SharedSettings;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.Persona.Bot;
import dev.spillway.media.bot.BotLimits;
import dev.spillway.media.bot.Bots;
import java.net.URI;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a media container is told by its environment.
 *
 * @param voiceUrl the public URL of the pool's webhook; empty for the gateway, which has none
 * @param agentCpu computing that the embedded agent does for each frame of 20 ms that it hears; none but in load tests
 * @param agentRehearses whether a media stream's parameters may say how the embedded agent is to behave; not but in load
 *     tests, whose calls say what they cost
 * @param bots the bot of this container, if it has one of its own
 * @param stopTimeout how long ECS waits between SIGTERM and SIGKILL
 * @param deregistration how long the load balancer lets the streams of a task be that ECS stops, before SIGTERM
 * @param memoryFloorBytes new calls are refused while less of the heap is left; 0 never refuses
 * @param targetWait how long the load balancer's first health check is waited for before READY; 0 where none is in front
 */
public record ContainerSettings(
        SharedSettings shared,
        PoolId pool,
        int port,
        Optional<String> voiceUrl,
        StreamKey streamKey,
        Duration think,
        Duration agentCpu,
        boolean agentRehearses,
        Bots bots,
        Duration stopTimeout,
        Duration deregistration,
        long memoryFloorBytes,
        Duration targetWait,
        String agentUri,
        String metadataUri) {

    /** Of the 1,434 MB of heap that a task of 2 GB has; six calls of the embedded agents hold less than a tenth of it. A guess. */
    private static final int FLOOR_MEGABYTES = 64;

    /** @throws SettingsException listing every problem */
    public static ContainerSettings from(Map<String, String> environment) {
        return Settings.read(environment, ContainerSettings::read);
    }

    private static ContainerSettings read(Settings settings) {
        PoolId pool = settings.required(
                "SPILLWAY_POOL", PoolId.GATEWAY, PoolId::new, "want a tenant's id, or gateway for the shared pool");
        Optional<String> voiceUrl = settings.optionalUrl("SPILLWAY_VOICE_URL", "https", "http");
        if (!pool.isGateway() && voiceUrl.isEmpty()) {
            settings.problem("SPILLWAY_VOICE_URL", "is missing: every pool but the gateway has a webhook");
        }
        Optional<String> bot = settings.optionalUrl("SPILLWAY_BOT_URL", "ws", "wss");
        Optional<String> state = settings.optionalUrl("SPILLWAY_BOT_STATE_URL", "http", "https");
        if (pool.isGateway() && bot.isPresent()) {
            settings.problem(
                    "SPILLWAY_BOT_URL", "is of one tenant, and the gateway answers for all: name it in the persona");
        }
        if (state.isPresent() && bot.isEmpty()) {
            settings.problem("SPILLWAY_BOT_STATE_URL", "needs SPILLWAY_BOT_URL beside it");
        }
        Duration firstAnswer = Duration.ofMillis(settings.wholeNumber(
                "SPILLWAY_BOT_FIRST_ANSWER_MILLIS",
                (int) BotLimits.STANDARD.firstAnswer().toMillis(),
                0,
                60_000));
        return new ContainerSettings(
                SharedSettings.from(settings),
                pool,
                settings.wholeNumber("SPILLWAY_PORT", 8_080, 0, 65_535),
                voiceUrl,
                StreamKey.ofPool(settings.base64("SPILLWAY_STREAM_KEY", 32)),
                Duration.ofMillis(settings.wholeNumber("SPILLWAY_THINK_MILLIS", 600, 0, 60_000)),
                Duration.of(settings.wholeNumber("SPILLWAY_AGENT_CPU_MICROS", 0, 0, 20_000), ChronoUnit.MICROS),
                settings.wholeNumber("SPILLWAY_AGENT_REHEARSES", 0, 0, 1) == 1,
                new Bots(
                        bot.map(url -> new Bot(
                                        URI.create(url), state.map(URI::create).orElse(null)))
                                .orElse(null),
                        BotLimits.STANDARD.withFirstAnswer(firstAnswer),
                        settings.value(
                                "SPILLWAY_TRANSFER_TO",
                                List.of(),
                                ContainerSettings::numbers,
                                "want numbers in E.164, or how they begin, with commas between")),
                Duration.ofSeconds(settings.wholeNumber("SPILLWAY_STOP_TIMEOUT_SECONDS", 120, 2, 120)),
                Duration.ofSeconds(settings.wholeNumber("SPILLWAY_DEREGISTRATION_SECONDS", 300, 0, 3_600)),
                (long) settings.wholeNumber("SPILLWAY_MEMORY_FLOOR_MB", FLOOR_MEGABYTES, 0, 65_536) << 20,
                // Three of its intervals of 10 s.
                Duration.ofSeconds(settings.wholeNumber("SPILLWAY_TARGET_WAIT_SECONDS", 30, 0, 600)),
                settings.url("ECS_AGENT_URI", "http"),
                settings.url("ECS_CONTAINER_METADATA_URI_V4", "http"));
    }

    private static List<String> numbers(String text) {
        List<String> numbers = Stream.of(text.split(","))
                .map(String::strip)
                .filter(one -> !one.isEmpty())
                .toList();
        return new Bots(null, BotLimits.STANDARD, numbers).transferTo();
    }
}
