package dev.spillway.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.replay.Authorisation;
import dev.spillway.load.replay.Limits;
import dev.spillway.load.replay.Session;
import dev.spillway.load.replay.StopRules;
import dev.spillway.load.report.Costs;
import dev.spillway.load.report.Criteria;
import dev.spillway.load.report.Report;
import dev.spillway.load.schedule.OfferedLoad;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.ScheduleReader;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code ./spillway load run}: offers a schedule, and reports. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = "Offers a schedule's arrivals at their times, whatever becomes of those before, and reports.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:the run is valid, and every service criterion is met",
            "1:the tool itself failed",
            "2:the run is invalid, or nothing was run",
            "3:the run is valid, and service criteria are missed"
        })
@SuppressWarnings("NullAway.Init") // set by picocli
final class RunCommand implements Callable<Integer> {
    private static final long LONGEST_GOODBYE_SECONDS = 60;

    @Option(names = "--schedule", required = true, paramLabel = "FILE", description = "what arrives when")
    Path scheduleFile;

    @Mixin
    AdapterOptions adapterOptions;

    @Option(names = "--out", paramLabel = "DIR", description = "a new folder for the ledger and the reports")
    @Nullable
    Path out;

    @Option(names = "--consent", description = "the owner of the target agrees to this load")
    boolean consent;

    @Option(
            names = "--authorisation",
            paramLabel = "FILE",
            description =
                    "what the owner allows; needed for any host that is not loopback. JSON with owner, expires,"
                            + " destinations, maxConcurrency, maxPerSecond, maxSeconds, quotas {provider: calls} and sideEffects")
    @Nullable
    Path authorisationFile;

    @Option(
            names = "--criteria",
            paramLabel = "FILE",
            description = "by what the run is judged: JSON with owner, rationale, validity and service, each a list of"
                    + " {measure, most, least, owner, rationale}")
    @Nullable
    Path criteriaFile;

    @Option(
            names = "--speed",
            defaultValue = "1",
            paramLabel = "N",
            description = "divides the schedule's times, never those of audio (default: ${DEFAULT-VALUE})")
    double speed;

    @Option(
            names = "--max-in-flight",
            defaultValue = "1000",
            paramLabel = "N",
            description = "operations at once; an arrival beyond it is dropped (default: ${DEFAULT-VALUE})")
    int maxInFlight;

    @Option(
            names = "--timeout",
            defaultValue = "60",
            paramLabel = "SECONDS",
            description = "of one operation, beyond the length of its call (default: ${DEFAULT-VALUE})")
    double timeout;

    @Option(names = "--max-seconds", paramLabel = "SECONDS", description = "stop the run after this time")
    @Nullable
    Double maxSeconds;

    @Option(names = "--max-refused", paramLabel = "N", description = "stop after more refusals than this")
    @Nullable
    Integer maxRefused;

    @Option(
            names = "--max-incorrect",
            paramLabel = "N",
            description = "stop after more turns with speech of a wrong generation or persona than this")
    @Nullable
    Integer maxIncorrect;

    @Option(names = "--max-memory", paramLabel = "MB", description = "stop when the generator uses more than this")
    @Nullable
    Long maxMemory;

    @Option(
            names = "--quiet",
            paramLabel = "SECONDS",
            description =
                    "how long the baseline may take after the last call (default: the schedule's quiet_after, divided"
                            + " by the speed)")
    @Nullable
    Double quiet;

    @Option(
            names = "--start-wait",
            defaultValue = "180",
            paramLabel = "SECONDS",
            description = "how long the schedule's start conditions may take to come about (default: ${DEFAULT-VALUE})")
    double startWait;

    @Option(
            names = "--policy",
            paramLabel = "NAME=VALUE",
            description = "a policy of the system under test, for the record; comparisons look at these")
    Map<String, String> policies = new TreeMap<>();

    @Option(
            names = "--set-up",
            paramLabel = "COMMAND",
            description = "run by sh before the start, to bring about cold functions or caches; recorded")
    @Nullable
    String setUp;

    @Option(names = "--dry-run", description = "only say what would be offered, and what it may cost")
    boolean dryRun;

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (!(speed > 0) || !(timeout > 0) || maxInFlight < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--speed and --timeout are positive, and --max-in-flight is at least 1");
        }
        byte[] bytes = Files.readAllBytes(scheduleFile);
        Schedule schedule = ScheduleReader.read(scheduleFile.toString(), bytes);
        if (dryRun) {
            System.out.print(preview(schedule, Bundle.sha256(bytes)));
            return 0;
        }
        if (!consent) {
            return refused(List.of("--consent is missing: the owner of the target has to agree to this load"));
        }
        if (out == null) {
            throw new ParameterException(spec.commandLine(), "--out DIR is missing");
        }
        byte[] criteria = criteriaFile == null ? null : Files.readAllBytes(criteriaFile);
        if (criteria != null) {
            Criteria.read(criteria);
        }
        byte[] permission = authorisationFile == null ? null : Files.readAllBytes(authorisationFile);
        Authorisation authorisation = permission == null ? null : Authorisation.read(permission);
        try (Adapter adapter = adapterOptions.open(schedule)) {
            List<String> objections = Authorisation.objections(
                    authorisation, adapter.hosts(), schedule, speed, maxInFlight, Instant.now());
            if (!objections.isEmpty()) {
                return refused(objections);
            }
            Bundle bundle = new Bundle(out);
            if (Files.exists(bundle.run())) {
                return refused(List.of(out + " holds a run already; a ledger is never written twice"));
            }
            adapter.allowHosts(host -> Authorisation.allows(authorisation, host));
            Files.createDirectories(out);
            Files.write(bundle.schedule(), bytes);
            if (criteria != null) {
                Files.write(bundle.criteria(), criteria);
            }
            if (permission != null) {
                Files.write(bundle.authorisation(), permission);
            }
            Files.writeString(
                    bundle.run(),
                    Tool.JSON.writeValueAsString(manifest(schedule, bytes, criteria, permission, adapter)) + "\n");
            runSetUp();
            run(schedule, adapter, authorisation, bundle);
            Report report = Report.of(bundle);
            report.write(bundle);
            System.out.print(report.summary());
            System.out.println(out.resolve("report.html"));
            return report.verdict().exitCode();
        }
    }

    private static int refused(List<String> why) {
        why.forEach(reason -> System.err.println("spillway load: refused: " + reason));
        return Tool.INVALID;
    }

    private void run(Schedule schedule, Adapter adapter, @Nullable Authorisation authorisation, Bundle bundle)
            throws IOException, InterruptedException {
        double quietSeconds = quiet == null ? schedule.quietAfter() / speed : quiet;
        var plan = new Session.Plan(
                schedule,
                speed,
                Authorisation.held(
                        authorisation, new Limits(maxInFlight, duration(timeout), Duration.ofSeconds(5))),
                Authorisation.held(
                        authorisation,
                        new StopRules(maxSeconds, maxRefused, maxIncorrect, maxMemory),
                        Instant.now()),
                duration(Math.max(quietSeconds, 1e-3)),
                duration(startWait));
        Session session = new Session(plan, adapter, bundle, line -> System.err.println("load: " + line));
        CountDownLatch over = new CountDownLatch(1);
        Thread onSignal = new Thread(() -> interrupted(session, over), "stop");
        Runtime.getRuntime().addShutdownHook(onSignal);
        try {
            session.run();
        } finally {
            over.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(onSignal);
            } catch (IllegalStateException e) {
                reportBeforeTheEnd(bundle); // Ctrl-C: the process ends as soon as the hook does
            }
        }
    }

    private static void interrupted(Session session, CountDownLatch over) {
        session.stop("interrupted");
        try {
            if (!over.await(LONGEST_GOODBYE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("load: the run did not end in time; ./spillway load report tells what is missing");
            }
            TimeUnit.SECONDS.sleep(1); // the report is written meanwhile
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void reportBeforeTheEnd(Bundle bundle) {
        try {
            Report report = Report.of(bundle);
            report.write(bundle);
            System.out.print(report.summary());
            System.out.flush();
        } catch (IOException e) {
            System.err.println("load: " + e.getMessage());
        }
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    private void runSetUp() throws IOException, InterruptedException {
        if (setUp != null) {
            int code = new ProcessBuilder("sh", "-c", setUp).inheritIO().start().waitFor();
            if (code != 0) {
                throw new IOException("--set-up ended with " + code);
            }
        }
    }

    private String preview(Schedule schedule, String sha) {
        OfferedLoad load = OfferedLoad.of(schedule, speed);
        int containers = (load.peak() + 5) / 6;
        double hours = load.minutes() * speed / 60 / 6;
        return String.format(
                Locale.ROOT,
                """
                schedule          %s (sha256 %s)
                arrivals          %d, at most %d within a second
                peak concurrency  %d calls%s
                call time         %.1f minutes in all, over %.1f s
                estimated cost    %.4f dollars: at least %.3f container hours (six calls each, %d at once) at %.4f dollars;
                                  no carrier is paid, since this tool plays Twilio's part itself
                """,
                schedule.name(),
                sha,
                schedule.arrivals().size(),
                load.mostPerSecond(),
                load.peak(),
                load.peak() > maxInFlight ? "; --max-in-flight " + maxInFlight + " would drop some" : "",
                load.minutes(),
                load.seconds(),
                hours * Costs.CONTAINER_HOUR,
                hours,
                containers,
                Costs.CONTAINER_HOUR);
    }

    private ObjectNode manifest(
            Schedule schedule, byte[] bytes, byte @Nullable [] criteria, byte @Nullable [] permission, Adapter adapter)
            throws IOException {
        ObjectNode node = Tool.JSON.createObjectNode();
        node.put("run", 1)
                .put("revision", Tool.revision())
                .put("startedAt", Instant.now().toString());
        node.put("scheduleSha256", Bundle.sha256(bytes)).put("schedule", schedule.name());
        node.put("scheduled", schedule.arrivals().size());
        ObjectNode described = node.putObject("adapter");
        described.put("name", adapter.name()).put("endpoint", adapter.endpoint());
        adapter.describe(described.putObject("settings"));
        node.put("definitionsSha256", Outcome.definitionsSha256());
        node.put("speed", speed).put("maxInFlight", maxInFlight).put("timeoutSeconds", timeout);
        node.put("quietSeconds", quiet == null ? schedule.quietAfter() / speed : quiet);
        ObjectNode stop = node.putObject("stop");
        stop.put("maxSeconds", maxSeconds).put("maxRefused", maxRefused).put("maxIncorrect", maxIncorrect);
        stop.put("maxMemoryMb", maxMemory);
        ObjectNode start = node.putObject("start");
        start.put("pool", schedule.start().pool())
                .put("functions", schedule.start().functions())
                .put("caches", schedule.start().caches())
                .put("setUp", setUp);
        ObjectNode policy = node.putObject("policies");
        policies.forEach(policy::put);
        node.put("consent", true).put("targetAllowed", true);
        var hosts = node.putArray("hosts");
        adapter.hosts().stream().sorted().forEach(hosts::add);
        node.put("criteriaSha256", criteria == null ? null : Bundle.sha256(criteria));
        node.put("authorisationSha256", permission == null ? null : Bundle.sha256(permission));
        node.put("content", "synthetic tones and made-up numbers; no customer's words, numbers or recordings");
        node.put("containerHourDollars", Costs.CONTAINER_HOUR);
        node.put("generatorHost", InetAddress.getLocalHost().getHostName());
        node.put("cores", Runtime.getRuntime().availableProcessors());
        node.put("java", Runtime.version().toString());
        return node;
    }
}
