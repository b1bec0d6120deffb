package dev.spillway.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.replay.Authorisation;
import dev.spillway.load.replay.Limits;
import dev.spillway.load.replay.Permission;
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
            "3:the run is valid, and service criteria are missed, the baseline is not reached, or the probe not answered"
        })
@SuppressWarnings("NullAway.Init") // set by picocli
final class RunCommand implements Callable<Integer> {
    @Option(names = "--schedule", required = true, paramLabel = "FILE", description = "what arrives when")
    Path scheduleFile;

    @Mixin
    AdapterOptions adapterOptions;

    @Option(names = "--out", paramLabel = "DIR", description = "a new folder for the ledger and the reports")
    @Nullable
    Path out;

    @Mixin
    ConsentOptions consent;

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

    @Mixin
    StopOptions stop;

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
        if (!consent.given()) {
            return refused(List.of("--consent is missing: the owner of the target has to agree to this load"));
        }
        if (out == null) {
            throw new ParameterException(spec.commandLine(), "--out DIR is missing");
        }
        byte[] criteria = criteriaFile == null ? null : Files.readAllBytes(criteriaFile);
        if (criteria != null) {
            Criteria.read(criteria);
        }
        Permission permission = consent.permission();
        Authorisation authorisation = permission.given();
        try (Adapter adapter = adapterOptions.open(schedule)) {
            List<String> objections = Authorisation.objections(
                    authorisation, adapter.hosts(), schedule, speed, maxInFlight, Instant.now());
            if (!adapter.hosts().isEmpty()) {
                objections.addAll(Session.impossible(schedule.start(), setUp != null));
            }
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
            permission.write(bundle);
            Files.writeString(
                    bundle.run(),
                    Tool.JSON.writeValueAsString(manifest(schedule, bytes, criteria, permission, adapter)) + "\n");
            runSetUp();
            Report report = Interruptible.run(session(schedule, adapter, authorisation, bundle), bundle, made -> {
                System.out.print(made.summary());
                System.out.println(bundle.folder().resolve("report.html"));
            });
            return report.verdict().exitCode();
        }
    }

    private static int refused(List<String> why) {
        why.forEach(reason -> System.err.println("spillway load: refused: " + reason));
        return Tool.INVALID;
    }

    private Session session(Schedule schedule, Adapter adapter, @Nullable Authorisation authorisation, Bundle bundle) {
        double quietSeconds = quiet == null ? schedule.quietAfter() / speed : quiet;
        var plan = new Session.Plan(
                schedule,
                speed,
                Authorisation.held(authorisation, new Limits(maxInFlight, duration(timeout), Duration.ofSeconds(5))),
                Authorisation.held(authorisation, stop.rules(), Instant.now()),
                duration(Math.max(quietSeconds, 1e-3)),
                duration(startWait),
                setUp != null);
        return new Session(plan, adapter, bundle, line -> System.err.println("load: " + line));
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
        // in the schedule's time, in which guessed calls last as long as they do at any speed
        double hours = OfferedLoad.of(schedule, 1).minutes() / 60 / 6;
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
            Schedule schedule, byte[] bytes, byte @Nullable [] criteria, Permission permission, Adapter adapter)
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
        Authorisation given = permission.given();
        node.put("speed", speed)
                .put("maxInFlight", given == null ? maxInFlight : Math.min(maxInFlight, given.maxConcurrency()))
                .put("timeoutSeconds", timeout);
        node.put("quietSeconds", quiet == null ? schedule.quietAfter() / speed : quiet);
        StopRules rules = stop.rules();
        node.putObject("stop")
                .put("maxSeconds", rules.maxSeconds())
                .put("maxRefused", rules.maxRefused())
                .put("maxIncorrect", rules.maxIncorrect())
                .put("maxMemoryMb", rules.maxMemoryMb());
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
        node.put("authorisationSha256", permission.sha256());
        var declared = node.putArray("declaredNotApplied");
        schedule.notApplied(adapter.takes()).forEach(declared::add);
        node.put("content", "synthetic tones and made-up numbers; no customer's words, numbers or recordings");
        node.put("containerHourDollars", Costs.CONTAINER_HOUR);
        node.put("generatorHost", InetAddress.getLocalHost().getHostName());
        node.put("cores", Runtime.getRuntime().availableProcessors());
        node.put("java", Runtime.version().toString());
        return node;
    }
}
