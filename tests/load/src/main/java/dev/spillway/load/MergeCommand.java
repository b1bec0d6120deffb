package dev.spillway.load;

import dev.spillway.load.compare.Merge;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.report.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./spillway load merge}. */
@Command(
        name = "merge",
        mixinStandardHelpOptions = true,
        description = "Makes one run of the ledgers of several hosts, with the uncertainty of their clocks stated.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:good", "1:a folder cannot be read", "2:the run is invalid", "3:service criteria are missed"})
@SuppressWarnings("NullAway.Init") // set by picocli
final class MergeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", arity = "2..*", description = "the runs")
    List<Path> folders;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "a new folder")
    Path out;

    @Option(
            names = "--clock-uncertainty",
            required = true,
            paramLabel = "MS",
            description = "how far the hosts' wall clocks may be apart, as their time service says")
    long uncertainty;

    @Override
    public Integer call() throws Exception {
        Bundle into = new Bundle(out);
        if (Files.exists(into.run())) {
            System.err.println("spillway load: refused: " + out + " holds a run already");
            return Tool.INVALID;
        }
        Merge.merge(folders.stream().map(Bundle::new).toList(), into, uncertainty);
        Report report = Report.of(into);
        report.write(into);
        System.out.print(report.summary());
        return report.verdict().exitCode();
    }
}
