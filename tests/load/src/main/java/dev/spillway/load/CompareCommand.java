package dev.spillway.load;

import dev.spillway.load.compare.Comparison;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.report.Report;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./spillway load compare A B}. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = "Compares two runs of one schedule between which one policy was changed.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:compared", "1:a folder cannot be read", "2:refused"})
@SuppressWarnings("NullAway.Init") // set by picocli
final class CompareCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "A", description = "the run before the change")
    Path first;

    @Parameters(index = "1", paramLabel = "B", description = "the run after it")
    Path second;

    @Option(
            names = "--hypothesis",
            required = true,
            paramLabel = "TEXT",
            description = "what the change should do, and in which figure that would show")
    String hypothesis;

    @Option(names = "--force", description = "compare although more than one policy was changed")
    boolean force;

    @Override
    public Integer call() throws Exception {
        Comparison comparison = Comparison.of(Report.of(new Bundle(first)), Report.of(new Bundle(second)));
        comparison.refusals().forEach(reason -> System.err.println("spillway load: refused: " + reason));
        if (!comparison.refusals().isEmpty()) {
            return Tool.INVALID;
        }
        if (comparison.changes().size() > 1 && !force) {
            System.err.println("spillway load: refused: more than one policy was changed, so that nothing could be told"
                    + " apart (--force compares all the same)");
            comparison.changes().forEach(change -> System.err.println("  " + change));
            return Tool.INVALID;
        }
        System.out.println("hypothesis: " + hypothesis);
        System.out.println(
                comparison.changes().isEmpty()
                        ? "changed:    nothing that is on record"
                        : "changed:    " + String.join("\n            ", comparison.changes()));
        System.out.println();
        comparison.lines().forEach(System.out::println);
        comparison.warnings().forEach(warning -> System.out.println("WARNING: " + warning));
        return 0;
    }
}
