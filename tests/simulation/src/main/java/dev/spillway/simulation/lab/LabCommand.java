package dev.spillway.simulation.lab;

import static java.util.Objects.requireNonNull;

import dev.spillway.core.Timing;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.load.schedule.InvalidScheduleException;
import dev.spillway.load.schedule.ScheduleReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Replays a schedule of calls under a policy, or under all of them. */
@Command(
        name = "spillway simulate",
        mixinStandardHelpOptions = true,
        description = "Replays a schedule of calls under a policy, on virtual time, with the core's own decisions.")
public final class LabCommand implements Callable<Integer> {
    private static final int DAYS = 20;
    private static final Pattern DAY = Pattern.compile("day:([0-9]{1,9})(?::([0-9]{1,9}))?");

    @Option(
            names = "--schedule",
            paramLabel = "FILE",
            description = "calls to replay; day:SEED makes a day like the shared one, day:SEED:CALLS a busier one")
    private @Nullable String schedule;

    @Option(names = "--compare", description = "every pair of rules and every rival, as a table and a page")
    private boolean compare;

    @Option(names = "--frontier", description = "tunings of the usual rules, on the schedule and on unseen days")
    private boolean frontier;

    @Option(
            names = "--page",
            paramLabel = "FILE",
            description = "where --compare writes its page (default: ${DEFAULT-VALUE})",
            defaultValue = "comparison.html")
    private Path page = Path.of("comparison.html");

    @Option(
            names = "--minimum",
            description = "containers that always run (default: ${DEFAULT-VALUE})",
            defaultValue = "0")
    private int minimum;

    @Option(names = "--maximum", description = "containers at most (default: ${DEFAULT-VALUE})", defaultValue = "1000")
    private int maximum = 1000;

    @Option(
            names = "--gateway",
            description = "containers of the gateway (default: ${DEFAULT-VALUE})",
            defaultValue = "10")
    private int gateway = 10;

    @Option(
            names = "--out",
            description = "when the pool grows: plus-one, demand, ahead (default: ${DEFAULT-VALUE})",
            defaultValue = "ahead")
    private String out = "ahead";

    @Option(
            names = "--in",
            description = "when it shrinks: idle, consolidate (default: ${DEFAULT-VALUE})",
            defaultValue = "consolidate")
    private String in = "consolidate";

    @Option(
            names = "--cold-start",
            description = "from asking for a container to READY (default: ${DEFAULT-VALUE})",
            defaultValue = "60s")
    private String coldStart = "60s";

    @Option(names = "--limit", description = "calls per container (default: ${DEFAULT-VALUE})", defaultValue = "6")
    private int limit = 6;

    @Option(names = "--idle", description = "the idle window (default: ${DEFAULT-VALUE})", defaultValue = "10m")
    private String idle = "10m";

    @Option(names = "--json", paramLabel = "FILE", description = "where the outcome is written")
    private @Nullable Path json;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter print = requireNonNull(spec).commandLine().getOut();
        Conditions conditions = conditions();
        if (schedule == null && !frontier) {
            throw wrong("want --schedule FILE");
        }
        if (frontier) {
            frontier(print, conditions);
        }
        if (schedule != null && compare) {
            compare(print, read(schedule), conditions);
        } else if (schedule != null && !frontier) {
            replay(print, read(schedule), conditions);
        }
        print.flush();
        return 0;
    }

    private void replay(PrintWriter print, CallTimes times, Conditions conditions) throws IOException {
        Contender contender =
                Contenders.rules(one("--out", ScaleOutRule.class, out), one("--in", ScaleInRule.class, in));
        ThreadMXBean thread = ManagementFactory.getThreadMXBean();
        long begun = System.nanoTime();
        long worked = thread.getCurrentThreadCpuTime();
        Outcome outcome = Replay.run(times, contender, conditions);
        double work = (thread.getCurrentThreadCpuTime() - worked) / 1e9;
        double seconds = (System.nanoTime() - begun) / 1e9;
        if (json != null) {
            Files.writeString(json, OutcomeJson.write(outcome));
        }
        print.print(Table.of(List.of(new Table.Row(contender.name(), outcome))));
        Runtime runtime = Runtime.getRuntime();
        print.printf(
                Locale.ROOT,
                "the least possible is %.2f hours; replayed in %.1f s (%.1f s of a processor) with %d MB of memory in use%n",
                outcome.lowerBoundHours(),
                seconds,
                work,
                (runtime.totalMemory() - runtime.freeMemory()) >> 20);
    }

    private void compare(PrintWriter print, CallTimes times, Conditions conditions) throws IOException {
        List<Contender> contenders = Contenders.all(limit);
        List<Outcome> outcomes = contenders.stream()
                .map(contender -> Replay.run(times, contender, conditions))
                .toList();
        List<Table.Row> rows = new ArrayList<>();
        for (int i = 0; i < contenders.size(); i++) {
            rows.add(new Table.Row(contenders.get(i).name(), outcomes.get(i)));
        }
        String notes = String.format(
                Locale.ROOT,
                "%s: %d calls; cold start %s, limit %d, idle window %s; the least possible is %.2f container-hours.",
                times.name(),
                times.arrivals().size(),
                coldStart,
                limit,
                idle,
                times.lowerBoundHours(limit));
        print.println(notes);
        print.print(Table.of(rows));
        List<Frontier.Point> tuned = Frontier.of(Frontier.tunings(), List.of(times), conditions);
        Files.writeString(page, ComparisonPage.of(times, conditions, contenders, outcomes, tuned, notes));
        print.println("page: " + page);
        if (json != null) {
            Files.writeString(json, OutcomeJson.write(rows));
        }
    }

    private void frontier(PrintWriter print, Conditions conditions) throws IOException {
        List<Contender> contenders = new ArrayList<>(Contenders.all(limit));
        contenders.addAll(Frontier.tunings());
        if (schedule != null) {
            CallTimes times = read(schedule);
            print.println(Frontier.table(times.name(), Frontier.of(contenders, List.of(times), conditions)));
        }
        print.println(Frontier.table(
                DAYS + " unseen days of the same shape", Frontier.of(contenders, Frontier.unseen(DAYS), conditions)));
        print.println(Frontier.table(
                DAYS + " unseen days of other shapes", Frontier.of(contenders, Frontier.varied(DAYS), conditions)));
        print.println(BatchStudy.table());
    }

    private Conditions conditions() {
        Timing usual = Timing.STANDARD;
        Timing timing = new Timing(
                usual.heartbeat(),
                usual.heldHeartbeat(),
                usual.expiry(),
                usual.lostAfter(),
                usual.outageQuiet(),
                duration("--cold-start", coldStart),
                usual.launchDeadline(),
                duration("--idle", idle),
                usual.scaleInLock(),
                usual.protection(),
                usual.turnBoundary(),
                usual.tokenLife(),
                usual.round());
        try {
            return Conditions.STANDARD.with(limit, timing).withPool(minimum, maximum, gateway);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private CallTimes read(String source) throws IOException {
        Matcher day = DAY.matcher(source);
        if (day.matches()) {
            SyntheticDays shape = day.group(2) == null
                    ? SyntheticDays.SHARED
                    : SyntheticDays.SHARED.scaled(Integer.parseInt(day.group(2)));
            return shape.day(source, Integer.parseInt(day.group(1)));
        }
        try {
            return CallTimes.of(ScheduleReader.read(Path.of(source)));
        } catch (NoSuchFileException e) {
            throw wrong("there is no file " + source);
        } catch (InvalidScheduleException | IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private <E extends Enum<E>> E one(String option, Class<E> type, String text) {
        for (E constant : type.getEnumConstants()) {
            if (Contenders.text(constant).equals(text)) {
                return constant;
            }
        }
        throw wrong(option + " is not '" + text + "'; want one of "
                + List.of(type.getEnumConstants()).stream()
                        .map(Contenders::text)
                        .toList());
    }

    private Duration duration(String option, String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        try {
            Duration parsed = Duration.parse("PT" + lower.toUpperCase(Locale.ROOT));
            if (!parsed.isNegative()) {
                return parsed;
            }
        } catch (DateTimeParseException e) {
            throw wrong(option + " is not '" + text + "'; want a time such as 60s, 10m or 1h");
        }
        throw wrong(option + " is not '" + text + "'; want a time that is not negative");
    }

    private ParameterException wrong(String message) {
        return new ParameterException(requireNonNull(spec).commandLine(), message);
    }
}
