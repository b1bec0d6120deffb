package dev.spillway.infra;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A tenant's own bot as a second container of its tasks; media-container/UPSTREAM.md tells what it has to do. It gets no
 * secret of Spillway's.
 *
 * @param image where its image is pulled from
 * @param url of its WebSocket, as the media container beside it sees it
 * @param state where a call's conversation is got and put, if the bot keeps any
 * @param memory in MiB, of the task's; what is left is the media container's, so that neither takes what the other needs
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

    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127\\.[0-9.]+|\\[::1]|0\\.0\\.0\\.0", Pattern.CASE_INSENSITIVE);

    /** ECS starts no container with less (RegisterTaskDefinition, "memory"). */
    private static final int LEAST_MEMORY = 6;

    BotContainer {
        if (image == null || image.isBlank()) {
            throw new IllegalArgumentException("a botContainer needs an image");
        }
        if (memory == null || memory < LEAST_MEMORY) {
            throw new IllegalArgumentException("a botContainer needs its memory: the MiB of the task's that the bot may"
                    + " use, at least " + LEAST_MEMORY);
        }
        url = url == null ? USUAL : url;
        refuseOwnPort("url", url);
        refuseOwnPort("state", state);
        transferTo = transferTo == null ? List.of() : List.copyOf(transferTo);
        environment = environment == null ? Map.of() : Map.copyOf(environment);
        // The address is checked as a persona's is.
        var _ = new dev.spillway.core.tenant.Persona.Bot(url, state);
    }

    /**
     * The containers of a task share its network. A bot that listens where the media container does keeps it from starting, or
     * cannot start itself.
     */
    private static void refuseOwnPort(String name, @Nullable URI address) {
        if (address != null
                && address.getPort() == Network.CONTAINER_PORT
                && address.getHost() != null
                && LOOPBACK.matcher(address.getHost()).matches()) {
            throw new IllegalArgumentException("a botContainer's " + name + " is " + address + ", but port "
                    + Network.CONTAINER_PORT + " is the media container's beside it, and both share the task's network:"
                    + " let the bot listen on another, " + USUAL.getPort() + " for instance");
        }
    }

    /** In MiB; it is never missing. */
    int mebibytes() {
        return Objects.requireNonNull(memory);
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
