package dev.spillway.infra;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A tenant's own bot as a second container of its tasks; media-container/UPSTREAM.md tells what it has to do. It gets no
 * secret of Spillway's.
 *
 * @param image where its image is pulled from
 * @param url of its WebSocket, as the media container beside it sees it
 * @param state where a call's conversation is got and put, if the bot keeps any
 * @param memory in MiB, of the task's; without it the bot may use what is left
 * @param environment of the bot
 * @param transferTo numbers, or how they begin, to which it may give calls; none unless they are named
 */
record BotContainer(
        String image,
        @Nullable URI url,
        @Nullable URI state,
        @Nullable Integer memory,
        @Nullable Map<String, String> environment,
        @Nullable List<String> transferTo) {
    /** Where Pipecat's examples listen. */
    private static final URI USUAL = URI.create("ws://127.0.0.1:8765/ws");

    BotContainer {
        if (image == null || image.isBlank()) {
            throw new IllegalArgumentException("a botContainer needs an image");
        }
        url = url == null ? USUAL : url;
        transferTo = transferTo == null ? List.of() : List.copyOf(transferTo);
        environment = environment == null ? Map.of() : Map.copyOf(environment);
        // The address is checked as a persona's is.
        var _ = new dev.spillway.core.tenant.Persona.Bot(url, state);
    }

    /** What the media container beside it is told. */
    Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        settings.put("SPILLWAY_BOT_URL", String.valueOf(url));
        if (state != null) {
            settings.put("SPILLWAY_BOT_STATE_URL", state.toString());
        }
        if (transferTo != null && !transferTo.isEmpty()) {
            settings.put("SPILLWAY_TRANSFER_TO", String.join(",", transferTo));
        }
        return settings;
    }
}
