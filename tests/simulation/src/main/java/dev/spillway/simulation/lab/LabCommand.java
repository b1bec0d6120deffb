package dev.spillway.simulation.lab;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Replays a schedule of calls under a policy. */
@Command(name = "spillway simulate", mixinStandardHelpOptions = true)
public final class LabCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        System.err.println("spillway simulate: the policy laboratory is not built");
        return 1;
    }
}
