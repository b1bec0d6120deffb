package dev.spillway.load;

import dev.spillway.load.replay.Permission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who allows the load. */
public final class ConsentOptions {
    @Option(names = "--consent", description = "the owner of the target agrees to this load")
    boolean consent;

    @Option(
            names = "--authorisation",
            paramLabel = "FILE",
            description =
                    "what the owner allows; needed for any host that is not loopback. JSON with owner, expires,"
                            + " destinations, maxConcurrency, maxPerSecond, maxSeconds, quotas {provider: calls} and sideEffects")
    @Nullable
    Path authorisation;

    public boolean given() {
        return consent;
    }

    /** @throws IOException if the file is no authorisation */
    public Permission permission() throws IOException {
        return authorisation == null ? Permission.NONE : Permission.of(Files.readAllBytes(authorisation));
    }
}
