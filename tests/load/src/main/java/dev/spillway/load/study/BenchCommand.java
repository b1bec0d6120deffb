package dev.spillway.load.study;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code ./spillway load bench}. */
@Command(name = "bench", mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return 0;
    }
}
