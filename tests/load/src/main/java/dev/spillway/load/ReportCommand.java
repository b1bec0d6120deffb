package dev.spillway.load;

import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.report.Report;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ./spillway load report DIR}. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        description =
                "Makes the reports of a run again from what lies in its folder: byte for byte the same, also of a run"
                        + " that was killed.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:good", "1:the folder cannot be read", "2:the run is invalid", "3:service criteria are missed"
        })
@SuppressWarnings("NullAway.Init") // set by picocli
final class ReportCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "the folder of a run")
    Path folder;

    @Override
    public Integer call() throws Exception {
        Bundle bundle = new Bundle(folder);
        Report report = Report.of(bundle);
        report.write(bundle);
        System.out.print(report.summary());
        return report.verdict().exitCode();
    }
}
