package dev.spillway.simulation.world;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Runs seeds. */
@Command(name = "spillway simulate", mixinStandardHelpOptions = true)
public final class WorldCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        System.err.println("spillway simulate: not built");
        return 1;
    }
}
