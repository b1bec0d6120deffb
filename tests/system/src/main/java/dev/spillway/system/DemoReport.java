package dev.spillway.system;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** The demo's report: the first text's table and figures beside what this run measured. */
final class DemoReport {
    /** The text's table ("The 20-call test, in detail"). */
    private record TextRow(int atSeconds, String event, int containers, int activeCalls) {}

    private static final List<TextRow> TEXT = List.of(
            new TextRow(0, "call 1 held, 0 -> 1", 0, 0),
            new TextRow(60, "container 1 takes 1-6", 1, 6),
            new TextRow(70, "call 7 overflows, 1 -> 2", 1, 6),
            new TextRow(120, "container 2 takes 7-12", 2, 12),
            new TextRow(130, "call 13 overflows, 2 -> 3", 2, 12),
            new TextRow(180, "container 3 takes 13-18", 3, 18),
            new TextRow(190, "calls 19-20, 3 -> 4", 3, 18),
            new TextRow(250, "container 4 takes 19-20", 4, 20));

    private DemoReport() {}

    static void print(DemoResult result, PrintStream out) {
        out.println();
        out.println("The text, and this run at speed " + plain(result.speed()) + " (seconds unscaled):");
        out.println();
        out.printf("  %-9s %-28s %10s %7s%n", "text", "event", "containers", "active");
        for (TextRow row : TEXT) {
            out.printf(
                    "  t+%-7s %-28s %10d %7d%n",
                    row.atSeconds() + "s", row.event(), row.containers(), row.activeCalls());
        }
        out.println();
        out.printf("  %-9s %-28s %10s %7s%n", "this run", "event", "containers", "active");
        for (DemoResult.TimelineRow row : result.timeline()) {
            out.printf(
                    "  t+%-7s %-28s %10d %7d%n",
                    Math.round(row.atSeconds()) + "s", row.event(), row.containers(), row.activeCalls());
        }
        latency(result, out);
        calls(result, out);
        walk(result, out);
        verdict(result, out);
    }

    private static void latency(DemoResult result, PrintStream out) {
        DemoResult.Latency all = result.responseLatencyMs();
        DemoResult.Latency one = result.baselineLatencyMs();
        out.println();
        out.println("Response latency: end of the caller's speech to the first audio byte at the socket, ms. "
                + "The embedded agent thinks for " + result.thinkMillis() + " ms of it.");
        out.printf("  %-34s %6s %6s %6s %8s%n", "", "avg", "p50", "p90", "answers");
        out.printf(
                "  %-34s %6d %6d %6d %8d%n",
                "this run, all " + result.calls() + " calls", all.avg(), all.p50(), all.p90(), all.samples());
        out.printf(
                "  %-34s %6d %6d %6d %8d%n",
                "this run, one call, idle container", one.avg(), one.p50(), one.p90(), one.samples());
        out.printf("  %-34s %6d %6d %6d %8s%n", "the text, twenty calls", 603, 568, 894, "");
        out.printf("  %-34s %6d %6s %6s %8s%n", "the text, one call, idle container", 953, "", "", "");
        out.println("  over 800 ms: " + result.answersOver800Ms() + ", over 1,000 ms: " + result.answersOver1000Ms());
    }

    private static void calls(DemoResult result, PrintStream out) {
        out.println();
        out.println("Per call (first audio and silences in real time; gateway seconds as run, and unscaled):");
        out.printf(
                "  %4s %9s %12s %18s %6s %8s %10s %9s  %s%n",
                "call",
                "arrived",
                "first audio",
                "gateway seconds",
                "moves",
                "answers",
                "hand-off",
                "silence",
                "gaps over 1 s");
        for (DemoResult.CallRow call : result.perCall()) {
            out.printf(
                    "  %4d %9s %12s %18s %6d %8d %10s %9s  %s%n",
                    call.number(),
                    "t+" + Math.round(call.arrivedAtSeconds()) + "s",
                    call.firstAudioMs() == null ? "never" : call.firstAudioMs() + " ms",
                    plain(call.gatewaySeconds()) + " (" + Math.round(call.gatewaySeconds() * result.speed()) + ")",
                    call.moves(),
                    call.answers(),
                    call.handOffGapsMs().stream()
                            .max(Long::compare)
                            .map(most -> most + " ms")
                            .orElse("-"),
                    plain(call.longestSilenceSeconds()) + " s",
                    gaps(call));
        }
        DemoResult.Spread gap = result.handOffGapMs();
        out.println("  hand-off: from the last frame of one container to the first sound of the next, at the socket and"
                + " without Twilio's webhook: "
                + (result.handOffs() == 0
                        ? "none"
                        : "mean " + plain(gap.mean()) + " ms, p95 " + plain(gap.p95()) + ", max " + plain(gap.max())
                                + ", of " + result.handOffs() + " (300 at most is wanted)"));
        out.println("  utterances of the agent that were cut by anything but the caller: " + result.cutUtterances());
        DemoResult.Spread held = result.gatewaySeconds();
        out.println("  seconds on the gateway, unscaled: mean " + plain(held.mean()) + ", p95 " + plain(held.p95())
                + ", max " + plain(held.max())
                + (result.speed() > 1
                        ? " (heartbeats and turn boundaries run in real time, so they weigh " + plain(result.speed())
                                + " times here; --speed 1 shows the real thing)"
                        : ""));
    }

    private static String gaps(DemoResult.CallRow call) {
        return call.gapsOverOneSecond().isEmpty()
                ? "none"
                : String.join(
                        ", ",
                        call.gapsOverOneSecond().stream()
                                .map(gap -> plain(gap.seconds()) + " s at t+" + Math.round(gap.atSeconds()) + "s")
                                .toList());
    }

    private static void walk(DemoResult result, PrintStream out) {
        out.println();
        out.println("The walk back to zero (the text: one container per idle window of 10 min):");
        double lastEnd = Double.NaN;
        for (DemoResult.RetirementRow row : result.walkToZero()) {
            out.printf(
                    Locale.ROOT,
                    "  t+%.0fs  %d -> %d%s%n",
                    row.atSeconds(),
                    row.from(),
                    row.to(),
                    Double.isNaN(lastEnd)
                            ? ""
                            : String.format(Locale.ROOT, "  (%.1f min later)", (row.atSeconds() - lastEnd) / 60));
            lastEnd = row.atSeconds();
        }
        out.println("  connections that a stand-in counts from a process that is gone: "
                + result.ghostConnections().size());
    }

    private static void verdict(DemoResult result, PrintStream out) {
        out.println();
        out.println(result.answered() + " of " + result.calls() + " answered, " + result.refused() + " refused, "
                + result.dropped() + " dropped, " + result.wrongPersona() + " in a wrong persona, longest silence "
                + plain(result.longestSilenceSeconds()) + " s, peak " + result.peakContainers() + " containers, "
                + result.finalContainers() + " at the end.");
        for (String failure : result.failures()) {
            out.println("FAILED: " + failure);
        }
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.format(Locale.ROOT, "%.1f", value);
    }
}
