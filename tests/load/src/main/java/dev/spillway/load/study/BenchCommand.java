package dev.spillway.load.study;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.Tool;
import dev.spillway.load.adapter.SyntheticAdapter;
import dev.spillway.load.adapter.Target;
import dev.spillway.load.adapter.TwilioMediaAdapter;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.replay.GeneratorWatch;
import dev.spillway.load.report.Figures;
import dev.spillway.load.report.Report;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Mix;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.Shape;
import dev.spillway.load.schedule.StartConditions;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./spillway load bench}. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description =
                "Times the generator itself: how late arrivals start at a high rate, beside Gatling's open injection in"
                        + " the same run, and how late the audio frames of many calls are. Run it on an idle machine.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:every target was met", "1:the tool failed", "3:a target was missed"})
@SuppressWarnings("NullAway.Init") // set by picocli
public final class BenchCommand implements Callable<Integer> {
    private static final double MOST_LATE_P99_MILLIS = 2;
    private static final long MOST_MB = 512;
    private static final double MOST_LATE_FRAMES = 0.01;

    @Option(names = "--rate", defaultValue = "5000", paramLabel = "R", description = "arrivals per second")
    int rate;

    @Option(names = "--seconds", defaultValue = "20", paramLabel = "S", description = "of arrivals")
    int seconds;

    @Option(names = "--calls", defaultValue = "300", paramLabel = "N", description = "at once, against an echoing sink")
    int calls;

    @Option(names = "--call-seconds", defaultValue = "40", paramLabel = "S", description = "length of those calls")
    double callSeconds;

    @Option(
            names = "--info",
            paramLabel = "FILE",
            description = {
                "of a running local stack: also 60 calls through all of it, which it needs room for:",
                "SPILLWAY_LOCAL_LIMIT=30 ./spillway local --info FILE, and --tenant globex, which keeps two containers"
            })
    @Nullable
    Path info;

    @Option(names = "--tenant", paramLabel = "NAME", description = "who is called with --info (default: the first)")
    @Nullable
    String tenant;

    @Option(
            names = "--no-gatling",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "whether the arrivals are offered by Gatling too, beside this tool")
    boolean gatling;

    private boolean met = true;

    @Override
    public Integer call() throws Exception {
        Path work = Files.createTempDirectory("spillway-load-bench-");
        System.out.printf(
                Locale.ROOT,
                "%d arrivals per second for %d s, synthetic service of 200 ms%n%-16s %9s %9s %9s %9s %9s %9s%n",
                rate,
                seconds,
                "",
                "started",
                "dropped",
                "p50 ms",
                "p99 ms",
                "max ms",
                "peak MB");
        arrivals(work.resolve("arrivals"));
        if (gatling) {
            met &= gatling(work);
        }
        System.out.println("start lateness is from when an arrival was due; Gatling does not tell when that was, so its"
                + " origin is laid where it is latest by the least");
        try (SinkProcess sink = new SinkProcess()) {
            frames(work.resolve("sink"), sink.target(), null, calls, "an echoing sink");
        }
        if (info != null) {
            frames(work.resolve("stack"), Target.read(info, System.getenv()), tenant, 60, "the whole local stack");
        }
        System.out.println("ledgers and reports: " + work);
        return met ? 0 : 3;
    }

    private static Schedule schedule(double[] times, @Nullable Double duration, @Nullable String tenant) {
        List<Arrival> arrivals = Mix.arrivals(times, duration, Map.of("default", 1.0), 1);
        return new Schedule(
                "bench",
                "is the generator fast enough?",
                null,
                null,
                null,
                StartConditions.NONE,
                Map.of("default", CallClass.ofTurns("default", 3).ofTenant(tenant)),
                List.of(),
                0,
                arrivals);
    }

    private void arrivals(Path folder) throws IOException, InterruptedException {
        Schedule schedule = schedule(Shape.constant(rate, seconds), null, null);
        try (var adapter = new SyntheticAdapter(new SyntheticAdapter.Settings(0.2, 0))) {
            Report report = Trial.run(
                    schedule,
                    adapter,
                    folder,
                    Trial.Bounds.of(Math.max(1_000, rate), Duration.ofSeconds(10), Duration.ofMillis(1)),
                    session -> {});
            Figures figures = report.figures();
            Long peak = GeneratorWatch.peakMb();
            Double p99 = figures.startLateness().percentile(99);
            int dropped = figures.count(Outcome.GENERATOR_DROPPED);
            line(
                    "spillway load",
                    figures.started(),
                    Integer.toString(dropped),
                    figures.startLateness().percentile(50),
                    p99,
                    figures.startLateness().max(),
                    peak);
            met &= dropped == 0 && p99 != null && p99 <= MOST_LATE_P99_MILLIS && (peak == null || peak <= MOST_MB);
        }
    }

    private static void line(
            String name,
            int started,
            String dropped,
            @Nullable Double p50,
            @Nullable Double p99,
            @Nullable Double max,
            @Nullable Long peakMb) {
        System.out.printf(
                Locale.ROOT,
                "%-16s %9d %9s %9s %9s %9s %9s%n",
                name,
                started,
                dropped,
                shown(p50),
                shown(p99),
                shown(max),
                peakMb == null ? "n/a" : peakMb.toString());
    }

    private static String shown(@Nullable Double value) {
        return value == null ? "n/a" : String.format(Locale.ROOT, "%.3f", value);
    }

    /** Whether Gatling ran: without it there is no comparison. */
    private boolean gatling(Path work) throws IOException, InterruptedException {
        Path module = Tool.home().resolve("tests/load-gatling/target");
        File[] jars = module.toFile().listFiles((folder, name) -> name.matches("spillway-load-gatling-.*\\.jar"));
        if (!Files.isDirectory(module.resolve("lib")) || jars == null || jars.length == 0) {
            System.out.println("gatling          NOT BUILT, so there is nothing to compare with: mvn -Pgatling package"
                    + " -pl tests/load-gatling, or --no-gatling");
            return false;
        }
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx300m",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "-Dbench.rate=" + rate,
                        "-Dbench.seconds=" + seconds,
                        "-cp",
                        jars[0] + ":" + module.resolve("lib") + "/*",
                        "io.gatling.app.Gatling",
                        "-s",
                        "dev.spillway.load.gatling.OpenInjection",
                        "-rf",
                        work.resolve("gatling").toString(),
                        "-nr")
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        Files.writeString(work.resolve("gatling.log"), output);
        Optional<String> result =
                output.lines().filter(line -> line.startsWith("BENCH ")).findFirst();
        if (result.isEmpty() || code != 0) {
            System.out.println("gatling          FAILED with " + code + "; see " + work.resolve("gatling.log"));
            return false;
        }
        JsonNode node = new ObjectMapper().readTree(result.get().substring("BENCH ".length()));
        line(
                "gatling 3.15.1",
                node.path("started").asInt(),
                "-",
                node.path("p50").doubleValue(),
                node.path("p99").doubleValue(),
                node.path("max").doubleValue(),
                node.path("peakMb").asLong());
        return true;
    }

    /** Calls that come within ten seconds, and are all up until the first hangs up. */
    private void frames(Path folder, Target target, @Nullable String called, int count, String what) throws Exception {
        Schedule schedule = schedule(Shape.constant(count / 10.0, 10), callSeconds, called);
        String watched = called == null ? target.tenants().getFirst().id() : called;
        try (var adapter = new TwilioMediaAdapter(target, List.of(watched), 1)) {
            Report report = Trial.run(
                    schedule,
                    adapter,
                    folder,
                    Trial.Bounds.of(count * 2, Duration.ofSeconds(60), Duration.ofMillis(1)),
                    session -> {});
            Figures figures = report.figures();
            Double late = figures.framesLateShare();
            long frames = figures.calls().stream()
                    .mapToLong(call -> call.framesSent())
                    .sum();
            double worst = figures.calls().stream()
                            .mapToLong(call -> call.worstFrameNanos())
                            .max()
                            .orElse(0)
                    / 1e6;
            System.out.printf(
                    Locale.ROOT,
                    "%d calls at once against %s: %d of %d completed, %d frames, %s %% more than 5 ms late, worst %.1f ms,"
                            + " peak %s MB%n",
                    count,
                    what,
                    completed(figures),
                    figures.scheduled(),
                    frames,
                    late == null ? "n/a" : String.format(Locale.ROOT, "%.3f", late * 100),
                    worst,
                    GeneratorWatch.peakMb());
            if (figures.count(Outcome.REJECTED) > 0) {
                System.out.println(figures.count(Outcome.REJECTED) + " of them found no room: " + watched
                        + " needs slots for " + count
                        + " calls from the start (SPILLWAY_LOCAL_LIMIT=30 ./spillway local,"
                        + " and --tenant globex)");
            }
            met &= late != null && late < MOST_LATE_FRAMES && completed(figures) == figures.scheduled();
        }
    }

    private static int completed(Figures figures) {
        return (int) figures.rows().stream()
                .map(Row::outcome)
                .filter(outcome -> outcome == Outcome.COMPLETED)
                .count();
    }
}
