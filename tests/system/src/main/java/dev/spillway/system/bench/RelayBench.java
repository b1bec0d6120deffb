package dev.spillway.system.bench;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.system.bench.BenchResult.Echo;
import dev.spillway.system.bench.BenchResult.Machine;
import dev.spillway.system.bench.EchoLoad.Stream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The same calls twice: straight to a bot that says back every frame, and through a media container whose agent is that bot.
 * Both in one run, one after the other, against one process of the bot.
 */
public final class RelayBench {
    private static final TenantId TENANT = new TenantId("relayed");
    /** So that a short run has enough samples to say anything, and a long one not too many. */
    private static final int SAMPLES = 60;

    private final List<String> container;
    private final Path dynalite;
    private final Path work;
    private final Consumer<String> progress;

    /**
     * @param container the command of a media container's process
     * @param dynalite the folder of the npm package
     * @param work an existing directory for logs
     */
    public RelayBench(List<String> container, Path dynalite, Path work, Consumer<String> progress) {
        this.container = List.copyOf(container);
        this.dynalite = dynalite;
        this.work = work;
        this.progress = progress;
    }

    /**
     * @param streams calls at the same time
     * @param seconds the length of each measured window
     * @throws IOException if something could not be measured
     */
    public RelayResult run(int streams, int seconds, int warmUpSeconds) throws IOException, InterruptedException {
        if (streams < 1 || streams > 2_000 || seconds < 1 || seconds > 3_600) {
            throw new IllegalArgumentException(
                    "want 1 to 2000 streams and 1 to 3600 seconds, not " + streams + " and " + seconds);
        }
        Machine machine = new Machine(
                Runtime.getRuntime().availableProcessors(),
                Runtime.version().toString(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        BenchCommands commands = new BenchCommands(container);
        progress.accept("starting the stand-ins");
        try (BenchGround ground = new BenchGround(dynalite, work, streams + 1);
                MeasuredProcess bot = ground.reference(commands.plainEcho())) {
            int port = Integer.parseInt(bot.awaitStart().line().substring(PlainEcho.PORT.length()));
            URI url = URI.create("ws://127.0.0.1:" + port + "/");
            ground.tenantWithBot(TENANT, streams);
            List<Stream> direct = new ArrayList<>();
            for (int n = 0; n < streams; n++) {
                direct.add(new Stream(url, List.of()));
            }
            Echo straight = measure("the bot itself", bot, direct, seconds, warmUpSeconds, new ArrayList<>());
            try (BenchGround.Launched launched = ground.launch(PoolId.of(TENANT), commands.container(), url)) {
                Container ready = launched.awaitReady();
                List<Stream> relayed = new ArrayList<>();
                for (int n = 0; n < streams; n++) {
                    relayed.add(call(ready, n, seconds + warmUpSeconds + 600));
                }
                List<Long> megabytes = new ArrayList<>();
                Echo through = measure("the container", launched.process(), relayed, seconds, warmUpSeconds, megabytes);
                return new RelayResult(
                        Instant.now().toString(),
                        machine,
                        streams,
                        seconds,
                        through,
                        straight,
                        sampleSeconds(seconds),
                        megabytes);
            }
        }
    }

    private static int sampleSeconds(int seconds) {
        return Math.max(1, seconds / SAMPLES);
    }

    /** A call whose claim the table has not yet: the container that is addressed writes it. */
    private static Stream call(Container container, int n, int lifeSeconds) {
        CallSid sid = new CallSid(String.format(Locale.ROOT, "CA%032x", n));
        Generation generation = new Generation(1, String.format(Locale.ROOT, "%016d", n));
        StreamAddress address = new StreamAddress(
                StreamAddress.Kind.STREAM,
                TENANT,
                container.id(),
                sid,
                generation,
                Instant.now().plus(Duration.ofSeconds(lifeSeconds)));
        return new Stream(
                URI.create("ws://" + container.address()
                        + address.path(StreamKey.derive(new byte[32], PoolId.of(TENANT)))),
                EchoBench.opening(TENANT, sid, generation, n));
    }

    private Echo measure(
            String name,
            MeasuredProcess server,
            List<Stream> streams,
            int seconds,
            int warmUpSeconds,
            List<Long> megabytes)
            throws IOException, InterruptedException {
        try (EchoLoad load = new EchoLoad(streams)) {
            progress.accept("relay: opening " + streams.size() + " streams to " + name);
            load.open(open -> {});
            progress.accept(
                    "relay: warming up for " + warmUpSeconds + " s, then measuring " + name + " for " + seconds + " s");
            TimeUnit.SECONDS.sleep(warmUpSeconds);
            load.beginWindow();
            long begun = System.nanoTime();
            Duration before = server.cpu();
            long end = begun + TimeUnit.SECONDS.toNanos(seconds);
            while (System.nanoTime() < end) {
                megabytes.add(server.residentMegabytes());
                long left = end - System.nanoTime();
                TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.SECONDS.toNanos(sampleSeconds(seconds))));
            }
            Duration used = server.cpu().minus(before);
            double elapsed = (System.nanoTime() - begun) / 1e9;
            load.endWindow();
            EchoTally tally = load.tally();
            return new Echo(
                    tally.sent(),
                    tally.returned(),
                    Math.round(used.toMillis() / 10.0 / elapsed) / 100.0,
                    tally.roundTrips().percentileMillis(50),
                    tally.roundTrips().percentileMillis(99),
                    tally.lateness().percentileMillis(50),
                    tally.lateness().percentileMillis(99));
        }
    }
}
