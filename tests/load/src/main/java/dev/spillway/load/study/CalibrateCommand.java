package dev.spillway.load.study;

import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.Target;
import dev.spillway.load.adapter.TwilioMediaAdapter;
import dev.spillway.load.replay.Authorisation;
import dev.spillway.load.report.Report;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.ScheduleReader;
import dev.spillway.load.schedule.StartConditions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./spillway load calibrate}. */
@Command(
        name = "calibrate",
        mixinStandardHelpOptions = true,
        description = {
            "Raises the calls on one container step by step until callers would notice, and recommends the limit below.",
            "",
            "The pool needs one container, and a limit above what is tried. On this machine, with an agent that computes"
                    + " 2.5 ms for each frame of 20 ms, so that 8 calls fill a core:",
            "",
            "  SPILLWAY_LOCAL_LIMIT=30 SPILLWAY_AGENT_CPU_MICROS=2500 ./spillway local --info /tmp/spillway.json"
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:a limit was found, or none up to --most",
            "1:the tool failed",
            "2:refused",
            "3:one call is too many"
        })
@SuppressWarnings("NullAway.Init") // set by picocli
public final class CalibrateCommand implements Callable<Integer> {
    @Option(names = "--info", required = true, paramLabel = "FILE", description = "the system")
    Path info;

    @Option(names = "--consent", description = "the owner of the target agrees to this load")
    boolean consent;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "a folder for the runs")
    Path out;

    @Option(
            names = "--classes",
            paramLabel = "FILE",
            description =
                    "a schedule whose classes are tried, one by one and mixed (default: one class of spoken turns)")
    @Nullable
    Path classesFile;

    @Option(
            names = "--steps",
            split = ",",
            defaultValue = "1,2,4,6,8,10,12,16,20,24",
            paramLabel = "N",
            description = "calls at once (default: ${DEFAULT-VALUE})")
    List<Integer> steps;

    @Option(
            names = "--hold",
            defaultValue = "30",
            paramLabel = "SECONDS",
            description = "how long each step is held: several turns (default: ${DEFAULT-VALUE})")
    double hold;

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (!consent || steps.isEmpty() || steps.getFirst() != 1) {
            System.err.println("spillway load: refused: "
                    + (consent ? "--steps begin with 1, the baseline" : "--consent is missing"));
            return 2;
        }
        Map<String, CallClass> classes = classesFile == null
                ? Map.of("default", CallClass.ofTurns("default", 3))
                : ScheduleReader.read(classesFile).classes();
        Map<String, List<String>> populations = new LinkedHashMap<>();
        classes.keySet().forEach(name -> populations.put(name, List.of(name)));
        if (classes.size() > 1) {
            populations.put("mix of all", List.copyOf(classes.keySet()));
        }
        Target target = Target.read(info, System.getenv());
        int least = Integer.MAX_VALUE;
        for (Map.Entry<String, List<String>> population : populations.entrySet()) {
            int limit = calibrated(population.getKey(), population.getValue(), classes, target);
            if (limit < 0) {
                return 2;
            }
            least = Math.min(least, limit);
        }
        System.out.println();
        System.out.println("recommended limit: " + least
                + " calls on one container, the smallest of the above; of this container, agent and machine only");
        return least == 0 ? 3 : 0;
    }

    private int calibrated(String name, List<String> names, Map<String, CallClass> classes, Target target)
            throws Exception {
        List<Calibration.Step> done = new ArrayList<>();
        System.out.println("class: " + name);
        for (int calls : steps) {
            Schedule schedule = schedule(calls, names, classes);
            try (Adapter adapter = new TwilioMediaAdapter(target, List.of(tenant(target, classes, names)), 1);
                    MachineLoad load = new MachineLoad()) {
                List<String> objections =
                        Authorisation.objections(null, adapter.hosts(), schedule, 1, calls, Instant.now());
                if (!objections.isEmpty()) {
                    objections.forEach(one -> System.err.println("spillway load: refused: " + one));
                    return -1;
                }
                Report report = Trial.run(
                        schedule,
                        adapter,
                        out.resolve(name.replace(' ', '-')).resolve("calls-" + calls),
                        calls,
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(3),
                        session -> {});
                done.add(Calibration.Step.of(calls, load.mean(), report.figures()));
            }
            System.err.println("load: " + Calibration.table(done).getLast());
            if (Calibration.isOver(done)) {
                break;
            }
        }
        Calibration.table(done).forEach(System.out::println);
        System.out.println("limit for " + name + ": " + Calibration.limit(done)
                + (Calibration.isOver(done) ? "" : ", and the cliff was not reached"));
        return Calibration.limit(done);
    }

    private static String tenant(Target target, Map<String, CallClass> classes, List<String> names) {
        CallClass first = classes.get(names.getFirst());
        String tenant = first == null ? null : first.tenant();
        return tenant == null ? target.tenants().getFirst().id() : tenant;
    }

    /** The calls begin within a second, so that their turns do not march in step. */
    private Schedule schedule(int calls, List<String> names, Map<String, CallClass> classes) {
        List<Arrival> arrivals = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            double at = (double) i / calls;
            arrivals.add(Arrival.at(i, at, hold + 1 - at, names.get(i % names.size())));
        }
        Map<String, CallClass> used = new LinkedHashMap<>(classes);
        used.keySet().retainAll(names);
        return new Schedule(
                "calibrate-" + calls,
                "do callers notice " + calls + " calls on one container?",
                null,
                calls + " calls within a second, for " + hold + " s",
                null,
                new StartConditions("warm", null, null),
                used,
                List.of(),
                3,
                arrivals);
    }
}
