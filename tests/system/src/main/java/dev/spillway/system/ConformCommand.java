package dev.spillway.system;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.Timing;
import dev.spillway.system.conform.Conformance;
import dev.spillway.system.conform.Ground;
import dev.spillway.system.conform.Started;
import dev.spillway.system.conform.StartedCommand;
import dev.spillway.system.conform.Verdict;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code ./spillway conform}. */
@Command(
        name = "conform",
        mixinStandardHelpOptions = true,
        description = {
            "Asks a container, in whatever language, whether it keeps media-container/contract/CONTRACT.md.",
            "Brings everything around it: table, event bus, secrets and its task's endpoints. Ends with a drained container."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:it keeps every rule that was asked for",
            "1:a rule is broken, or the container never became READY, or its command ended",
            "2:the command line is wrong"
        })
final class ConformCommand implements Callable<Integer> {
    private static final String TENANT = "conform";
    private static final String TASK = "conform-1";

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "where the container is reached, such as http://127.0.0.1:9000; its port is SPILLWAY_PORT."
                    + " Without it a command's container is asked at the address that it registers")
    @Nullable
    URI url;

    @Option(
            names = "--env",
            paramLabel = "FILE",
            description = "write the environment that the container is to have, as NAME=VALUE, and wait for it")
    @Nullable
    Path environment;

    @Option(names = "--rule", paramLabel = "NAME", description = "ask for this rule only; may be repeated")
    @SuppressWarnings("NullAway.Init") // set by picocli
    List<String> rules;

    @Option(
            names = "--speed",
            defaultValue = "10",
            paramLabel = "N",
            description =
                    "SPILLWAY_SPEED: heartbeats come N times as often, every 2 s at most (default: ${DEFAULT-VALUE})")
    double speed;

    @Option(
            names = "--patience",
            defaultValue = "1",
            paramLabel = "N",
            description = "every time-out is multiplied by it (default: ${DEFAULT-VALUE})")
    double patience;

    @Option(
            names = "--wait",
            defaultValue = "120",
            paramLabel = "SECONDS",
            description = "for READY (default: ${DEFAULT-VALUE})")
    int waitSeconds;

    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "starts the container in the foreground, with that environment")
    @SuppressWarnings("NullAway.Init") // set by picocli
    List<String> command;

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<String> start = command == null ? List.of() : command;
        if (url == null && start.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "want --url, or a command that starts the container");
        }
        if (url != null && (!"http".equals(url.getScheme()) || url.getHost() == null || url.getPort() < 1)) {
            throw new ParameterException(
                    spec.commandLine(), "--url must name host and port, such as http://127.0.0.1:9000, not " + url);
        }
        if (!(speed >= 1) || !(patience > 0) || waitSeconds < 1) {
            throw new ParameterException(spec.commandLine(), "--speed, --patience and --wait must be positive");
        }
        try (Ground ground = new Ground(Cli.home().resolve("tests/localcloud/dynalite"))) {
            Map<String, String> settings = ground.environment(TENANT, TASK, url == null ? 0 : url.getPort(), speed);
            String lines = settings.entrySet().stream()
                    .map(setting -> setting.getKey() + "=" + setting.getValue() + "\n")
                    .collect(Collectors.joining());
            if (environment != null) {
                Files.writeString(environment, lines);
            } else if (start.isEmpty()) {
                System.err.print(lines);
            }
            if (start.isEmpty()) {
                return judged(ground, null);
            }
            try (StartedCommand container = new StartedCommand(start, settings)) {
                return judged(ground, container);
            }
        }
    }

    private int judged(Ground ground, @Nullable Started started) throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        System.err.println("conform: waiting for the container " + TASK + " of the pool " + TENANT + " to be READY");
        JsonNode item = ground.awaitReady(
                TENANT,
                TASK,
                Duration.ofSeconds(waitSeconds),
                () -> started != null && started.exitCode().isPresent());
        if (!Ground.isReady(item)) {
            out.println("register    BROKEN  " + unready(item, started));
            return 1;
        }
        URI address = url == null ? registered(item) : url;
        if (address == null) {
            out.println("register    BROKEN  its item has no address of the form host:port, and no --url was given");
            return 1;
        }
        Conformance conformance = new Conformance(
                ground,
                address,
                TENANT,
                TASK,
                Timing.STANDARD.scaled(speed),
                Cli.home().resolve("media-container/contract"),
                patience,
                started);
        List<Verdict> verdicts =
                conformance.judge(rules == null ? java.util.Set.of() : new LinkedHashSet<>(rules), out::println);
        long broken = verdicts.stream().filter(verdict -> !verdict.isKept()).count();
        out.println(
                broken == 0
                        ? "all " + verdicts.size() + " rules kept"
                        : broken + " of " + verdicts.size() + " rules broken");
        return broken == 0 ? 0 : 1;
    }

    private String unready(JsonNode item, @Nullable Started started) {
        String seen = item.isEmpty()
                ? "there is no item {pool}#pool / container#" + TASK
                : "the item's state is '" + item.path("state").asText() + "', not 'ready'";
        return started != null && started.exitCode().isPresent()
                ? "the command " + started.end() + "\n" + seen + " (start the container in the foreground)"
                : seen + ", after " + waitSeconds + " s";
    }

    private static @Nullable URI registered(JsonNode item) {
        String address = item.path("address").asText();
        return address.matches("[^:/]+:[0-9]{1,5}") ? URI.create("http://" + address) : null;
    }
}
