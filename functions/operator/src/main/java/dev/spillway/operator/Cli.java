package dev.spillway.operator;

import dev.spillway.operator.cost.CostCommand;
import dev.spillway.operator.doctor.DoctorCommand;
import dev.spillway.operator.measure.MeasureCommand;
import dev.spillway.operator.twilio.TwilioCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands behind {@code ./spillway} for a deployment in an account. */
@Command(
        name = "spillway",
        mixinStandardHelpOptions = true,
        subcommands = {
            CostCommand.class,
            DoctorCommand.class,
            ForgetCommand.class,
            MeasureCommand.class,
            TwilioCommand.class
        })
public final class Cli {
    private Cli() {}

    public static void main(String[] arguments) {
        CommandLine line = new CommandLine(new Cli());
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            System.err.println("spillway: " + (failure.getMessage() == null ? failure : failure.getMessage()));
            return 1;
        });
        System.exit(line.execute(arguments));
    }
}
