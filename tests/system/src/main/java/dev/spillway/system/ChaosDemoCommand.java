package dev.spillway.system;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./spillway demo chaos}. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        description = "Forty calls while containers are killed, frozen, redeployed and cut off from the table.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:every caller was kept, and heard nothing for no longer than the fault that hit it allows",
            "1:a caller was dropped, was silent beyond the bounds or heard a wrong persona",
            "2:the command line is wrong"
        })
final class ChaosDemoCommand implements Callable<Integer> {
    @CommandLine.Mixin
    Cli.StackOptions stack = new Cli.StackOptions();

    @Option(names = "--json", paramLabel = "FILE", description = "also write everything measured as JSON")
    @Nullable
    Path json;

    @Override
    public Integer call() throws Exception {
        System.err.println("Starting AWS and Twilio stand-ins, the gateway's containers and those of one tenant ...");
        LocalSystem.Options options =
                stack.options(List.of(LocalTenant.ACME, LocalTenant.GLOBEX)).withContainersApart();
        try (LocalSystem system = Cli.closedAtExit(new LocalSystem(options))) {
            system.start();
            ChaosResult result = new ChaosDemo(system, stack.seed, System.err).run();
            print(result, System.out);
            if (json != null) {
                Cli.JSON.writeValue(json.toFile(), result);
            }
            return result.failures().isEmpty() ? 0 : 1;
        }
    }

    private static void print(ChaosResult result, PrintStream out) {
        out.println();
        out.println("What happened, by seed " + result.seed() + ":");
        for (ChaosResult.BlowRow blow : result.blows()) {
            out.printf(
                    Locale.ROOT,
                    "  t+%3.0fs  %-26s %-8s %d calls%n",
                    blow.atSeconds(),
                    blow.fault(),
                    blow.pool(),
                    blow.calls());
        }
        out.println();
        out.println(
                "Per caller (silence over 1 s in total, and the longest, in seconds; utterances of the agent that were"
                        + " cut, answers heard twice; greetings and questions said again):");
        out.println("  caller  tenant   moves  silent  longest  at most  cut  twice  greeted  asked  hit by");
        for (ChaosResult.CallerRow row : result.rows()) {
            out.printf(
                    Locale.ROOT,
                    "  %6d  %-8s %5d %7.1f %8.1f %8.0f %4d %6d %8d %6d  %s%n",
                    row.caller(),
                    row.tenant(),
                    row.moves(),
                    row.totalSilence(),
                    row.longestSilence(),
                    row.bearable(),
                    row.cut(),
                    row.repeated(),
                    row.greetedAgain(),
                    row.saidAgain(),
                    String.join(", ", row.faults()));
        }
        out.println();
        long kept = result.rows().stream().filter(row -> !row.dropped()).count();
        double longest = result.rows().stream()
                .mapToDouble(ChaosResult.CallerRow::longestSilence)
                .max()
                .orElse(0);
        out.printf(Locale.ROOT, "%d of %d callers kept, longest silence %.1f s.%n", kept, result.callers(), longest);
        result.failures().forEach(failure -> out.println("FAILED: " + failure));
    }
}
