package dev.spillway.load.study;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.ConsentOptions;
import dev.spillway.load.StopOptions;
import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.Target;
import dev.spillway.load.adapter.TwilioMediaAdapter;
import dev.spillway.load.report.Report;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.ScheduleReader;
import dev.spillway.load.schedule.StartConditions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./spillway load calibrate}. */
@Command(
        name = "calibrate",
        mixinStandardHelpOptions = true,
        description = {
            "Raises the calls on one container step by step until callers would notice, and recommends the limit below.",
            "",
            "The pool needs one container, and a limit above what is tried. On this machine, with an agent that computes"
                    + " 2.5 ms for each frame of 20 ms, one call at a time, so that 8 calls fill its container:",
            "",
            "  SPILLWAY_LOCAL_LIMIT=30 SPILLWAY_AGENT_CPU_MICROS=2500 ./spillway local --info /tmp/spillway.json"
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:a limit was found, or none up to the last of --steps",
            "1:the tool failed",
            "2:refused, or a step that counts for nothing (a second container, a late generator, Ctrl-C)",
            "3:one call is too many"
        })
@SuppressWarnings("NullAway.Init") // set by picocli
public final class CalibrateCommand implements Callable<Integer> {
    @Option(names = "--info", required = true, paramLabel = "FILE", description = "the system")
    Path info;

    @Mixin
    ConsentOptions consent;

    @Mixin
    StopOptions stop;

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
            names = "--mix",
            split = ",",
            paramLabel = "CLASS=WEIGHT",
            description = "how the classes share the calls of the mix (default: alike)")
    Map<String, Double> mix = new LinkedHashMap<>();

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

    @Option(
            names = "--rest",
            defaultValue = "3",
            paramLabel = "SECONDS",
            description = "between two steps (default: ${DEFAULT-VALUE})")
    double rest;

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    /** Whose calls are tried together: classes, and their shares. */
    private record Population(String name, Map<String, Double> weights) {
        boolean isMix() {
            return weights.size() > 1;
        }
    }

    /** One call of each class that has been tried, by itself. */
    private final Map<String, Calibration.Step> alone = new LinkedHashMap<>();

    @Override
    public Integer call() throws Exception {
        try (UntilTold process = new UntilTold()) {
            return calibrate(process);
        }
    }

    private int calibrate(UntilTold process) throws Exception {
        Map<String, CallClass> classes = classesFile == null
                ? Map.of("default", CallClass.ofTurns("default", 3))
                : ScheduleReader.read(classesFile).classes();
        Target target = Target.read(info, System.getenv());
        List<String> refusals = refusals(classes, target);
        refusals.forEach(one -> System.err.println("spillway load: refused: " + one));
        if (!refusals.isEmpty()) {
            return 2;
        }
        List<String> declared = classes.values().stream()
                .flatMap(one -> one.declared().stream())
                .filter(name -> !target.agentTakes().contains(name))
                .distinct()
                .toList();
        if (!declared.isEmpty()) {
            System.out.println("declared by the classes, and not applied to the agent: " + String.join(", ", declared));
        }
        int least = Integer.MAX_VALUE;
        for (Population population : populations(classes)) {
            OptionalInt limit = calibrated(population, classes, target, process);
            if (limit.isEmpty()) {
                return 2;
            }
            least = Math.min(least, limit.getAsInt());
        }
        System.out.println();
        System.out.println("recommended limit: " + least + (least == 1 ? " call" : " calls")
                + " on one container, the smallest of the above; of this container, agent and machine only");
        return least == 0 ? 3 : 0;
    }

    private List<String> refusals(Map<String, CallClass> classes, Target target) {
        List<String> refusals = new ArrayList<>();
        if (!consent.given()) {
            refusals.add("--consent is missing");
        }
        if (steps.isEmpty() || steps.getFirst() != 1) {
            refusals.add("--steps begin with 1, the baseline");
        }
        refusals.addAll(Calibration.faults(classes.values(), mix.keySet(), target.agentTakes()));
        return refusals;
    }

    private List<Population> populations(Map<String, CallClass> classes) {
        List<Population> populations = new ArrayList<>();
        classes.keySet().forEach(name -> populations.add(new Population(name, Map.of(name, 1.0))));
        if (classes.size() > 1) {
            Map<String, Double> weights = new LinkedHashMap<>();
            classes.keySet().forEach(name -> weights.put(name, mix.isEmpty() ? 1.0 : mix.getOrDefault(name, 0.0)));
            populations.add(new Population("mix " + weights, weights));
        }
        return populations;
    }

    /** Empty if a step was none: refused, stopped, too short, or not on one container. */
    private OptionalInt calibrated(
            Population population, Map<String, CallClass> classes, Target target, UntilTold process) throws Exception {
        List<Calibration.Step> done = new ArrayList<>();
        System.out.println("class: " + population.name());
        for (int calls : steps) {
            Optional<String> why =
                    process.isEnding() ? Optional.of("interrupted") : step(population, calls, classes, target, done);
            if (why.isPresent()) {
                System.err.println("spillway load: " + calls + " calls are no step: " + why.get());
                if (!done.isEmpty()) {
                    Calibration.table(done).forEach(System.out::println);
                    System.out.println("limit for " + population.name() + ": not found; up to "
                            + Calibration.limit(done) + " calls it was not reached");
                }
                return OptionalInt.empty();
            }
            System.err.println("load: " + Calibration.table(done).getLast());
            if (Calibration.isOver(done)) {
                break;
            }
        }
        if (!population.isMix()) {
            alone.put(population.name(), done.getFirst());
        }
        Calibration.table(done).forEach(System.out::println);
        System.out.println("limit for " + population.name() + ": " + Calibration.limit(done)
                + (Calibration.isOver(done) ? "" : ", and the cliff was not reached"));
        int micros = info("agentCpuMicros").asInt();
        if (micros > 0) {
            System.out.println(Calibration.besideKnown(done, micros));
        }
        return OptionalInt.of(Calibration.limit(done));
    }

    /** @return why it was no step; empty if it was added to those that are done */
    private Optional<String> step(
            Population population,
            int calls,
            Map<String, CallClass> classes,
            Target target,
            List<Calibration.Step> done)
            throws Exception {
        Schedule schedule = schedule(calls, population, classes);
        String tenant = tenant(target, classes);
        var bounds = new Trial.Bounds(
                calls,
                Duration.ofSeconds(30),
                Duration.ofMillis(Math.max(1, Math.round(rest * 1_000))),
                stop.rules(),
                consent.permission());
        try (Adapter adapter = new TwilioMediaAdapter(target, List.of(tenant), 1);
                ContainerCpu cpu = new ContainerCpu(info("dynamodbUrl").asText(), tenant)) {
            List<String> objections = Trial.objections(schedule, adapter, bounds);
            if (!objections.isEmpty()) {
                return Optional.of("refused: " + String.join("; ", objections));
            }
            Path folder = out.resolve(population.name().replaceAll("[^A-Za-z0-9.-]+", "-"))
                    .resolve("calls-" + calls);
            Report report = Trial.run(schedule, adapter, folder, bounds, session -> {});
            done.add(Calibration.Step.of(
                    calls, cpu.coresOver(hold), report.figures(), population.isMix() ? alone : Map.of()));
            Optional<String> why = report.run().stopped().or(() -> Calibration.isNoStep(report, done));
            if (why.isPresent()) {
                done.removeLast();
            }
            return why;
        }
    }

    private JsonNode info(String key) throws IOException {
        return new ObjectMapper().readTree(info.toFile()).path(key);
    }

    private static String tenant(Target target, Map<String, CallClass> classes) {
        String tenant = classes.values().iterator().next().tenant();
        return tenant == null ? target.tenants().getFirst().id() : tenant;
    }

    /** The calls begin within a second, so that their turns do not march in step. */
    private Schedule schedule(int calls, Population population, Map<String, CallClass> classes) {
        List<Arrival> arrivals = new ArrayList<>();
        List<String> names = Calibration.shared(population.weights(), calls);
        for (int i = 0; i < calls; i++) {
            double at = (double) i / calls;
            arrivals.add(Arrival.at(i, at, hold + 1 - at, names.get(i)));
        }
        Map<String, CallClass> used = new LinkedHashMap<>(classes);
        used.keySet().retainAll(population.weights().keySet());
        return new Schedule(
                "calibrate-" + calls,
                "do callers notice " + calls + " calls on one container?",
                null,
                calls + " calls within a second, for " + hold + " s; " + population.name(),
                null,
                new StartConditions("warm", null, null),
                used,
                List.of(),
                3,
                arrivals);
    }
}
