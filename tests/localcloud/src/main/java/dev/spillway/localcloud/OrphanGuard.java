package dev.spillway.localcloud;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * A shell beside this JVM that kills the guarded processes when the JVM is gone, however it went: its standard input
 * closes then. Nothing else survives a {@code kill -9} of the JVM to do it.
 */
final class OrphanGuard implements AutoCloseable {

    private static final String SCRIPT = """
            trap '' INT TERM HUP
            pids=' '
            while read -r verb pid; do
              case $verb in
                guard) pids="$pids$pid " ;;
                release) pids="${pids%% $pid *} ${pids#* $pid }" ;;
              esac
            done
            [ "$pids" = ' ' ] || kill -9 $pids 2>/dev/null
            """;

    private final Process shell;
    private final Writer orders;

    OrphanGuard() {
        try {
            shell = new ProcessBuilder("sh", "-c", SCRIPT)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        orders = shell.outputWriter(StandardCharsets.US_ASCII);
    }

    void guard(long pid) {
        order("guard " + pid);
    }

    /** The process has ended: its id may belong to another one soon. */
    void release(long pid) {
        order("release " + pid);
    }

    private synchronized void order(String line) {
        try {
            orders.write(line + "\n");
            orders.flush();
        } catch (IOException e) {
            // The guard is closed or was killed; the shutdown hook still does its part.
        }
    }

    /** Kills whatever was not released, and waits for that. */
    @Override
    public void close() {
        try {
            orders.close();
            shell.waitFor(2, TimeUnit.SECONDS);
        } catch (IOException e) {
            shell.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
