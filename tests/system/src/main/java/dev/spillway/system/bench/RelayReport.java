package dev.spillway.system.bench;

import dev.spillway.system.bench.BenchResult.Echo;
import java.io.PrintStream;
import java.util.Locale;

/** A relay's cost as text. */
public final class RelayReport {
    private RelayReport() {}

    public static void print(RelayResult result, PrintStream out) {
        Echo relayed = result.relayed();
        Echo direct = result.direct();
        line(
                out,
                "%d calls to a bot, a frame of 20 ms each way, for %d s, on %d cores",
                result.streams(),
                result.seconds(),
                result.machine().cores());
        line(out, "  %-28s %12s %12s %12s", "", "relayed", "direct", "added");
        line(out, "  %-28s %,12d %,12d", "frames sent", relayed.sent(), direct.sent());
        line(out, "  %-28s %,12d %,12d", "frames returned", relayed.returned(), direct.returned());
        line(
                out,
                "  %-28s %12.2f %12.2f %12.2f",
                "round trip p50, ms",
                relayed.roundTripP50Millis(),
                direct.roundTripP50Millis(),
                result.addedP50Millis());
        line(
                out,
                "  %-28s %12.2f %12.2f %12.2f   target: <= %.1f",
                "round trip p99, ms",
                relayed.roundTripP99Millis(),
                direct.roundTripP99Millis(),
                result.addedP99Millis(),
                RelayResult.TARGET_ADDED_P99_MILLIS);
        line(
                out,
                "  %-28s %12.2f %12.2f",
                "load late by, p99, ms",
                relayed.sendLatenessP99Millis(),
                direct.sendLatenessP99Millis());
        line(out, "  %-28s %12.2f %12.2f", "CPU of the process, cores", relayed.cores(), direct.cores());
        long first = result.residentMegabytes().isEmpty()
                ? 0
                : result.residentMegabytes().getFirst();
        long highest = result.residentMegabytes().stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
        line(
                out,
                "  %-28s first %d, highest %d; the last third over the one before: %+d MB   target: <= %d",
                "container's memory, MB",
                first,
                highest,
                result.growthMegabytes(),
                RelayResult.TARGET_GROWTH_MEGABYTES);
    }

    @SuppressWarnings("AnnotateFormatMethod") // only constants are passed, from this class
    private static void line(PrintStream out, String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
