package dev.spillway.load;

import dev.spillway.load.replay.StopRules;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** When a run ends before its schedule. */
public final class StopOptions {
    @Option(names = "--max-seconds", paramLabel = "SECONDS", description = "stop the run after this time")
    @Nullable
    Double maxSeconds;

    @Option(names = "--max-refused", paramLabel = "N", description = "stop after more refusals than this")
    @Nullable
    Integer maxRefused;

    @Option(
            names = "--max-incorrect",
            paramLabel = "N",
            description = "stop after more turns with speech of a wrong generation or persona than this")
    @Nullable
    Integer maxIncorrect;

    @Option(names = "--max-memory", paramLabel = "MB", description = "stop when the generator uses more than this")
    @Nullable
    Long maxMemory;

    public StopRules rules() {
        return new StopRules(maxSeconds, maxRefused, maxIncorrect, maxMemory);
    }
}
