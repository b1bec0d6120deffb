package dev.spillway.system;

import dev.spillway.system.OutboundDemoResult.Times;
import java.io.PrintStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the demo of calls out measured, in readable lines. */
final class OutboundDemoReport {
    private OutboundDemoReport() {}

    static void print(OutboundDemoResult result, PrintStream out) {
        OutboundDemoResult.Outbound calls = result.outbound();
        OutboundDemoResult.Inbound callers = result.inbound();
        out.println();
        out.println(result.containers() + " containers of one slot; " + result.outboundLimit()
                + " calls out at most, " + result.inboundReserve() + " slots reserved for callers; seed "
                + result.seed());
        @Nullable Double ready = result.secondsFromReadyToStart();
        String containers = ready == null
                ? "the containers were never READY all at once"
                : String.format(
                        Locale.ROOT,
                        "the last container was READY %.1f s %s the batches' start",
                        Math.abs(ready),
                        ready < 0 ? "after" : "before");
        out.println("  " + containers + "; the run took " + Math.round(result.runSeconds()) + " s");
        out.println();
        out.printf("  %-10s %8s %9s %9s %8s%n", "", "offered", "admitted", "deferred", "refused");
        out.printf(
                "  %-10s %8d %9d %9d %8d%n",
                "calls out", calls.offered(), calls.admitted(), calls.deferred(), calls.refused());
        out.printf(
                "  %-10s %8d %9d %9s %8d%n", "callers", callers.offered(), callers.admitted(), "-", callers.refused());
        out.println("  deferrals: " + result.deferrals() + " " + result.deferralsByCause()
                + "; how the calls out ended: " + calls.outcomes() + "; callers that met the gateway: "
                + callers.onGateway());
        out.println();
        out.printf("  %-24s %8s %8s %8s%n", "seconds", "samples", "p50", "max");
        result.waitsByBatch().forEach((batch, times) -> line("wait, batch " + batch, times, out));
        line("slot reuse, jobs", result.slotReuse(), out);
        out.println();
        OutboundDemoResult.Identity identity = result.identity();
        out.println("  identity: offered " + identity.offered() + " = terminals " + identity.terminals() + " + open "
                + identity.open() + ", looked at " + result.identityLooks() + " times");
        out.println("  reserve: kept at " + (result.dials() - result.brokenReserves()) + " of " + result.dials()
                + " dials; calls out at once: " + result.mostCallsOut() + " at most");
        out.println();
        if (result.failures().isEmpty()) {
            out.println("All went as it should.");
        }
        result.failures().forEach(failure -> out.println("FAILED: " + failure));
    }

    private static void line(String name, Times times, PrintStream out) {
        out.printf(Locale.ROOT, "  %-24s %8d %8.1f %8.1f%n", name, times.samples(), times.p50(), times.max());
    }
}
