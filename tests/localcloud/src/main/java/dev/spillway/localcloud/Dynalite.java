package dev.spillway.localcloud;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * DynamoDB over the wire: the npm package {@code dynalite} as a child process, in memory, on a free loopback port. It
 * lacks transactions, streams, TTL deletion and {@code ReturnValuesOnConditionCheckFailure}.
 */
public final class Dynalite implements AutoCloseable {

    private static final String PACKAGE_FOLDER = "tests/localcloud/dynalite";
    private static final long INSTALL_TIMEOUT_SECONDS = 120;
    private static final String INSTALLED_MARK = ".package-lock.json";

    private final Process process;
    private final Thread closeOnExit;
    private final int port;

    /** Starts the one in the source tree that holds the working directory. */
    public static Dynalite start() {
        return start(packageFolder(Path.of("").toAbsolutePath()));
    }

    /**
     * Installs the package in {@code folder} if that has not happened yet, starts it and waits until it listens.
     *
     * @throws IllegalStateException when node or npm is missing, the installation fails or the process does not answer;
     *     the message is one line and says what to do
     */
    public static Dynalite start(Path folder) {
        install(folder);
        return new Dynalite(folder);
    }

    private Dynalite(Path folder) {
        process = child(folder, List.of("node", "serve.js"));
        closeOnExit = new Thread(process::destroyForcibly, "dynalite-exit");
        Runtime.getRuntime().addShutdownHook(closeOnExit);
        port = announcedPort();
    }

    private int announcedPort() {
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        String line;
        try {
            line = output.readLine();
        } catch (IOException e) {
            close();
            throw new UncheckedIOException(e);
        }
        if (line == null || !line.startsWith("port ")) {
            close();
            throw new IllegalStateException("dynalite did not start: " + line);
        }
        return Integer.parseInt(line.substring("port ".length()));
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    public int port() {
        return port;
    }

    /** The process id of the node process. */
    public long pid() {
        return process.pid();
    }

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

    private static Path packageFolder(Path workingDirectory) {
        for (Path at = workingDirectory; at != null; at = at.getParent()) {
            Path folder = at.resolve(PACKAGE_FOLDER);
            if (Files.exists(folder.resolve("package-lock.json"))) {
                return folder;
            }
        }
        throw new IllegalStateException(
                "no " + PACKAGE_FOLDER + " above " + workingDirectory + ": run this inside the source tree");
    }

    private static void install(Path folder) {
        Path installed = folder.resolve("node_modules").resolve(INSTALLED_MARK);
        if (Files.exists(installed)) {
            return;
        }
        try (var lockFile = FileChannel.open(
                        folder.resolve(".install.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var lock = lockFile.lock()) {
            // Whoever held the lock before us has installed it by now.
            if (lock.isValid() && !Files.exists(installed)) {
                npmInstall(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot lock " + folder + " for npm", e);
        }
    }

    private static void npmInstall(Path folder) throws IOException {
        Process npm = child(folder, List.of("npm", "ci", "--silent", "--no-progress"));
        npm.getOutputStream().close();
        try {
            if (!npm.waitFor(INSTALL_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                npm.destroyForcibly();
                throw new IllegalStateException("npm ci took over " + INSTALL_TIMEOUT_SECONDS + " s in " + folder
                        + ": is the npm registry reachable?");
            }
            if (npm.exitValue() != 0) {
                throw new IllegalStateException("npm ci failed with exit code " + npm.exitValue() + " in " + folder
                        + ": run it there to see why");
            }
        } catch (InterruptedException e) {
            npm.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while npm ci ran in " + folder, e);
        }
    }

    private static Process child(Path folder, List<String> command) {
        try {
            return new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new IllegalStateException(
                    command.getFirst() + " is missing: install Node.js 20 or later with npm (" + e.getMessage() + ")",
                    e);
        }
    }
}
