package dev.spillway.system.function;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code ./spillway bench-functions}. */
@Command(
        name = "bench-functions",
        mixinStandardHelpOptions = true,
        description = {
            "Times the fallback function from its jar, beside one that does nothing in the same packaging.",
            "It reports figures beside their targets and fails only if it could not measure."
        })
public final class FunctionBenchCommand implements Callable<Integer> {
    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandLine.Model.CommandSpec spec;

    @Option(
            names = "--starts",
            defaultValue = "7",
            paramLabel = "N",
            description = "of each kind (default: ${DEFAULT-VALUE})")
    int starts;

    @Option(
            names = "--answers",
            defaultValue = "1000",
            paramLabel = "N",
            description = "with dynalite; twenty times as many without I/O (default: ${DEFAULT-VALUE})")
    int answers;

    @Override
    public Integer call() throws Exception {
        if (starts < 1 || answers < 1) {
            throw new ParameterException(spec.commandLine(), "want --starts and --answers of 1 or more");
        }
        Path home = Path.of(System.getProperty("spillway.home", "."))
                .toAbsolutePath()
                .normalize();
        PrintWriter out = spec.commandLine().getOut();
        out.println("measured here, beside whatever else runs; "
                + Runtime.getRuntime().availableProcessors() + " cores");
        new FunctionBench(home, Files.createTempDirectory("spillway-bench-"), starts, answers, out).run();
        return 0;
    }
}
