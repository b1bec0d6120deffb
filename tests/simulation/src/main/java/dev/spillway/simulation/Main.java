package dev.spillway.simulation;

import dev.spillway.simulation.lab.LabCommand;
import dev.spillway.simulation.world.WorldCommand;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** {@code ./spillway simulate …}: seeds with faults, or the policy laboratory if a schedule or a comparison is named. */
public final class Main {
    private static final List<String> LABORATORY = List.of("--schedule", "--schedules", "--compare", "--frontier");

    private Main() {}

    public static void main(String[] arguments) {
        // Some libraries look for a logger when they start; here is none, and nothing to log.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        System.exit(line(arguments).execute(arguments));
    }

    static CommandLine line(String... arguments) {
        boolean laboratory = Stream.of(arguments)
                .anyMatch(argument ->
                        LABORATORY.stream().anyMatch(name -> argument.equals(name) || argument.startsWith(name + "=")));
        CommandLine line = new CommandLine(laboratory ? new LabCommand() : new WorldCommand());
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            System.err.println("spillway simulate: " + (failure.getMessage() == null ? failure : failure.getMessage()));
            if (System.getenv("SPILLWAY_TRACE") != null) {
                failure.printStackTrace();
            }
            return 1;
        });
        return line;
    }
}
