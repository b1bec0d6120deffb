package dev.spillway.system.function;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.lambda.CallsInMemory;
import dev.spillway.lambda.DeployedFunction;
import dev.spillway.localcloud.PackagedFunction;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Times the fallback function, from its jar and beside a function that does nothing in the same packaging; then its answers,
 * and how often each path asks the table. Starts alternate, so that what the machine does meanwhile falls on both.
 */
final class FunctionBench {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path home;
    private final Path work;
    private final int starts;
    private final int answers;
    private final PrintWriter out;

    FunctionBench(Path home, Path work, int starts, int answers, PrintWriter out) {
        this.home = home;
        this.work = work;
        this.starts = starts;
        this.answers = answers;
        this.out = out;
    }

    private enum Kind {
        OURS(DeployedFunction.FALLBACK.handler()),
        EMPTY(EmptyHandler.class.getName() + "::handleRequest");

        private final String handler;

        Kind(String handler) {
            this.handler = handler;
        }
    }

    void run() throws Exception {
        try (FunctionGround ground = new FunctionGround(home.resolve("tests/localcloud/dynalite"), work)) {
            startsWithout(ground);
            startsWith(ground);
            restored(ground);
            warm(ground);
        }
        paths();
        out.flush();
    }

    private PackagedFunction started(FunctionGround ground, Kind kind, List<String> options, boolean snapStart)
            throws IOException {
        Map<String, String> environment = new TreeMap<>(ground.environment());
        environment.put("POWERTOOLS_SERVICE_NAME", "fallback");
        try (var jars = Files.newDirectoryStream(home.resolve("tests/system/target"), "spillway-system-*.jar")) {
            return new PackagedFunction(new PackagedFunction.Spec(
                    home.resolve("functions/lambda/target/spillway-functions.jar"),
                    List.of(jars.iterator().next()),
                    home.resolve("tests/system/target/lib"),
                    kind.handler,
                    environment,
                    options,
                    snapStart,
                    work.resolve("bench-" + kind + ".log")));
        }
    }

    private void startsWithout(FunctionGround ground) throws Exception {
        compare("process start to the first /next, all clients built", ground, kind -> List.of());
    }

    private void startsWith(FunctionGround ground) throws Exception {
        for (Kind kind : Kind.values()) {
            try (PackagedFunction training =
                    started(ground, kind, List.of("-XX:AOTCacheOutput=" + cache(kind)), false)) {
                training.api().awaitReady(PATIENCE);
            }
            if (!Files.exists(cache(kind))) {
                out.println("no AOT cache could be made: see " + work);
                return;
            }
        }
        compare("the same with an AOT cache", ground, kind -> List.of("-XX:AOTCache=" + cache(kind)));
    }

    private Path cache(Kind kind) {
        return work.resolve(kind + ".aot");
    }

    /** The options of the JVM for each kind of function. */
    @FunctionalInterface
    private interface Options {
        List<String> of(Kind kind);
    }

    private void compare(String what, FunctionGround ground, Options options) throws Exception {
        Timings ours = new Timings();
        Timings empty = new Timings();
        for (int i = 0; i < starts; i++) {
            for (Kind kind : Kind.values()) {
                try (PackagedFunction function = started(ground, kind, options.of(kind), false)) {
                    (kind == Kind.OURS ? ours : empty)
                            .add(function.after(function.api().awaitReady(PATIENCE)));
                }
            }
        }
        out.printf(
                Locale.ROOT,
                "%-62s fallback %6.0f ms, empty %6.0f ms, ratio %.2f (2.5 at most)  n=%d each, medians%n",
                what,
                ours.percentile(50),
                empty.percentile(50),
                ours.percentile(50) / empty.percentile(50),
                starts);
    }

    private void restored(FunctionGround ground) throws Exception {
        Timings cold = new Timings();
        Timings restored = new Timings();
        String fallback = Files.readString(home.resolve("events/api-gateway/fallback.json"));
        for (int i = 0; i < starts; i++) {
            try (PackagedFunction function = started(ground, Kind.OURS, List.of(), false)) {
                function.api().awaitReady(PATIENCE);
                cold.add(timed(() -> function.api().invoke(fallback, PATIENCE)));
            }
            try (PackagedFunction function = started(ground, Kind.OURS, List.of(), true)) {
                function.api().awaitRestorable(PATIENCE);
                function.api().restore();
                function.api().awaitReady(PATIENCE);
                restored.add(timed(() -> function.api().invoke(fallback, PATIENCE)));
            }
        }
        out.printf(
                Locale.ROOT,
                "%-62s cold %6.0f ms, after a restore %6.0f ms  n=%d each, medians%n",
                "first answer, over dynalite",
                cold.percentile(50),
                restored.percentile(50),
                starts);
    }

    /** The same call overflows in both: to the gateway, since its tenant's pool is empty. */
    private void warm(FunctionGround ground) throws Exception {
        CallsInMemory memory = new CallsInMemory(
                FunctionGround.PUBLIC_URL,
                new Tenant(
                        FunctionGround.ACME,
                        Set.of("+15005550001"),
                        FunctionGround.ACCOUNT,
                        "spillway/tenant/acme",
                        new Persona("scripted", "plain", "Hello, this is acme.", "Where were we?", "Goodbye.")),
                FunctionGround.TOKEN);
        warm("warm, an overflowing call, without I/O (p99 1 ms at most)", 20 * answers, 20 * answers, call -> {
            memory.freeSlots();
            APIGatewayV2HTTPEvent webhook = Play.webhook(
                    "/twilio/fallback/acme",
                    Map.of(
                            "CallSid", call,
                            "CallStatus", "ringing",
                            "ErrorCode", "11217",
                            "ErrorUrl", "https://acme.example.com/voice"));
            return timed(() -> memory.answer(webhook));
        });
        Play play = new Play(ground);
        warm("the same with dynalite", answers / 2, answers, call -> timed(() -> play.fallback(call)));
        play.functions().close();
    }

    /** Answers one call. */
    @FunctionalInterface
    private interface Answer {
        Duration to(String call) throws Exception;
    }

    /** @param warming answers before those that count: until then the JVM still compiles what it will run */
    private void warm(String what, int warming, int count, Answer answer) throws Exception {
        Timings timings = new Timings();
        for (int i = 0; i < warming + count; i++) {
            Duration took = answer.to("CA%032d".formatted(1_000_000 + i));
            if (i >= warming) {
                timings.add(took);
            }
        }
        out.printf(
                Locale.ROOT,
                "%-62s p50 %.3f ms, p99 %.3f ms  n=%d%n",
                what,
                timings.percentile(50),
                timings.percentile(99),
                timings.count());
    }

    private static Duration timed(RecordedActions.Work work) throws Exception {
        long begun = System.nanoTime();
        work.run();
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private void paths() throws Exception {
        try (FunctionGround ground = new FunctionGround(home.resolve("tests/localcloud/dynalite"), work)) {
            Play play = new Play(ground);
            play.fallback("CA%032d".formatted(1));
            Map<String, PathCosts.Requests> costs = PathCosts.of(play);
            play.functions().close();
            // Last: its container would take the calls of the others.
            out.println("asked of the table, copies of tenants being at hand:");
            DirectPath.costs(ground).forEach(this::print);
            costs.forEach(this::print);
        }
    }

    private void print(String path, PathCosts.Requests requests) {
        out.printf(Locale.ROOT, "  %-60s %s%n", path, requests);
    }
}
