package dev.spillway.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The checkout whose containers start from an AOT cache, as those of the image do: in half the time, and every test of the whole
 * system starts a handful of them at once. The cache is made once, before the first of these tests, in some seconds.
 */
final class Trained {
    private Trained() {}

    private static final class Once {
        private static final Path HOME = train(Cli.home());
    }

    static Path home() {
        return Once.HOME;
    }

    /** Containers without a cache start too, only later: whatever goes wrong is told, and no test fails for it. */
    private static Path train(Path home) {
        Path target = home.resolve("media-container/target");
        List<String> command = new ArrayList<>(MediaProcesses.command(target));
        if (command.stream().anyMatch(option -> option.startsWith("-XX:AOTCache="))) {
            return home;
        }
        Path made = target.resolve("media-container.aot.new");
        command.add(1, "-XX:AOTCacheOutput=" + made);
        command.add("--train");
        try {
            Process training = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(target.resolve("train.log").toFile())
                    .start();
            if (training.waitFor(2, TimeUnit.MINUTES) && training.exitValue() == 0) {
                Files.move(made, target.resolve("media-container.aot"), StandardCopyOption.REPLACE_EXISTING);
            } else {
                training.destroyForcibly();
                System.out.println("no AOT cache could be made: see " + target.resolve("train.log"));
            }
        } catch (IOException e) {
            System.out.println("no AOT cache could be made: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return home;
    }
}
