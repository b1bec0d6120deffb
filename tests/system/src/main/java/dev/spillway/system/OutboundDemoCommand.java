package dev.spillway.system;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./spillway demo outbound}. */
@Command(
        name = "outbound",
        mixinStandardHelpOptions = true,
        description = "Ten containers of one slot each, two batches of 60 jobs together, and 20 callers meanwhile.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:every attempt is accounted for, every dial left the reserve alone, and every caller was answered",
            "1:the identity failed, a reserve was broken, a caller was refused or something did not end",
            "2:the command line is wrong"
        })
final class OutboundDemoCommand implements Callable<Integer> {
    @CommandLine.Mixin
    Cli.StackOptions stack = new Cli.StackOptions();

    @Option(names = "--json", paramLabel = "FILE", description = "also write everything measured as JSON")
    @Nullable
    Path json;

    @Override
    public Integer call() throws Exception {
        System.err.println("Starting AWS and Twilio stand-ins and the gateway's containers ...");
        try (LocalSystem system = Cli.closedAtExit(stack.system(List.of(OutboundDemo.TENANT)))) {
            system.start();
            OutboundDemoResult result = new OutboundDemo(system, stack.seed, System.err).run();
            OutboundDemoReport.print(result, System.out);
            if (json != null) {
                Cli.JSON.writeValue(json.toFile(), result);
            }
            return result.exitCode();
        }
    }
}
