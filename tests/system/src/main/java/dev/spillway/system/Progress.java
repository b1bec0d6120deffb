package dev.spillway.system;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** The live line of a run: rewritten in place on a terminal, and a new line every few seconds elsewhere. */
final class Progress {
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(5);

    private final PrintStream out;
    private final boolean terminal;
    private long lastLineNanos;
    private String lastState = "";
    private int width;

    Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Says something that stays. */
    synchronized void say(String text) {
        wipe();
        out.println(text);
        out.flush();
    }

    /** Shows where things stand now. */
    synchronized void show(double atSeconds, PoolWatch.Glance glance, int callsUp, int callsEnded, int calls) {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT, "t+%4.0fs  containers %d of %d ", atSeconds, glance.containers(), glance.desired()));
        for (int used : glance.slots()) {
            line.append('[')
                    .append("#".repeat(used))
                    .append(".".repeat(Math.max(0, glance.limit() - used)))
                    .append(']');
        }
        for (int i = 0; i < glance.starting(); i++) {
            line.append("[starting]");
        }
        for (int i = 0; i < glance.draining(); i++) {
            line.append("[draining]");
        }
        String state = line.substring(line.indexOf("containers"));
        line.append(String.format(
                Locale.ROOT,
                "  gateway %d  calls %d up, %d of %d ended",
                glance.onGateway(),
                callsUp,
                callsEnded,
                calls));
        long now = System.nanoTime();
        if (terminal) {
            wipe();
            out.print(line);
            width = line.length();
            out.flush();
        } else if (!state.equals(lastState) || now - lastLineNanos > BETWEEN_LINES.toNanos()) {
            out.println(line);
            out.flush();
            lastLineNanos = now;
            lastState = state;
        }
    }

    synchronized void wipe() {
        if (width > 0) {
            out.print("\r" + " ".repeat(width) + "\r");
            width = 0;
        }
    }
}
