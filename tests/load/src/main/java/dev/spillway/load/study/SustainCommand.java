package dev.spillway.load.study;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.Target;
import dev.spillway.load.adapter.TwilioMediaAdapter;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.replay.Authorisation;
import dev.spillway.load.report.Figures;
import dev.spillway.load.report.Report;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.Shape;
import dev.spillway.load.schedule.StartConditions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./spillway load sustain}. */
@Command(
        name = "sustain",
        mixinStandardHelpOptions = true,
        description =
                "Holds inbound, outbound and mixed calls in stages up to a ceiling, and kills a container in one more"
                        + " stage.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:every stage was sustained", "1:the tool failed", "2:refused", "3:a stage was not sustained"})
@SuppressWarnings("NullAway.Init") // set by picocli
public final class SustainCommand implements Callable<Integer> {
    /** The least: the first fills the stage, the last two show whether it holds. */
    private static final int LEAST_CALL_LENGTHS = 3;

    @Option(names = "--info", required = true, paramLabel = "FILE", description = "the system")
    Path info;

    @Option(names = "--consent", description = "the owner of the target agrees to this load")
    boolean consent;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "a folder for the runs")
    Path out;

    @Option(
            names = "--ceiling",
            defaultValue = "12",
            paramLabel = "N",
            description = "calls at once, at the last stage")
    int ceiling;

    @Option(
            names = "--outbound-ceiling",
            defaultValue = "3",
            paramLabel = "N",
            description = "calls out at once: the tenant's limit (default: ${DEFAULT-VALUE})")
    int outboundCeiling;

    @Option(names = "--stages", defaultValue = "3", paramLabel = "N", description = "up to the ceiling, evenly")
    int stages;

    @Option(names = "--call", defaultValue = "30", paramLabel = "SECONDS", description = "length of a call")
    double call;

    @Option(
            names = "--lengths",
            defaultValue = "3",
            paramLabel = "N",
            description = "how many call lengths each stage is held, at least 3")
    int lengths;

    @Option(
            names = "--kinds",
            split = ",",
            defaultValue = "inbound,outbound,mixed",
            paramLabel = "KIND",
            description = "default: ${DEFAULT-VALUE}")
    List<String> kinds;

    @Option(
            names = "--no-kill",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "whether one more stage has a container killed; possible on a local stack only")
    boolean kill;

    private record Line(String stage, int wanted, Figures figures, double seconds, String note) {}

    private final List<Line> lines = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        if (!consent || lengths < LEAST_CALL_LENGTHS) {
            System.err.println("spillway load: refused: "
                    + (consent ? "--lengths is at least " + LEAST_CALL_LENGTHS : "--consent is missing"));
            return 2;
        }
        Target target = Target.read(info, System.getenv());
        for (String kind : kinds) {
            int top = kind.equals("outbound") ? outboundCeiling : ceiling;
            for (int stage = 1; stage <= stages; stage++) {
                int calls = Math.max(1, (int) Math.round((double) top * stage / stages));
                if (!stage(target, kind, calls, false)) {
                    return 2;
                }
            }
        }
        if (kill && !stage(target, "inbound", ceiling, true)) {
            return 2;
        }
        print();
        return lines.stream().allMatch(this::isSustained) ? 0 : 3;
    }

    private boolean stage(Target target, String kind, int calls, boolean withKill) throws Exception {
        String name = kind + "-" + calls + (withKill ? "-container-killed" : "");
        Schedule schedule = schedule(name, kind, calls);
        try (Adapter adapter = new TwilioMediaAdapter(
                        target, List.of(target.tenants().getFirst().id()), 1);
                ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
            List<String> objections =
                    Authorisation.objections(null, adapter.hosts(), schedule, 1, ceiling * 2, Instant.now());
            objections.forEach(one -> System.err.println("spillway load: refused: " + one));
            if (!objections.isEmpty()) {
                return false;
            }
            List<String> notes = new ArrayList<>();
            if (withKill) {
                String table = new ObjectMapper()
                        .readTree(info.toFile())
                        .path("dynamodbUrl")
                        .asText();
                timer.schedule(
                        () -> {
                            Optional<Long> killed = ContainerKill.kill(
                                    table, target.tenants().getFirst().id());
                            synchronized (notes) {
                                notes.add(killed.isPresent() ? "one container was killed" : "no container to kill");
                            }
                        },
                        Math.round(call * lengths / 2 * 1_000),
                        TimeUnit.MILLISECONDS);
            }
            System.err.println(
                    "load: stage " + name + ", " + schedule.arrivals().size() + " calls ...");
            Report report = Trial.run(
                    schedule,
                    adapter,
                    out.resolve(name),
                    Math.max(ceiling * 2, 10),
                    Duration.ofSeconds(120),
                    Duration.ofSeconds(5),
                    session -> {});
            timer.shutdownNow();
            synchronized (notes) {
                lines.add(new Line(name, calls, report.figures(), call * lengths, String.join("", notes)));
            }
        }
        return true;
    }

    /** By Little's law, arrivals at calls divided by their length keep that many up. */
    private Schedule schedule(String name, String kind, int calls) {
        double[] times = Shape.constant(calls / call, call * lengths);
        List<Arrival> arrivals = new ArrayList<>();
        for (int i = 0; i < times.length; i++) {
            boolean outbound = kind.equals("outbound") || (kind.equals("mixed") && i % 4 == 3);
            arrivals.add(
                    new Arrival(i, times[i], call, "default", outbound ? Direction.OUTBOUND : Direction.INBOUND, null));
        }
        return new Schedule(
                name,
                "are " + calls + " calls at once sustained?",
                null,
                calls + " calls of " + call + " s at once, for " + lengths
                        + " call lengths; mixed is one in four outbound",
                null,
                StartConditions.NONE,
                Map.of("default", CallClass.ofTurns("default", 3)),
                List.of(),
                5,
                arrivals);
    }

    private boolean isSustained(Line line) {
        return line.figures().count(Outcome.COMPLETED) == line.figures().scheduled();
    }

    private void print() {
        System.out.printf(
                Locale.ROOT,
                "%-34s %7s %9s %9s %12s %15s %5s%n",
                "stage",
                "wanted",
                "sustained",
                "refused",
                "per minute",
                "outb. wait p90",
                "gaps");
        for (Line line : lines) {
            Double wait = line.figures().outboundWait().percentile(90);
            System.out.printf(
                    Locale.ROOT,
                    "%-34s %7d %9.1f %9d %12.1f %15s %5d  %s%s%n",
                    line.stage(),
                    line.wanted(),
                    sustained(line),
                    line.figures().scheduled() - line.figures().count(Outcome.COMPLETED),
                    line.figures().count(Outcome.COMPLETED) * 60 / line.seconds(),
                    wait == null ? "n/a" : String.format(Locale.ROOT, "%.1f s", wait / 1_000),
                    line.figures().gaps().size(),
                    isSustained(line) ? "" : "NOT SUSTAINED ",
                    line.note());
        }
    }

    /** Mean calls up between the end of the first call length and the last arrival, of those that completed. */
    private double sustained(Line line) {
        double from = call * 1e9;
        double until = line.seconds() * 1e9;
        double busy = 0;
        for (Row row : line.figures().rows()) {
            Long audio = row.firstAudio();
            Long end = row.finished();
            if (row.outcome() == Outcome.COMPLETED && audio != null && end != null) {
                busy += Math.max(0, Math.min(end, until) - Math.max(audio, from));
            }
        }
        return busy / (until - from);
    }
}
