package dev.spillway.system.bench;

import dev.spillway.system.bench.BenchResult.EchoResult;
import dev.spillway.system.bench.BenchResult.Machine;
import dev.spillway.system.bench.BenchResult.StartResult;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The benchmarks of one run, on stand-ins of their own. */
public final class Bench {
    private final List<String> container;
    private final Path dynalite;
    private final Path work;
    private final Consumer<String> progress;

    /**
     * What to measure.
     *
     * @param launches of each kind; 0 to measure no starts
     * @param streams 0 to measure no echo
     * @param seconds the length of the measured window
     * @param warmUpSeconds how long the load runs before it
     */
    public record Plan(int launches, int streams, int seconds, int warmUpSeconds) {
        public Plan {
            if (launches < 0 || launches > 1_000 || streams < 0 || streams > 2_000) {
                throw new IllegalArgumentException(
                        "want 0 to 1000 launches and 0 to 2000 streams, not " + launches + " and " + streams);
            }
            if (seconds < 1 || seconds > 600 || warmUpSeconds < 0) {
                throw new IllegalArgumentException("want 1 to 600 seconds, not " + seconds);
            }
        }
    }

    /**
     * @param container the command of a media container's process
     * @param dynalite the folder of the npm package
     * @param work an existing directory for logs
     * @param progress told what is going on
     */
    public Bench(List<String> container, Path dynalite, Path work, Consumer<String> progress) {
        this.container = List.copyOf(container);
        this.dynalite = dynalite;
        this.work = work;
        this.progress = progress;
    }

    /** @throws IOException if something could not be measured; the message names the log */
    public BenchResult run(Plan plan) throws IOException, InterruptedException {
        Machine machine = new Machine(
                Runtime.getRuntime().availableProcessors(),
                Runtime.version().toString(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        BenchCommands commands = new BenchCommands(container);
        progress.accept("starting the stand-ins");
        try (BenchGround ground = new BenchGround(dynalite, work, plan.streams() + 1)) {
            @Nullable
            StartResult start =
                    plan.launches() == 0 ? null : new StartBench(ground, commands, progress).run(plan.launches());
            @Nullable
            EchoResult echo = plan.streams() == 0
                    ? null
                    : new EchoBench(ground, commands, progress)
                            .run(new EchoBench.Options(plan.streams(), plan.seconds(), plan.warmUpSeconds()));
            return new BenchResult(Instant.now().toString(), machine, start, echo);
        }
    }
}
