package dev.spillway.system.bench;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.system.bench.BenchResult.Echo;
import dev.spillway.system.bench.BenchResult.EchoResult;
import dev.spillway.system.bench.EchoLoad.Stream;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The same load on a gateway's media container whose calls have the agent {@code echo}, and on {@link PlainEcho}. Each call
 * comes in as a real one does, with a signed address, a claim and a record in the table.
 */
final class EchoBench {
    private final BenchGround ground;
    private final BenchCommands commands;
    private final Consumer<String> progress;

    /**
     * @param warmUpSeconds how long the load runs before the window opens, for the compiler to finish
     */
    record Options(int streams, int seconds, int warmUpSeconds) {}

    EchoBench(BenchGround ground, BenchCommands commands, Consumer<String> progress) {
        this.ground = ground;
        this.commands = commands;
        this.progress = progress;
    }

    EchoResult run(Options options) throws IOException, InterruptedException {
        Echo plain;
        try (MeasuredProcess process = ground.reference(commands.plainEcho())) {
            int port = Integer.parseInt(process.awaitStart().line().substring(PlainEcho.PORT.length()));
            List<Stream> streams = new ArrayList<>();
            for (int n = 0; n < options.streams(); n++) {
                streams.add(new Stream(URI.create("ws://127.0.0.1:" + port + "/"), List.of()));
            }
            plain = measure("plain Netty", process, streams, options);
        }
        try (BenchGround.Launched launched = ground.launch(PoolId.GATEWAY, commands.container())) {
            Container container = launched.awaitReady();
            List<Stream> streams = new ArrayList<>();
            for (int n = 0; n < options.streams(); n++) {
                streams.add(call(container, n));
            }
            Echo echo = measure("media container", launched.process(), streams, options);
            return new EchoResult(options.streams(), options.seconds(), echo, plain);
        }
    }

    /** A call that nobody could claim a slot for: the gateway's container does so itself. */
    private Stream call(Container container, int n) {
        CallSid sid = new CallSid(String.format(Locale.ROOT, "CA%032x", n));
        Generation generation = new Generation(1, String.format(Locale.ROOT, "%016d", n));
        StreamAddress address = new StreamAddress(
                StreamAddress.Kind.STREAM,
                BenchGround.TENANT,
                null,
                sid,
                generation,
                Instant.now().plus(Duration.ofMinutes(10)));
        return new Stream(
                URI.create("ws://" + container.address() + address.path(ground.gatewayKey())),
                opening(BenchGround.TENANT, sid, generation, n));
    }

    /** What Twilio says before the first frame. */
    static List<String> opening(TenantId tenant, CallSid sid, Generation generation, int n) {
        return List.of(
                "{\"event\":\"connected\",\"protocol\":\"Call\",\"version\":\"1.0.0\"}",
                "{\"event\":\"start\",\"sequenceNumber\":\"1\",\"start\":{\"streamSid\":\"MZ" + n
                        + "\",\"callSid\":\"" + sid
                        + "\",\"tracks\":[\"inbound\"],\"mediaFormat\":{\"encoding\":\"audio/x-mulaw\","
                        + "\"sampleRate\":8000,\"channels\":1},\"customParameters\":{\"tenant\":\""
                        + tenant + "\",\"generation\":\"" + generation
                        + "\"}},\"streamSid\":\"MZ" + n + "\"}");
    }

    private Echo measure(String name, MeasuredProcess server, List<Stream> streams, Options options)
            throws IOException, InterruptedException {
        try (EchoLoad load = new EchoLoad(streams)) {
            progress.accept("echo: opening " + options.streams() + " streams to the " + name);
            load.open(open -> {
                if (open % 100 == 0) {
                    progress.accept("echo: " + open + " of " + options.streams() + " streams open");
                }
            });
            progress.accept("echo: warming up for " + options.warmUpSeconds() + " s, then measuring the " + name
                    + " for " + options.seconds() + " s");
            TimeUnit.SECONDS.sleep(options.warmUpSeconds());
            load.beginWindow();
            long begun = System.nanoTime();
            Duration before = server.cpu();
            TimeUnit.SECONDS.sleep(options.seconds());
            Duration used = server.cpu().minus(before);
            double seconds = (System.nanoTime() - begun) / 1e9;
            load.endWindow();
            EchoTally tally = load.tally();
            return new Echo(
                    tally.sent(),
                    tally.returned(),
                    Math.round(used.toMillis() / 10.0 / seconds) / 100.0,
                    tally.roundTrips().percentileMillis(50),
                    tally.roundTrips().percentileMillis(99),
                    tally.lateness().percentileMillis(50),
                    tally.lateness().percentileMillis(99));
        }
    }
}
