package dev.spillway.system;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import dev.spillway.system.function.FunctionBenchCommand;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The commands behind {@code ./spillway}. */
@Command(
        name = "spillway",
        mixinStandardHelpOptions = true,
        subcommands = {
            Cli.DemoCommand.class,
            Cli.LocalCommand.class,
            BenchCommand.class,
            FunctionBenchCommand.class,
            ConformCommand.class,
            StoryCommand.class,
            PoolCommand.class,
            ConsoleCommand.class,
            OutboundCommand.class
        })
final class Cli {
    static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private Cli() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Cli());
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            System.err.println("spillway: " + (failure.getMessage() == null ? failure : failure.getMessage()));
            if (System.getenv("SPILLWAY_TRACE") != null) {
                failure.printStackTrace();
            }
            return 1;
        });
        return line;
    }

    /** Options that both commands have. */
    static final class StackOptions {
        @Option(
                names = "--speed",
                defaultValue = "10",
                paramLabel = "N",
                description = "schedules, cold starts and idle windows run N times as fast; audio never does"
                        + " (default: ${DEFAULT-VALUE})")
        double speed;

        @Option(
                names = "--think",
                defaultValue = "400",
                paramLabel = "MS",
                description = "how long the embedded agent thinks before it answers (default: ${DEFAULT-VALUE})")
        int thinkMillis;

        @Option(
                names = "--seed",
                defaultValue = "1",
                paramLabel = "N",
                description = "of every random choice of the stand-ins (default: ${DEFAULT-VALUE})")
        long seed;

        @Option(
                names = "--containers",
                split = ",",
                paramLabel = "DIR",
                description =
                        "checkouts, built, whose containers are revision 1, 2, ... of every service; the last is that"
                                + " of all later ones, too (default: this one)")
        List<Path> containers = List.of();

        @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
        @SuppressWarnings("NullAway.Init") // set by picocli
        CommandLine.Model.CommandSpec spec;

        LocalSystem system() throws IOException {
            return system(List.of(LocalTenant.ACME, LocalTenant.GLOBEX));
        }

        LocalSystem system(List<LocalTenant> tenants) throws IOException {
            return new LocalSystem(options(tenants));
        }

        LocalSystem.Options options(List<LocalTenant> tenants) throws IOException {
            if (!(speed >= 1 && speed <= 60)) {
                throw new ParameterException(spec.commandLine(), "--speed must lie between 1 and 60, not " + speed);
            }
            if (thinkMillis < 0 || thinkMillis > 10_000) {
                throw new ParameterException(
                        spec.commandLine(), "--think must lie between 0 and 10000 ms, not " + thinkMillis);
            }
            Path work = Files.createTempDirectory("spillway-");
            return new LocalSystem.Options(
                    speed,
                    thinkMillis,
                    home(),
                    work,
                    seed,
                    TwilioSwitches.likely(seed),
                    tenants,
                    Map.of(),
                    false,
                    LocalSystem.GATEWAY_LIMIT,
                    builds());
        }

        private List<Path> builds() {
            for (Path build : containers) {
                if (!Files.isDirectory(build.resolve("media-container/target/lib"))) {
                    throw new ParameterException(
                            spec.commandLine(),
                            "--containers: " + build + " is no checkout that was built (./spillway build)");
                }
            }
            return containers.isEmpty() ? List.of(home()) : containers;
        }
    }

    /** The checkout, which the launcher names. */
    static Path home() {
        return Path.of(System.getProperty("spillway.home", "."))
                .toAbsolutePath()
                .normalize();
    }

    @Command(
            name = "demo",
            mixinStandardHelpOptions = true,
            subcommands = {OutboundDemoCommand.class, ChaosDemoCommand.class},
            description = "Twenty calls into zero containers, with real processes, beside the figures of the text.",
            exitCodeListHeading = "Exit codes:%n",
            exitCodeList = {
                "0:every call was answered and kept, and the pool returned to zero",
                "1:a call was refused, dropped, silent for more than 3 s or greeted by a wrong persona, or the pool did not return to zero",
                "2:the command line is wrong"
            })
    static final class DemoCommand implements Callable<Integer> {
        @CommandLine.Mixin
        StackOptions stack = new StackOptions();

        @Option(names = "--json", paramLabel = "FILE", description = "also write everything measured as JSON")
        @org.jspecify.annotations.Nullable
        Path json;

        @Override
        public Integer call() throws Exception {
            Progress progress = new Progress(System.out, isTerminal());
            progress.say(
                    "Starting AWS and Twilio stand-ins, the gateway's containers and those of the second tenant ...");
            try (LocalSystem system = closedAtExit(stack.system())) {
                system.start();
                DemoResult result = new Demo(system, progress).run();
                progress.wipe();
                DemoReport.print(result, System.out);
                if (json != null) {
                    JSON.writeValue(json.toFile(), result);
                }
                return result.failures().isEmpty() ? 0 : 1;
            }
        }
    }

    @Command(
            name = "local",
            mixinStandardHelpOptions = true,
            description = "Keeps the whole system up on loopback until Ctrl-C.",
            footerHeading = "%nEnvironment, for load tests:%n",
            footer = {
                "  SPILLWAY_LOCAL_LIMIT       calls that a tenant's container takes (6)",
                "  SPILLWAY_AGENT_CPU_MICROS  computing that each frame of a call costs the agent (0)"
            })
    static final class LocalCommand implements Callable<Integer> {
        @CommandLine.Mixin
        StackOptions stack = new StackOptions();

        @Option(
                names = "--info",
                paramLabel = "FILE",
                description = "write the endpoints, the keys that sign requests to the API, and the tenants' Twilio"
                        + " credentials as JSON once all is up")
        @org.jspecify.annotations.Nullable
        Path info;

        @Option(
                names = "--gateway-limit",
                defaultValue = "" + LocalSystem.GATEWAY_LIMIT,
                paramLabel = "N",
                description =
                        "slots of each of the gateway's three containers; a tenant's share is what two of them have"
                                + " (default: ${DEFAULT-VALUE})")
        int gatewayLimit;

        @Override
        public Integer call() throws Exception {
            if (gatewayLimit < 1 || gatewayLimit > 100) {
                throw new ParameterException(
                        stack.spec.commandLine(), "--gateway-limit must lie between 1 and 100, not " + gatewayLimit);
            }
            System.err.println("Starting ...");
            LocalSystem.Options options =
                    stack.options(List.of(LocalTenant.ACME, LocalTenant.GLOBEX)).withGatewayLimit(gatewayLimit);
            try (LocalSystem system = closedAtExit(new LocalSystem(options))) {
                system.start();
                String text = JSON.writeValueAsString(system.info());
                writeWhole(home().resolve("tests/system/target/stack.json"), text + "\n"); // where load tests look
                if (info == null) {
                    System.out.println(text);
                } else {
                    writeWhole(info, text + "\n");
                }
                System.err.println("Up. The console is at " + system.consoleUrl() + " ; Ctrl-C ends it all.");
                new CountDownLatch(1).await();
                return 0;
            }
        }
    }

    /** A reader that waits for the file never sees half of it. */
    private static void writeWhole(Path file, String text) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(next, text);
        Files.move(next, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal(); // null only where JDK settings ask for the old behaviour
    }

    /** Ctrl-C stops the containers' processes too. */
    static LocalSystem closedAtExit(LocalSystem system) {
        Runtime.getRuntime().addShutdownHook(new Thread(system::close, "close"));
        return system;
    }
}
