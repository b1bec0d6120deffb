package dev.spillway.load.study;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.ConsentOptions;
import dev.spillway.load.StopOptions;
import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.Inventory;
import dev.spillway.load.adapter.Target;
import dev.spillway.load.adapter.TwilioMediaAdapter;
import dev.spillway.load.replay.Permission;
import dev.spillway.load.report.Report;
import dev.spillway.load.report.Run;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.Shape;
import dev.spillway.load.schedule.StartConditions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./spillway load sustain}. */
@Command(
        name = "sustain",
        mixinStandardHelpOptions = true,
        description =
                "Holds inbound, outbound and mixed calls in stages up to a ceiling, and kills a container in one more"
                        + " stage.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:every stage was sustained",
            "1:the tool failed",
            "2:refused, or the generator did not do its part in a stage, which then says nothing",
            "3:a stage was not sustained"
        })
@SuppressWarnings("NullAway.Init") // set by picocli
public final class SustainCommand implements Callable<Integer> {
    /** The least: the first fills the stage, the last two show whether it holds. */
    private static final int LEAST_CALL_LENGTHS = 3;
    /** The calls of a stage are cleaned up in it; containers without calls may stay. */
    private static final Duration BETWEEN_STAGES = Duration.ofSeconds(15);

    @Option(names = "--info", required = true, paramLabel = "FILE", description = "the system")
    Path info;

    @Mixin
    ConsentOptions consent;

    @Mixin
    StopOptions stop;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "a folder for the runs")
    Path out;

    @Option(
            names = "--ceiling",
            defaultValue = "12",
            paramLabel = "N",
            description = "calls at once, at the last stage (default: ${DEFAULT-VALUE})")
    int ceiling;

    @Option(
            names = "--outbound-ceiling",
            defaultValue = "3",
            paramLabel = "N",
            description = "calls out at once: the tenant's limit (default: ${DEFAULT-VALUE})")
    int outboundCeiling;

    @Option(
            names = "--stages",
            defaultValue = "3",
            paramLabel = "N",
            description = "up to the ceiling, evenly (default: ${DEFAULT-VALUE})")
    int stages;

    @Option(
            names = "--call",
            defaultValue = "30",
            paramLabel = "SECONDS",
            description = "length of a call (default: ${DEFAULT-VALUE})")
    double call;

    @Option(
            names = "--lengths",
            defaultValue = "3",
            paramLabel = "N",
            description = "how many call lengths each stage is held, at least 3 (default: ${DEFAULT-VALUE})")
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

    private final List<Stage> done = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        if (!consent.given() || lengths < LEAST_CALL_LENGTHS) {
            System.err.println("spillway load: refused: "
                    + (consent.given() ? "--lengths is at least " + LEAST_CALL_LENGTHS : "--consent is missing"));
            return 2;
        }
        try (UntilTold process = new UntilTold()) {
            return sustain(process);
        }
    }

    private int sustain(UntilTold process) throws Exception {
        Permission permission = consent.permission();
        Target target = Target.read(info, System.getenv());
        try {
            boolean complete = stages(process, target, permission);
            return done.isEmpty() ? 2 : exitCode(done, complete);
        } finally {
            Stage.table(done).forEach(System.out::println);
        }
    }

    /** Whether there was something to go on with until the last. */
    private boolean stages(UntilTold process, Target target, Permission permission) throws Exception {
        for (String kind : kinds) {
            int top = kind.equals("outbound") ? outboundCeiling : ceiling;
            for (int stage = 1; stage <= stages; stage++) {
                int calls = Math.max(1, (int) Math.round((double) top * stage / stages));
                if (process.isEnding() || !stage(target, permission, kind, calls, false)) {
                    return false;
                }
            }
        }
        return !kill || (!process.isEnding() && stage(target, permission, "inbound", ceiling, true));
    }

    /**
     * A stage that the generator spoilt says nothing of the service, neither that it was sustained nor that it was not; but it
     * hides no other that was not.
     */
    static int exitCode(List<Stage> stages, boolean complete) {
        boolean failed = stages.stream().anyMatch(stage -> stage.spoilt().isEmpty() && !stage.isSustained());
        boolean spoilt = stages.stream().anyMatch(stage -> stage.spoilt().isPresent());
        return failed ? 3 : spoilt ? 2 : complete ? 0 : 3;
    }

    /** False if there is nothing to go on with: it was refused or stopped, or its calls are not all gone. */
    private boolean stage(Target target, Permission permission, String kind, int calls, boolean withKill)
            throws Exception {
        String name = kind + "-" + calls + (withKill ? "-container-killed" : "");
        Schedule schedule = schedule(name, kind, calls);
        String tenant = target.tenants().getFirst().id();
        var bounds = new Trial.Bounds(
                Math.max(ceiling * 2, 10), Duration.ofMinutes(2), BETWEEN_STAGES, stop.rules(), permission);
        try (Adapter adapter = new TwilioMediaAdapter(target, List.of(tenant), 1);
                ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
            List<String> objections = Trial.objections(schedule, adapter, bounds);
            objections.forEach(one -> System.err.println("spillway load: refused: " + one));
            if (!objections.isEmpty()) {
                return false;
            }
            AtomicBoolean killed = new AtomicBoolean();
            if (withKill) {
                String table = new ObjectMapper()
                        .readTree(info.toFile())
                        .path("dynamodbUrl")
                        .asText();
                timer.schedule(
                        () -> killed.set(ContainerProcess.of(table, tenant).stream()
                                .findFirst()
                                .map(ContainerProcess::kill)
                                .orElse(false)),
                        Math.round(call * lengths / 2 * 1_000),
                        TimeUnit.MILLISECONDS);
            }
            System.err.println(
                    "load: stage " + name + ", " + schedule.arrivals().size() + " calls ...");
            Report report = Trial.run(schedule, adapter, out.resolve(name), bounds, session -> {});
            timer.shutdownNow();
            List<String> problems = new ArrayList<>();
            if (withKill && !killed.get()) {
                problems.add("there was no container to kill");
            }
            report.run().stopped().ifPresent(why -> problems.add("stopped: " + why));
            Optional<String> left = left(report);
            left.ifPresent(problems::add);
            done.add(new Stage(
                    name,
                    calls,
                    report.figures(),
                    call * lengths,
                    call,
                    report.run().stopped().isPresent() ? Optional.empty() : Calibration.generatorsFault(report, null),
                    problems,
                    withKill && killed.get() ? "one container was killed" : ""));
            return left.isEmpty() && report.run().stopped().isEmpty();
        }
    }

    /** What is left of a stage's calls, which the next one would meet; containers without calls may stay. */
    private static Optional<String> left(Report report) {
        List<Run.Look> looks = report.run().looks();
        if (looks.isEmpty()) {
            return Optional.of("nobody says what is left of its calls");
        }
        Inventory last = looks.getLast().inventory();
        return last.isIdle() ? Optional.empty() : Optional.of("left of its calls: " + last.leftOver());
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
}
