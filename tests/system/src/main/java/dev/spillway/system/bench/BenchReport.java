package dev.spillway.system.bench;

import dev.spillway.system.bench.BenchResult.Echo;
import dev.spillway.system.bench.BenchResult.EchoResult;
import dev.spillway.system.bench.BenchResult.StartResult;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A result in words and figures. */
public final class BenchReport {
    private BenchReport() {}

    /** Prints the figures, and the targets beside them. */
    public static void print(BenchResult result, PrintStream out) {
        BenchResult.Machine machine = result.machine();
        line(out, "%d cores, Java %s, load before: %.1f", machine.cores(), machine.java(), machine.loadBefore());
        if (result.start() != null) {
            start(result.start(), out);
        }
        if (result.echo() != null) {
            echo(result.echo(), out);
        }
        out.flush();
    }

    private static void start(StartResult start, PrintStream out) {
        line(out, "");
        line(out, "From process start to READY in the table (ms; the targets are medians on an idle machine)");
        line(out, "  %-28s %6s %6s %6s %7s   samples", "", "min", "median", "max", "target");
        if (start.withCache().isEmpty()) {
            line(out, "  %-28s there is no AOT cache: ./spillway build makes it", "media container, AOT cache");
        } else {
            samples(out, "media container, AOT cache", start.withCache(), StartResult.TARGET_WITH_CACHE);
        }
        samples(out, "media container, no cache", start.withoutCache(), StartResult.TARGET_WITHOUT_CACHE);
        samples(out, "plain Netty, to port open", start.plain(), 0);
    }

    private static void samples(PrintStream out, String name, List<Long> millis, long target) {
        List<Long> sorted = millis.stream().sorted().toList();
        line(
                out,
                "  %-28s %6d %6d %6d %7s   %s",
                name,
                sorted.getFirst(),
                median(sorted),
                sorted.getLast(),
                target == 0 ? "" : "<=" + target,
                millis.stream().map(String::valueOf).collect(Collectors.joining(" ")));
    }

    /** The mean of the two in the middle if their number is even. */
    static long median(List<Long> sorted) {
        int size = sorted.size();
        return Math.round((sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2.0);
    }

    private static void echo(EchoResult echo, PrintStream out) {
        line(out, "");
        line(out, "%d streams, a frame of 20 ms each way, for %d s", echo.streams(), echo.seconds());
        line(out, "  %-28s %16s %16s", "", "media container", "plain Netty");
        Echo ours = echo.container();
        Echo plain = echo.plain();
        line(
                out,
                "  %-28s %,16d %,16d   of %,d due",
                "frames sent",
                ours.sent(),
                plain.sent(),
                echo.streams() * 50L * echo.seconds());
        line(out, "  %-28s %,16d %,16d", "frames returned", ours.returned(), plain.returned());
        line(
                out,
                "  %-28s %16.2f %16.2f%s",
                "CPU of the server, cores",
                ours.cores(),
                plain.cores(),
                echo.streams() == 500 ? String.format(Locale.ROOT, "   target: <= %.1f", EchoResult.TARGET_CORES) : "");
        // Holds on a busy machine too, where the load cannot send all that is due.
        pair(out, "CPU per returned frame, µs", microsPerFrame(echo, ours), microsPerFrame(echo, plain));
        pair(out, "round trip p50, ms", ours.roundTripP50Millis(), plain.roundTripP50Millis());
        pair(out, "round trip p99, ms", ours.roundTripP99Millis(), plain.roundTripP99Millis());
        pair(out, "load late by, p50, ms", ours.sendLatenessP50Millis(), plain.sendLatenessP50Millis());
        pair(out, "load late by, p99, ms", ours.sendLatenessP99Millis(), plain.sendLatenessP99Millis());
    }

    private static double microsPerFrame(EchoResult echo, Echo one) {
        return one.returned() == 0 ? 0 : one.cores() * echo.seconds() * 1e6 / one.returned();
    }

    private static void pair(PrintStream out, String name, double ours, double plain) {
        line(out, "  %-28s %16.2f %16.2f", name, ours, plain);
    }

    @SuppressWarnings("AnnotateFormatMethod") // only constants are passed, from this class
    private static void line(PrintStream out, String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
