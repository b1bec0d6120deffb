package dev.spillway.system.conform;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** A command that starts a container in the foreground. Its error output is shown as it comes, of the other the end is kept. */
public final class StartedCommand implements Started, AutoCloseable {
    private static final int LINES = 20;
    /** The last line may still be on its way when the process has ended. A guess. */
    private static final Duration DRAINED = Duration.ofSeconds(1);

    private final Process process;
    private final Thread reader;
    private final Deque<String> lines = new ArrayDeque<>();

    /** @throws IOException if there is no such command */
    public StartedCommand(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "conform-exit"));
        reader = Thread.ofVirtual().name("conform-output").start(this::read);
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                synchronized (lines) {
                    lines.addLast(line);
                    if (lines.size() > LINES) {
                        lines.removeFirst();
                    }
                }
            }
        } catch (IOException e) {
            // It was ended while it wrote.
        }
    }

    @Override
    public OptionalInt exitCode() {
        return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
    }

    @Override
    public String lastLines() {
        try {
            reader.join(DRAINED);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (lines) {
            return String.join("\n", lines);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
