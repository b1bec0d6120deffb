package dev.spillway.load;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** {@code ./spillway local} as a process of its own. */
final class LocalStack implements AutoCloseable {
    private final Process process;
    private final Path info;

    private LocalStack(Process process, Path info) {
        this.process = process;
        this.info = info;
    }

    /** Whether it was built, which a build of this module alone does not do. */
    static boolean isBuilt() {
        return Files.isDirectory(Tool.home().resolve("tests/system/target/lib")) && !jars().isEmpty();
    }

    private static List<String> jars() {
        String[] names = Tool.home()
                .resolve("tests/system/target")
                .toFile()
                .list((folder, name) -> name.matches("spillway-system-.*\\.jar"));
        return Arrays.asList(Objects.requireNonNullElse(names, new String[0]));
    }

    static LocalStack start(Path work) throws IOException {
        Path target = Tool.home().resolve("tests/system/target");
        Path info = work.resolve("stack.json");
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dspillway.home=" + Tool.home(),
                        "-cp",
                        target.resolve("lib") + "/*:" + target.resolve(jars().getFirst()),
                        "dev.spillway.system.Cli",
                        "local",
                        "--info",
                        info.toString())
                .redirectErrorStream(true)
                .redirectOutput(work.resolve("stack.log").toFile())
                .start();
        await("the local stack is up, see " + work.resolve("stack.log"))
                .atMost(Duration.ofMinutes(3))
                .until(() -> Files.exists(info) || !process.isAlive());
        if (!process.isAlive()) {
            throw new IOException("the local stack did not start: " + Files.readString(work.resolve("stack.log")));
        }
        return new LocalStack(process, info);
    }

    Path info() {
        return info;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (process.waitFor(20, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
