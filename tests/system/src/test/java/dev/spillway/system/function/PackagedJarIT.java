package dev.spillway.system.function;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.adapters.twilio.FormBody;
import dev.spillway.lambda.DailyCall;
import dev.spillway.lambda.DeployedFunction;
import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.PackagedFunction;
import dev.spillway.localcloud.twilio.Signature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The jar that is deployed, run as Lambda runs it: AWS's runtime interface client, and a Runtime API on loopback. Each function
 * is started once, as SnapStart does it, and each test looks at one side of what it did. Two run at a time: a JVM that starts
 * keeps one processor busy.
 */
class PackagedJarIT {
    private static final Path HOME =
            Path.of(System.getProperty("spillway.home")).toAbsolutePath().normalize();
    private static final Path JAR = HOME.resolve("functions/lambda/target/spillway-functions.jar");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int AT_A_TIME = 2;
    private static final Map<DeployedFunction, Future<Run>> RUNS = new EnumMap<>(DeployedFunction.class);

    /** The same for each request: its idempotency key is, too. */
    private static String deadline = "";

    @TempDir
    static Path work;

    @SuppressWarnings("NullAway.Init") // set before any test
    private static FunctionGround ground;

    @SuppressWarnings("NullAway.Init")
    private static ExecutorService runners;

    /**
     * What became of a function.
     *
     * @param rehearsed what it had printed where its snapshot is taken
     * @param sockets that it had there
     * @param answers to its payloads, in their order
     * @param otherRoutes its answers to what else it may be asked over HTTP, which the first answers name
     * @param daily its answer to what keeps its snapshot from being laid by
     * @param printed everything that it printed
     */
    private record Run(
            String rehearsed,
            List<String> sockets,
            List<String> answers,
            List<String> otherRoutes,
            String daily,
            String printed) {}

    @BeforeAll
    static void prepare() {
        deadline = Instant.now().plusSeconds(3_600).toString();
        ground = new FunctionGround(HOME.resolve("tests/localcloud/dynalite"), work);
        runners = Executors.newFixedThreadPool(AT_A_TIME);
        for (DeployedFunction deployed : DeployedFunction.values()) {
            if (deployed != DeployedFunction.REGISTRATION) {
                RUNS.put(deployed, runners.submit(() -> run(deployed)));
            }
        }
    }

    @AfterAll
    static void clear() {
        runners.shutdownNow();
        ground.close();
    }

    private static Run run(DeployedFunction deployed) throws Exception {
        try (PackagedFunction function = started(deployed, true)) {
            function.api().awaitRestorable(PATIENCE);
            String rehearsed = function.printed();
            List<String> sockets = sockets(function);
            function.api().restore();
            function.api().awaitReady(PATIENCE);
            List<String> answers = new ArrayList<>();
            for (String payload : payloads(deployed)) {
                answers.add(function.api().invoke(payload, PATIENCE));
            }
            List<String> otherRoutes = new ArrayList<>();
            for (String payload : otherRoutes(deployed, answers)) {
                otherRoutes.add(function.api().invoke(payload, PATIENCE));
            }
            String daily = function.api().invoke(JSON.writeValueAsString(DailyCall.of(deployed)), PATIENCE);
            return new Run(rehearsed, sockets, answers, otherRoutes, daily, function.printed());
        }
    }

    private static Run ran(DeployedFunction deployed) throws Exception {
        return Objects.requireNonNull(RUNS.get(deployed)).get();
    }

    private static PackagedFunction started(DeployedFunction deployed, boolean snapStart) throws IOException {
        Map<String, String> environment = new TreeMap<>(ground.environment());
        environment.put("POWERTOOLS_SERVICE_NAME", deployed.id());
        return new PackagedFunction(new PackagedFunction.Spec(
                JAR,
                List.of(),
                HOME.resolve("tests/system/target/lib"),
                deployed.handler(),
                environment,
                List.of(),
                snapStart,
                work.resolve(deployed.id() + (snapStart ? "-snap" : "") + ".log")));
    }

    private static String event(String file) throws IOException {
        return Files.readString(HOME.resolve("events").resolve(file));
    }

    private static List<String> payloads(DeployedFunction deployed) throws IOException {
        return switch (deployed) {
            case FALLBACK -> List.of(event("api-gateway/fallback.json"));
            case CONTINUE -> List.of(event("api-gateway/continue.json"));
            case CALL_STATUS -> List.of(event("api-gateway/status.json"));
            case STREAM_STATUS -> List.of(event("api-gateway/stream-status.json"));
            case DIAL -> List.of(event("api-gateway/dial.json"));
            case OUTBOUND_STATUS -> List.of(event("api-gateway/outbound-status.json"));
            case POOL_STATUS -> List.of(event("api-gateway/pool-status.json"));
            case ATTEMPTS -> List.of(event("api-gateway/attempts.json"));
            case ORDERS -> List.of(event("api-gateway/orders.json"));
            case USAGE -> List.of(event("api-gateway/usage.json"));
            case CONSOLE -> List.of(event("api-gateway/console.json"), event("api-gateway/console-state.json"));
            case CALLS -> List.of(event("api-gateway/calls.json").replace("2026-11-29T10:00:00Z", deadline));
            case OVERFLOW_SCALER ->
                List.of(event("event-bridge/call-overflowed.json"), event("event-bridge/slots-taken.json"));
            case GATEWAY_SCALER ->
                List.of(event("event-bridge/call-overflowed.json"), event("event-bridge/schedule.json"));
            case HAND_OFF -> List.of(event("event-bridge/container-ready.json"), event("event-bridge/slot-freed.json"));
            case IDLE_SWEEPER ->
                List.of(event("event-bridge/schedule.json"), event("event-bridge/container-drained.json"));
            case ZOMBIE_RECONCILER ->
                List.of(
                        event("event-bridge/rule-schedule.json"),
                        event("event-bridge/ecs-task-running.json"),
                        event("event-bridge/ecs-task-stopped.json"),
                        event("event-bridge/stream-silent.json"));
            case DIALER ->
                List.of(
                        event("event-bridge/jobs-waiting.json"),
                        event("event-bridge/container-ready.json"),
                        event("event-bridge/slot-freed.json"),
                        event("event-bridge/schedule.json"));
            case REGISTRATION -> List.of();
        };
    }

    /** The routes of functions that have several; they are asked for like the first, but for method and path. */
    private static List<String> otherRoutes(DeployedFunction deployed, List<String> answers) throws Exception {
        return switch (deployed) {
            case CALLS -> {
                JsonNode made = JSON.readTree(
                        JSON.readTree(answers.getFirst()).path("body").asText());
                String call = "/calls/" + made.findValue("id").asText();
                String first = event("api-gateway/calls.json");
                yield List.of(asking(first, "GET", call), asking(first, "DELETE", call));
            }
            case ORDERS -> {
                String orders = "/pools/acme/orders";
                String first = event("api-gateway/orders.json");
                yield List.of(asking(first, "GET", orders), asking(first, "DELETE", orders + "/pool"));
            }
            case ATTEMPTS -> {
                ran(DeployedFunction.FALLBACK); // begins the attempt
                yield List.of(event("api-gateway/attempt.json"));
            }
            default -> List.of();
        };
    }

    private static String asking(String event, String method, String path) throws IOException {
        ObjectNode asked = (ObjectNode) JSON.readTree(event);
        asked.put("routeKey", method + " " + path).put("rawPath", path).remove("body");
        ((ObjectNode) asked.at("/requestContext/http")).put("method", method).put("path", path);
        return asked.toString();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REGISTRATION")
    void each_function_is_rehearsed_before_its_snapshot(DeployedFunction deployed) throws Exception {
        Run run = ran(deployed);

        // Where the snapshot is taken: a call was rehearsed, and nobody in the real world was asked for anything.
        assertThat(run.rehearsed()).contains("\"rehearsed\"").doesNotContain("rehearsal-failed");
        assertThat(run.rehearsed()).as("lines about nobody").doesNotContain("\"answered\"", "_aws");
        assertThat(run.sockets()).as("sockets that the snapshot would keep").isEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REGISTRATION")
    void each_function_takes_its_payloads_once_it_is_restored(DeployedFunction deployed) throws Exception {
        Run run = ran(deployed);

        for (String answer : run.answers()) {
            assertAnswered(deployed, answer, run.printed());
        }
        for (String answer : run.otherRoutes()) {
            assertThat(JSON.readTree(answer).path("statusCode").asInt())
                    .as(answer + run.printed())
                    .isBetween(200, 204);
        }
        if (deployed == DeployedFunction.DIALER) {
            assertGaugesFor(run.printed().lines());
        }
        assertRefused(deployed, run.daily());
    }

    @Test
    void without_a_snapshot_a_function_answers_too() throws Exception {
        String printed = runners.submit(() -> {
                    try (PackagedFunction function = started(DeployedFunction.FALLBACK, false)) {
                        function.api().awaitReady(PATIENCE);
                        String answer = function.api().invoke(anotherCall(), PATIENCE);
                        assertAnswered(DeployedFunction.FALLBACK, answer, function.printed());
                        return function.printed();
                    }
                })
                .get();

        Optional<String> first = printed.lines()
                .filter(text -> text.contains("\"function_request_id\""))
                .findFirst();
        assertThat(first).as(printed).isPresent();
        JsonNode line = JSON.readTree(first.get());
        assertThat(line.path("level").asText()).isEqualTo("INFO");
        assertThat(line.path("service").asText()).isEqualTo("fallback");
        assertThat(line.path("function_name").asText()).isEqualTo("spillway-function");
        assertThat(line.path("function_request_id").asText()).isNotBlank();
        assertThat(line.path("cold_start").asBoolean()).isTrue();
    }

    /** The webhook of a call that no other function has heard of. */
    private static String anotherCall() throws IOException {
        ObjectNode event = (ObjectNode) JSON.readTree(event("api-gateway/fallback.json"));
        String body = new String(Base64.getDecoder().decode(event.path("body").asText()), StandardCharsets.UTF_8)
                .replaceFirst("CA\\d{32}", "CA" + "7".repeat(32));
        Map<String, String> form = FormBody.parse(body).orElseThrow();
        ((ObjectNode) event.path("headers"))
                .put(
                        "x-twilio-signature",
                        Signature.of(
                                FunctionGround.TOKEN,
                                FunctionGround.PUBLIC_URL
                                        + event.path("rawPath").asText(),
                                form));
        return event.put("body", Base64.getEncoder().encodeToString(body.getBytes(StandardCharsets.UTF_8)))
                .toString();
    }

    /** The minute's run measures every pool's slots, in lines that CloudWatch makes metrics of. */
    private static void assertGaugesFor(Stream<String> printed) throws IOException {
        Map<String, JsonNode> byPool = new TreeMap<>();
        for (String line :
                printed.filter(line -> line.contains("\"LiveSlots\":")).toList()) {
            JsonNode gauges = JSON.readTree(line);
            byPool.put(gauges.path("tenant").asText(), gauges);
        }
        assertThat(byPool).containsKeys("acme", "gateway");
        for (JsonNode gauges : byPool.values()) {
            JsonNode told = gauges.at("/_aws/CloudWatchMetrics/0");
            assertThat(told.path("Namespace").asText()).isEqualTo(MetricNames.NAMESPACE);
            assertThat(told.path("Metrics"))
                    .extracting(metric -> metric.path("Name").asText())
                    .contains(
                            "LiveSlots", "ReservedSlots", "CooldownSlots", "ReadySlots", "UsableSlots", "SlotCeiling");
            assertThat(gauges.path("UsableSlots").asDouble())
                    .isBetween(0.0, gauges.path("ReadySlots").asDouble());
            assertThat(gauges.path("SlotCeiling").asDouble()).isPositive();
        }
    }

    /** What keeps its snapshot from being laid by; those that run every minute need none. */
    private static void assertRefused(DeployedFunction deployed, String answer) throws IOException {
        if (deployed.everyMinute() || !deployed.announcements().isEmpty()) {
            assertThat(answer).isEqualTo("null");
        } else {
            assertThat(JSON.readTree(answer).path("statusCode").asInt()).isBetween(400, 499);
        }
    }

    private static void assertAnswered(DeployedFunction deployed, String answer, String printed) throws IOException {
        if (answer.equals("null")) {
            assertThat(deployed.everyMinute() || !deployed.announcements().isEmpty())
                    .as("no trigger but HTTP")
                    .isTrue();
            return;
        }
        JsonNode response = JSON.readTree(answer);
        int status = response.path("statusCode").asInt();
        switch (deployed) {
            case FALLBACK, CONTINUE, DIAL -> {
                assertThat(status).as(printed).isEqualTo(200);
                assertThat(response.path("body").asText()).contains("<Response>");
            }
            case CALLS -> assertThat(status).as(printed).isEqualTo(202);
            case ORDERS -> assertThat(status).as(answer + printed).isEqualTo(201);
            default -> assertThat(status).as(answer + printed).isBetween(200, 204);
        }
        assertThat(printed).doesNotContain("+1500555");
    }

    @Test
    void a_pool_is_registered_from_the_packaged_jar() throws Exception {
        List<JsonNode> told = new java.util.concurrent.CopyOnWriteArrayList<>();
        try (PackagedFunction function = started(DeployedFunction.REGISTRATION, false);
                LocalHttpServer cloudFormation = new LocalHttpServer("cloudformation", 0, request -> {
                    told.add(JSON.readTree(request.body()));
                    return LocalHttpServer.Response.json(200, "");
                })) {
            for (String file : List.of("pool", "listing")) {
                ObjectNode event = (ObjectNode) JSON.readTree(event("cloud-formation/" + file + ".json"));
                event.put("ResponseURL", cloudFormation.url() + "/answer");
                function.api().invoke(event.toString(), PATIENCE);
            }
            function.api().invoke(JSON.writeValueAsString(DailyCall.of(DeployedFunction.REGISTRATION)), PATIENCE);

            assertThat(told)
                    .extracting(answer -> answer.path("Status").asText())
                    .containsExactly("SUCCESS", "SUCCESS");
            String key = String.valueOf(ground.secrets().value("spillway/pool/globex/stream-key"));
            assertThat(Base64.getDecoder().decode(key)).hasSize(32);
            assertThat(function.printed()).doesNotContain("+1500555").doesNotContain(key);
        }
    }

    /** TCP sockets of the process, listening ones too, but for those to the Runtime API, which the runtime itself holds. */
    private static List<String> sockets(PackagedFunction function) throws IOException {
        long pid = function.pid();
        String address = function.api().address();
        String runtime = String.format(":%04X", Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
        List<String> inodes = new ArrayList<>();
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
            for (Path descriptor : descriptors) {
                String target = Files.readSymbolicLink(descriptor).toString();
                if (target.startsWith("socket:[")) {
                    inodes.add(target.substring("socket:[".length(), target.length() - 1));
                }
            }
        }
        List<String> found = new ArrayList<>();
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/net/" + table))) {
                String[] fields = line.strip().split("\\s+");
                if (fields.length > 9 && inodes.contains(fields[9]) && !fields[2].endsWith(runtime)) {
                    found.add(line.strip());
                }
            }
        }
        return found;
    }

    @Test
    void the_jar_has_35_megabytes_at_most_and_none_of_what_nobody_uses() throws IOException {
        assertThat(Files.size(JAR)).isLessThanOrEqualTo(35L * 1024 * 1024);
        try (JarFile jar = new JarFile(JAR.toFile())) {
            assertThat(jar.stream().map(entry -> entry.getName()))
                    .noneMatch(name -> name.startsWith("io/netty/")
                            || name.startsWith("software/amazon/awssdk/http/nio/")
                            || name.startsWith("software/amazon/awssdk/http/urlconnection/")
                            || name.startsWith("software/amazon/awssdk/http/apache/")
                            || name.startsWith("com/twilio/rest/")
                            || name.startsWith("org/apache/logging/"));
            assertThat(jar.getManifest().getMainAttributes().getValue("Multi-Release"))
                    .isEqualTo("true");
        }
    }
}
