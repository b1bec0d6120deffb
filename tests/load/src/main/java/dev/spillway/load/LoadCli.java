package dev.spillway.load;

import dev.spillway.load.schedule.InvalidScheduleException;
import java.io.FileNotFoundException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./spillway load …}. */
@Command(
        name = "spillway load",
        mixinStandardHelpOptions = true,
        description = "Load tests with open arrivals and a ledger of outcomes.",
        subcommands = {
            ScheduleCommand.class,
            RunCommand.class,
            ReportCommand.class,
            CompareCommand.class,
            dev.spillway.load.study.SustainCommand.class,
            dev.spillway.load.study.CalibrateCommand.class,
            dev.spillway.load.study.BenchCommand.class,
            MergeCommand.class,
            CommandLine.HelpCommand.class
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:good: the run is valid, and every service criterion is met",
            "1:the tool itself failed",
            "2:invalid: the run did not ask its question, or nothing was run (command line, schedule, consent, target)",
            "3:the run is valid, and service criteria are missed, the baseline is not reached, or the probe not answered"
        })
public final class LoadCli {
    private LoadCli() {}

    public static void main(String[] arguments) {
        System.exit(line().execute(arguments));
    }

    static CommandLine line() {
        CommandLine line = new CommandLine(new LoadCli());
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            boolean missing = failure instanceof NoSuchFileException || failure instanceof FileNotFoundException;
            System.err.println("spillway load: " + (missing ? "there is no file " : "")
                    + (failure.getMessage() == null ? failure : failure.getMessage()));
            if (System.getenv("SPILLWAY_TRACE") != null) {
                failure.printStackTrace();
            }
            return failure instanceof InvalidScheduleException || missing ? Tool.INVALID : 1;
        });
        return line;
    }
}
