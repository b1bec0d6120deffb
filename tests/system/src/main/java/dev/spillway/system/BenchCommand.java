package dev.spillway.system;

import dev.spillway.system.bench.Bench;
import dev.spillway.system.bench.BenchReport;
import dev.spillway.system.bench.BenchResult;
import dev.spillway.system.bench.RelayBench;
import dev.spillway.system.bench.RelayReport;
import dev.spillway.system.bench.RelayResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code ./spillway bench}. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = {
            "Times the media container's start and 500 echo streams, each beside a plain reference; or what it",
            "costs to relay 100 calls to a bot, beside a direct connection: bench relay, --seconds 600 for a soak.",
            "It reports figures beside their targets and fails only if it could not measure."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:measured, whatever the figures", "1:could not measure", "2:the command line is wrong"})
final class BenchCommand implements Callable<Integer> {
    /** Long enough for the compiler to have done with the frames' path. */
    private static final int WARM_UP_SECONDS = 8;

    private static final int ECHO_STREAMS = 500;
    private static final int RELAYED_CALLS = 100;

    @Parameters(
            arity = "0..1",
            paramLabel = "start|echo|relay",
            defaultValue = "both",
            description = "what to measure (default: start and echo)")
    @SuppressWarnings("NullAway.Init") // set by picocli
    String part;

    @Option(
            names = "--launches",
            defaultValue = "10",
            paramLabel = "N",
            description = "starts of each kind (default: ${DEFAULT-VALUE})")
    int launches;

    @Option(names = "--streams", paramLabel = "N", description = "streams at a time (default: 500, and 100 for relay)")
    @Nullable
    Integer streams;

    @Option(
            names = "--seconds",
            defaultValue = "20",
            paramLabel = "N",
            description = "how long echoes are measured (default: ${DEFAULT-VALUE})")
    int seconds;

    @Option(names = "--json", paramLabel = "FILE", description = "also write everything measured as JSON")
    @Nullable
    Path json;

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (part.equals("relay")) {
            return relay(streams == null ? RELAYED_CALLS : streams);
        }
        Bench.Plan plan = plan(streams == null ? ECHO_STREAMS : streams);
        Path work = Files.createTempDirectory("spillway-bench-");
        System.err.println("bench: logs are in " + work);
        Bench bench = new Bench(
                MediaProcesses.command(Cli.home().resolve("media-container/target")),
                Cli.home().resolve("tests/localcloud/dynalite"),
                work,
                text -> System.err.println("bench: " + text));
        BenchResult result = bench.run(plan);
        BenchReport.print(result, System.out);
        if (json != null) {
            Cli.JSON.writeValue(json.toFile(), result);
        }
        return 0;
    }

    private int relay(int calls) throws IOException, InterruptedException {
        if (calls < 1 || seconds < 1) {
            throw new ParameterException(spec.commandLine(), "--streams and --seconds must be 1 or more");
        }
        Path work = Files.createTempDirectory("spillway-bench-");
        System.err.println("bench: logs are in " + work);
        RelayBench bench = new RelayBench(
                MediaProcesses.command(Cli.home().resolve("media-container/target")),
                Cli.home().resolve("tests/localcloud/dynalite"),
                work,
                text -> System.err.println("bench: " + text));
        RelayResult result = bench.run(calls, seconds, WARM_UP_SECONDS);
        RelayReport.print(result, System.out);
        if (json != null) {
            Cli.JSON.writeValue(json.toFile(), result);
        }
        return 0;
    }

    private Bench.Plan plan(int streams) {
        if (launches < 1 || streams < 1) {
            throw new ParameterException(spec.commandLine(), "--launches and --streams must be 1 or more");
        }
        try {
            return switch (part) {
                case "both" -> new Bench.Plan(launches, streams, seconds, WARM_UP_SECONDS);
                case "start" -> new Bench.Plan(launches, 0, seconds, WARM_UP_SECONDS);
                case "echo" -> new Bench.Plan(0, streams, seconds, WARM_UP_SECONDS);
                default ->
                    throw new ParameterException(
                            spec.commandLine(), "there is no benchmark '" + part + "', want start, echo or relay");
            };
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
