package dev.spillway.localcloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The process of one task. Not thread-safe: guarded by the cluster's lock. */
final class TaskProcess {

    private final Process process;
    private @Nullable Instant killAt;

    private TaskProcess(Process process) {
        this.process = process;
    }

    /** Starts the command with its output appended to {@code log}; {@code onExit} runs on another thread when it ends. */
    static TaskProcess start(ProcessBuilder command, Path log, OrphanGuard guard, Runnable onExit) throws IOException {
        Path directory = log.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        Process process = command.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        guard.guard(process.pid());
        process.onExit().thenRun(() -> {
            guard.release(process.pid());
            onExit.run();
        });
        return new TaskProcess(process);
    }

    long pid() {
        return process.pid();
    }

    boolean alive() {
        return process.isAlive();
    }

    int exitCode() {
        return process.exitValue();
    }

    /** SIGTERM now, SIGKILL at {@code now + timeout} if {@link #killIfOverdue} is asked then. */
    void terminate(Instant now, Duration timeout) {
        killAt = now.plus(timeout);
        process.destroy();
    }

    boolean terminating() {
        return killAt != null;
    }

    @Nullable
    Instant killAt() {
        return killAt;
    }

    void killIfOverdue(Instant now) {
        if (killAt != null && !now.isBefore(killAt)) {
            kill();
        }
    }

    /** SIGKILL to the process and to whatever it started. */
    void kill() {
        List<ProcessHandle> descendants = process.descendants().toList();
        process.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
    }

    /** Sends a signal that Java has no method for. */
    void signal(String name) {
        try {
            Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start();
            kill.waitFor(1, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new IllegalStateException("cannot send SIG" + name + " to process " + process.pid(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean awaitExit(Duration atMost) {
        try {
            return process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
