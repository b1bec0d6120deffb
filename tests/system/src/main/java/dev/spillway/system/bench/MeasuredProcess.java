package dev.spillway.system.bench;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** A process of a benchmark: timed from just before its start until it prints a certain line, and ended with this object. */
final class MeasuredProcess implements AutoCloseable {
    /** An order of magnitude above any start worth measuring. */
    private static final Duration LONGEST_START = Duration.ofSeconds(60);

    private final Process process;
    private final Path log;
    private final long begunNanos;
    private final CompletableFuture<Start> start = new CompletableFuture<>();
    private final Thread closeOnExit;

    /**
     * The line came.
     *
     * @param after from just before the process was started
     */
    record Start(String line, Duration after) {}

    /**
     * @param environment the whole of it
     * @param log everything the process prints is appended there
     * @param ready the line that ends the start
     */
    MeasuredProcess(List<String> command, Map<String, String> environment, Path log, Predicate<String> ready)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(environment);
        this.log = log;
        begunNanos = System.nanoTime();
        process = builder.start();
        closeOnExit = new Thread(process::destroyForcibly, "bench-exit");
        Runtime.getRuntime().addShutdownHook(closeOnExit);
        Thread.ofVirtual().name("output of " + process.pid()).start(() -> follow(ready));
    }

    private void follow(Predicate<String> ready) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
                BufferedWriter copy =
                        Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!start.isDone() && ready.test(line)) {
                    start.complete(new Start(line, Duration.ofNanos(System.nanoTime() - begunNanos)));
                }
                copy.write(line);
                copy.newLine();
                copy.flush();
            }
        } catch (IOException e) {
            start.completeExceptionally(e);
        }
        start.completeExceptionally(new IOException("it ended"));
    }

    /** @throws IOException if the line does not come */
    Start awaitStart() throws IOException, InterruptedException {
        try {
            return start.get(LONGEST_START.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(
                    "a process did not start within " + LONGEST_START.toSeconds() + " s; what it printed is in " + log);
        }
    }

    /** User and system time so far; the kernel counts it in steps of 10 ms. */
    Duration cpu() {
        return process.info()
                .totalCpuDuration()
                .orElseThrow(() -> new UncheckedIOException(
                        new IOException("the CPU time of process " + process.pid() + " cannot be read")));
    }

    /** What of it lies in memory now. */
    long residentMegabytes() throws IOException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .mapToLong(Long::parseLong)
                .map(kilobytes -> kilobytes / 1_024)
                .findFirst()
                .orElseThrow(() -> new IOException(status + " does not tell the memory of the process"));
    }

    /** Kills it: a benchmark has nothing to say goodbye to. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(5, TimeUnit.SECONDS);
            Runtime.getRuntime().removeShutdownHook(closeOnExit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IllegalStateException e) {
            // The JVM is on its way out, and the hook with it.
        }
    }
}
