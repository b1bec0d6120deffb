package dev.spillway.load;

import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import dev.spillway.load.schedule.InvalidScheduleException;
import dev.spillway.load.schedule.Mix;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.ScheduleReader;
import dev.spillway.load.schedule.ScheduleWriter;
import dev.spillway.load.schedule.Shape;
import dev.spillway.load.schedule.StartConditions;
import dev.spillway.load.schedule.WallClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code ./spillway load schedule}: writes schedules, and checks them. */
@Command(
        name = "schedule",
        mixinStandardHelpOptions = true,
        description = {
            "Writes a schedule, checks one, or prints the format's JSON Schema.",
            "",
            "  spike     --calls N [--at S]",
            "  constant  --rate R --seconds S",
            "  step      --rate R --to R2 --at S --seconds S",
            "  ramp      --rate R --to R2 --seconds S",
            "  waves     --waves N --calls N --apart S [--spread S]",
            "  poisson   --rate R --seconds S --seed N",
            "  from      --from FILE [--zone ZONE]: wall-clock times, CSV with a column 'time' or a JSON list",
            "  check     --from FILE: nothing but whether it is valid",
            "  schema    prints the JSON Schema",
            "",
            "Any shape takes --mix, --retries and --duration. Rates are calls per second."
        })
@SuppressWarnings("NullAway.Init") // set by picocli
final class ScheduleCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SHAPE", description = "one of those above", arity = "0..1")
    @Nullable
    String shape;

    @Option(names = "--calls", paramLabel = "N")
    @Nullable
    Integer calls;

    @Option(names = "--at", paramLabel = "SECONDS", defaultValue = "0")
    double at;

    @Option(names = "--rate", paramLabel = "R")
    @Nullable
    Double rate;

    @Option(names = "--to", paramLabel = "R")
    @Nullable
    Double to;

    @Option(names = "--seconds", paramLabel = "S")
    @Nullable
    Double seconds;

    @Option(names = "--waves", paramLabel = "N")
    @Nullable
    Integer waves;

    @Option(names = "--apart", paramLabel = "S")
    @Nullable
    Double apart;

    @Option(names = "--spread", paramLabel = "S", defaultValue = "0")
    double spread;

    @Option(names = "--seed", paramLabel = "N", description = "of every random choice (default: 1)")
    @Nullable
    Long seed;

    @Option(
            names = "--duration",
            paramLabel = "S",
            description = "after which callers hang up (default: when their turns are over)")
    @Nullable
    Double duration;

    @Option(
            names = "--mix",
            paramLabel = "CLASS=WEIGHT",
            split = ",",
            description = "weighted classes of the arrivals (default: one class 'default' of three turns)")
    Map<String, Double> mix = new LinkedHashMap<>();

    @Option(
            names = "--classes",
            paramLabel = "FILE",
            description = "a schedule whose classes are taken; without it each class has three turns")
    @Nullable
    Path classesFile;

    @Option(
            names = "--retries",
            paramLabel = "SHARE:SECONDS",
            description = "that share of the callers calls again so much later, as the same callers")
    @Nullable
    String retries;

    @Option(names = "--direction", paramLabel = "WAY", description = "inbound or outbound, of all arrivals")
    @Nullable
    String direction;

    @Option(names = "--from", paramLabel = "FILE", description = "a file of wall-clock times, or a schedule to check")
    @Nullable
    Path from;

    @Option(names = "--zone", paramLabel = "ZONE", description = "of times without an offset, such as Europe/Berlin")
    @Nullable
    ZoneId zone;

    @Option(
            names = "--overlap",
            paramLabel = "WHICH",
            defaultValue = "first",
            description = "first or second: which occurrence a time is that occurred twice (default: ${DEFAULT-VALUE})")
    String overlap;

    @Option(names = "--quiet-after", paramLabel = "S", defaultValue = "60")
    double quietAfter;

    @Option(names = "--start-pool", paramLabel = "STATE", description = "zero or warm")
    @Nullable
    String startPool;

    @Option(names = "--start-functions", paramLabel = "STATE", description = "cold or warm")
    @Nullable
    String startFunctions;

    @Option(names = "--start-caches", paramLabel = "STATE", description = "cold or warm")
    @Nullable
    String startCaches;

    @Option(names = "--name", paramLabel = "NAME")
    @Nullable
    String name;

    @Option(names = "--question", paramLabel = "TEXT", defaultValue = "", description = "what the run is to answer")
    String question;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE",
            description = "(default: standard output)")
    @Nullable
    Path out;

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        String wanted = shape == null ? (from == null ? "" : "from") : shape;
        if (wanted.equals("schema")) {
            try (var in = ScheduleCommand.class.getResourceAsStream("schedule.schema.json")) {
                System.out.print(new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8));
            }
            return 0;
        }
        if (wanted.equals("check")) {
            Path file = needed(from, "--from");
            Schedule schedule = ScheduleReader.read(file);
            System.out.println(file + ": valid, " + schedule.arrivals().size() + " arrivals, sha256 "
                    + Bundle.sha256(Files.readAllBytes(file)));
            return 0;
        }
        String text = ScheduleWriter.write(made(wanted));
        ScheduleReader.read("the schedule", text.getBytes(StandardCharsets.UTF_8)); // what it writes, it reads
        if (out == null) {
            System.out.print(text);
        } else {
            Files.writeString(out, text);
            System.err.println(out + ": sha256 " + Bundle.sha256(text.getBytes(StandardCharsets.UTF_8)));
        }
        return 0;
    }

    private Schedule made(String wanted) throws IOException, InvalidScheduleException {
        long drawn = seed == null ? 1 : seed;
        String clockRule = null;
        List<Arrival> arrivals;
        String rule;
        Map<String, Double> weights = mix.isEmpty() ? Map.of("default", 1.0) : mix;
        List<String> classNames = new ArrayList<>(weights.keySet());
        if (wanted.equals("from")) {
            Path file = needed(from, "--from");
            if (!mix.isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(), "--mix draws classes; the file says which class each time is of");
            }
            WallClock.Converted converted =
                    WallClock.convert(file.toString(), Files.readAllBytes(file), zone, overlap.equals("second"));
            arrivals = converted.arrivals();
            classNames = new ArrayList<>(converted.classes());
            rule = "wall-clock times of " + file.getFileName();
            clockRule = converted.rule();
        } else {
            arrivals = Mix.arrivals(times(wanted, drawn), duration, weights, drawn);
            rule = rule(wanted);
            if (weights.size() > 1) {
                rule += "; classes " + weights + ": " + Mix.CLASSES_RULE;
            }
        }
        if (retries != null) {
            String[] parts = retries.split(":", 2);
            if (parts.length != 2) {
                throw new ParameterException(spec.commandLine(), "--retries is SHARE:SECONDS, such as 0.3:20");
            }
            arrivals = Mix.withRetries(arrivals, Double.parseDouble(parts[0]), Double.parseDouble(parts[1]), drawn);
            rule += "; retries " + retries + ": " + Mix.RETRIES_RULE;
        }
        arrivals = directed(arrivals);
        return new Schedule(
                name == null ? wanted : name,
                question,
                isRandom(wanted) ? drawn : null,
                rule,
                clockRule,
                new StartConditions(startPool, startFunctions, startCaches),
                classes(classNames),
                wanted.equals("waves") ? waveOffsets() : List.of(),
                quietAfter,
                arrivals);
    }

    private boolean isRandom(String wanted) {
        return wanted.equals("poisson") || mix.size() > 1 || retries != null;
    }

    private List<Arrival> directed(List<Arrival> arrivals) {
        if (direction == null) {
            return arrivals;
        }
        if (!direction.equals("inbound") && !direction.equals("outbound")) {
            throw new ParameterException(spec.commandLine(), "--direction is inbound or outbound, not " + direction);
        }
        Direction way = direction.equals("outbound") ? Direction.OUTBOUND : Direction.INBOUND;
        return arrivals.stream()
                .map(one -> new Arrival(one.id(), one.at(), one.duration(), one.className(), way, one.retryOf()))
                .toList();
    }

    private double[] times(String wanted, long drawn) {
        return switch (wanted) {
            case "spike" -> Shape.spike(needed(calls, "--calls"), at);
            case "constant" -> Shape.constant(needed(rate, "--rate"), needed(seconds, "--seconds"));
            case "step" -> Shape.step(needed(rate, "--rate"), needed(to, "--to"), at, needed(seconds, "--seconds"));
            case "ramp" -> Shape.ramp(needed(rate, "--rate"), needed(to, "--to"), needed(seconds, "--seconds"));
            case "waves" ->
                Shape.waves(needed(waves, "--waves"), needed(calls, "--calls"), needed(apart, "--apart"), spread);
            case "poisson" -> Shape.poisson(needed(rate, "--rate"), needed(seconds, "--seconds"), drawn);
            default ->
                throw new ParameterException(
                        spec.commandLine(),
                        "the shapes are spike, constant, step, ramp, waves, poisson and from, not '" + wanted + "'");
        };
    }

    private List<Double> waveOffsets() {
        List<Double> offsets = new ArrayList<>();
        for (int wave = 0; wave < needed(waves, "--waves"); wave++) {
            offsets.add(wave * needed(apart, "--apart"));
        }
        return offsets;
    }

    private String rule(String wanted) {
        return switch (wanted) {
            case "spike" -> String.format(Locale.ROOT, "%d arrivals at %s s", calls, at);
            case "constant" -> String.format(Locale.ROOT, "%s per second, evenly, for %s s", rate, seconds);
            case "step" ->
                String.format(Locale.ROOT, "%s per second, from %s s on %s, for %s s", rate, at, to, seconds);
            case "ramp" ->
                String.format(
                        Locale.ROOT,
                        "from %s to %s per second within %s s; arrival n when the integral of the rate is n",
                        rate,
                        to,
                        seconds);
            case "waves" ->
                String.format(Locale.ROOT, "%d waves of %d, %s s apart, each over %s s", waves, calls, apart, spread);
            default ->
                String.format(
                        Locale.ROOT,
                        "Poisson, %s per second for %s s: gaps -ln(1-u)/rate, u of java.util.Random with the seed",
                        rate,
                        seconds);
        };
    }

    private Map<String, CallClass> classes(List<String> names) throws IOException, InvalidScheduleException {
        Map<String, CallClass> known = classesFile == null
                ? Map.of()
                : ScheduleReader.read(classesFile).classes();
        Map<String, CallClass> classes = new LinkedHashMap<>();
        for (String one : names) {
            CallClass found = known.get(one);
            if (found == null && classesFile != null) {
                throw new ParameterException(spec.commandLine(), classesFile + " has no class '" + one + "'");
            }
            classes.put(one, found == null ? CallClass.ofTurns(one, 3) : found);
        }
        return classes;
    }

    private <T> T needed(@Nullable T value, String option) {
        if (value == null) {
            throw new ParameterException(spec.commandLine(), option + " is missing");
        }
        return value;
    }
}
