package dev.spillway.system.bench;

import dev.spillway.core.pool.PoolId;
import dev.spillway.system.bench.BenchResult.StartResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Times starts of a tenant's container, from just before the process is started until it says that READY is written in the
 * table, which is then read. With the AOT cache, without it, and a plain process take turns, so that whatever else the
 * machine does falls on all three.
 */
final class StartBench {
    private final BenchGround ground;
    private final BenchCommands commands;
    private final Consumer<String> progress;

    StartBench(BenchGround ground, BenchCommands commands, Consumer<String> progress) {
        this.ground = ground;
        this.commands = commands;
        this.progress = progress;
    }

    StartResult run(int launches) throws IOException, InterruptedException {
        List<Long> with = new ArrayList<>();
        List<Long> without = new ArrayList<>();
        List<Long> plain = new ArrayList<>();
        for (int launch = 1; launch <= launches; launch++) {
            progress.accept("start: launch " + launch + " of " + launches);
            if (commands.hasCache()) {
                with.add(container(commands.container()));
            }
            without.add(container(commands.containerWithoutCache()));
            plain.add(plain());
        }
        return new StartResult(with, without, plain);
    }

    private long container(List<String> command) throws IOException, InterruptedException {
        try (BenchGround.Launched container = ground.launch(PoolId.of(BenchGround.TENANT), command)) {
            container.awaitReady();
            return container.process().awaitStart().after().toMillis();
        }
    }

    private long plain() throws IOException, InterruptedException {
        try (MeasuredProcess process = ground.reference(commands.plainEcho())) {
            return process.awaitStart().after().toMillis();
        }
    }
}
