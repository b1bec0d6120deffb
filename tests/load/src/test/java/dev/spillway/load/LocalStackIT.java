package dev.spillway.load;

import static dev.spillway.load.Runs.load;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.adapter.Target;
import dev.spillway.load.adapter.TwilioMediaAdapter;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import dev.spillway.load.schedule.Ending;
import dev.spillway.load.schedule.SyntheticScript;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Phone calls through a whole local stack: every outcome is provoked for real. Five minutes, and only on an idle machine:
 * {@code -Dspillway.load-stack=true}.
 */
@EnabledIfSystemProperty(named = "spillway.load-stack", matches = "true")
@SuppressWarnings("NullAway.Init")
class LocalStackIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path folder;

    private static LocalStack stack;

    @BeforeAll
    static void start() throws Exception {
        assumeThat(LocalStack.isBuilt()).as("tests/system is not built").isTrue();
        stack = LocalStack.start(folder);
    }

    @AfterAll
    static void stop() throws Exception {
        if (stack != null) {
            stack.close();
        }
    }

    private static Path given(String name) {
        return Tool.home().resolve("tests/load/schedules/" + name + ".json");
    }

    private static List<String> arguments(Path schedule, Path info, String out, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "run",
                "--schedule",
                schedule.toString(),
                "--adapter",
                "twilio-media",
                "--info",
                info.toString(),
                "--consent",
                "--out",
                folder.resolve(out).toString()));
        arguments.addAll(Arrays.asList(more));
        return arguments;
    }

    private static int run(Path schedule, String out, String... more) {
        return load(arguments(schedule, stack.info(), out, more).toArray(String[]::new));
    }

    private static JsonNode report(String out) throws IOException {
        return JSON.readTree(folder.resolve(out).resolve("report.json").toFile());
    }

    private static Map<String, Integer> outcomes(String out) throws IOException {
        Map<String, Integer> outcomes = new HashMap<>();
        report(out)
                .path("outcomes")
                .properties()
                .forEach(entry -> outcomes.put(entry.getKey(), entry.getValue().asInt()));
        return outcomes;
    }

    private static List<JsonNode> rows(String out) throws IOException {
        List<JsonNode> rows = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve(out).resolve("ledger.jsonl"))) {
            rows.add(JSON.readTree(line));
        }
        return rows;
    }

    private static Path one(double... times) throws IOException {
        return Runs.write(Runs.schedule(CallClass.ofTurns("default", 1), times), folder);
    }

    @Test
    void everyClassComesOutAsItsScriptSays() throws Exception {
        run(given("every-class"), "classes", "--quiet", "40");

        assertThat(outcomes("classes")).isEqualTo(Map.of("completed", 7, "unanswered", 2));
        JsonNode report = report("classes");
        assertThat(report.path("responseLatencyMs").path("count").asInt()).isGreaterThan(8);
        assertThat(report.path("audio").path("wrongGenerationTurns").asInt()).isZero();
        assertThat(report.path("audio").path("wrongPersonaUtterances").asInt()).isZero();
        assertThat(report.path("populations")
                        .path("outboundWaitMs")
                        .path("count")
                        .asInt())
                .isEqualTo(2);
        assertThat(report.path("boundaries").path("firstReceivedAudio").asText())
                .contains("observed");
        assertThat(rows("classes").get(1).path("turns").findValuesAsText("manner"))
                .contains("interrupt");
        assertThat(rows("classes").get(2).path("turns").findValuesAsText("manner"))
                .contains("correct");
        assertThat(Files.readString(folder.resolve("classes/ledger.jsonl")))
                .as("no phone number is in the ledger")
                .doesNotContain("+1500555");
    }

    @Test
    void whoFindsNoRoomIsRefused() throws Exception {
        run(given("saturation"), "saturation", "--start-wait", "240", "--quiet", "5");

        Map<String, Integer> outcomes = outcomes("saturation");
        assertThat(outcomes.getOrDefault("rejected", 0)).isPositive();
        assertThat(outcomes.getOrDefault("completed", 0)).isGreaterThanOrEqualTo(12);
        assertThat(outcomes.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(20);
        assertThat(report("saturation")
                        .path("firstSaturatedBoundary")
                        .path("name")
                        .asText())
                .isEqualTo("admission");
    }

    @Test
    void whoStaysKeepsHisSlotInAStormOfHangUps() throws Exception {
        run(given("cancellation-storm"), "storm", "--quiet", "40");

        assertThat(outcomes("storm").getOrDefault("completed", 0)).isGreaterThanOrEqualTo(8);
        assertThat(rows("storm").stream()
                        .filter(row -> row.path("class").asText().equals("stays"))
                        .map(row -> row.path("outcome").asText()))
                .containsOnly("completed");
        JsonNode last = null;
        for (JsonNode look : report("storm").path("inventory")) {
            last = look;
        }
        assertThat(last).isNotNull();
        assertThat(last.path("claims").asInt(-1))
                .as("no late callback takes a slot again")
                .isZero();
        assertThat(last.path("held").asInt(-1)).isZero();
        for (JsonNode row : rows("storm")) {
            assertThat(lateCallback(row.path("call").path("sid").asText())).isBetween(200, 299);
        }
        try (var adapter = new TwilioMediaAdapter(Target.read(stack.info(), Map.of()), List.of("globex"), 1)) {
            assertThat(adapter.inventory().orElseThrow().read().claims())
                    .as("a callback that comes once more, late, restores nothing")
                    .isZero();
        }
    }

    /** Twilio tells the end of a call once more, long after it; signed as Twilio signs. */
    private static int lateCallback(String callSid) throws Exception {
        JsonNode info = JSON.readTree(stack.info().toFile());
        JsonNode globex = null;
        for (JsonNode tenant : info.path("tenants")) {
            globex = tenant.path("id").asText().equals("globex") ? tenant : globex;
        }
        JsonNode tenant = java.util.Objects.requireNonNull(globex);
        String url = info.path("apiUrl").asText().replaceAll("/$", "") + "/twilio/status/globex/0";
        var fields = new java.util.TreeMap<>(Map.of(
                "AccountSid", tenant.path("accountSid").asText(),
                "CallSid", callSid,
                "CallStatus", "completed",
                "CallDuration", "1",
                "Direction", "inbound",
                "From", "+15005551000",
                "To", tenant.path("number").asText()));
        StringBuilder signed = new StringBuilder(url);
        StringBuilder form = new StringBuilder();
        fields.forEach((name, value) -> {
            signed.append(name).append(value);
            form.append(form.isEmpty() ? "" : "&")
                    .append(name)
                    .append('=')
                    .append(java.net.URLEncoder.encode(value, java.nio.charset.StandardCharsets.UTF_8));
        });
        var mac = javax.crypto.Mac.getInstance("HmacSHA1");
        mac.init(new javax.crypto.spec.SecretKeySpec(
                tenant.path("authToken").asText().getBytes(java.nio.charset.StandardCharsets.UTF_8), "HmacSHA1"));
        String signature = java.util.Base64.getEncoder()
                .encodeToString(mac.doFinal(signed.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        try (var client = java.net.http.HttpClient.newHttpClient()) {
            return client.send(
                            java.net.http.HttpRequest.newBuilder(java.net.URI.create(url))
                                    .header("Content-Type", "application/x-www-form-urlencoded")
                                    .header("X-Twilio-Signature", signature)
                                    .POST(java.net.http.HttpRequest.BodyPublishers.ofString(form.toString()))
                                    .build(),
                            java.net.http.HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }

    @Test
    void eachWaveFindsAnEmptyHouse() throws Exception {
        run(given("waves-with-cleanup"), "waves", "--quiet", "40");

        assertThat(outcomes("waves")).isEqualTo(Map.of("completed", 9));
        List<JsonNode> before = new ArrayList<>();
        report("waves").path("inventory").forEach(look -> {
            if (look.path("when").asText().startsWith("before wave")) {
                before.add(look);
            }
        });
        assertThat(before).hasSize(3);
        assertThat(before)
                .allSatisfy(look -> assertThat(look.path("claims").asInt()).isZero());
    }

    @Test
    void whatExpiresWhileItWaitsIsNeverDialledAfterwards() throws Exception {
        run(given("expiry-while-waiting"), "expiry", "--speed", "2", "--quiet", "5");

        List<JsonNode> impatient = rows("expiry").stream()
                .filter(row -> row.path("class").asText().equals("impatient"))
                .toList();
        assertThat(impatient).extracting(row -> row.path("outcome").asText()).containsOnly("rejected");
        assertThat(report("expiry").path("stopped").isNull())
                .as("an unexpected dial stops the run")
                .isTrue();
    }

    @Test
    void timeOutsAndDropsAreTheGeneratorsOwn() throws Exception {
        // waits for an agent to hang up that never does; the time of its one turn is a guess of 4 s
        CallClass patient = new CallClass(
                "patient",
                CallClass.ofTurns("patient", 1).turns(),
                Ending.BY_AGENT,
                Direction.INBOUND,
                1,
                null,
                0,
                null,
                null,
                List.of(),
                null,
                null,
                SyntheticScript.PLAIN);
        Path endless = Runs.write(Runs.schedule(patient, 0), folder);
        run(endless, "timeout", "--timeout", "0.001", "--quiet", "10");
        assertThat(outcomes("timeout")).isEqualTo(Map.of("timeout", 1));
        assertThat(report("timeout")
                        .path("timeoutsWaitedAtLeastMs")
                        .path("count")
                        .asInt())
                .isEqualTo(1);
        assertThat(run(one(0, 0.1), "dropped", "--max-in-flight", "1", "--quiet", "10"))
                .isEqualTo(2);

        assertThat(outcomes("dropped")).containsEntry("generator-dropped", 1);
    }

    @Test
    void aWrongTokenIsAnAdapterErrorAndAClosedDoorIsNoRequest() throws Exception {
        ObjectNode wrong = (ObjectNode) JSON.readTree(stack.info().toFile());
        wrong.remove("twilioUrl");
        wrong.path("tenants").forEach(tenant -> ((ObjectNode) tenant).put("authToken", "wrong"));
        Path other = folder.resolve("wrong.json");
        JSON.writeValue(other.toFile(), wrong);
        load(arguments(one(0), other, "wrong", "--quiet", "1").toArray(String[]::new));
        assertThat(outcomes("wrong")).isEqualTo(Map.of("adapter-error", 1));

        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            moved(wrong, closed.getLocalPort());
        }
        JSON.writeValue(other.toFile(), wrong);
        load(arguments(one(0), other, "closed", "--quiet", "1").toArray(String[]::new));
        assertThat(outcomes("closed")).isEqualTo(Map.of("connection-refused", 1));
    }

    @Test
    void whatIsNotAnsweredIsUnknown() throws Exception {
        ObjectNode mute = (ObjectNode) JSON.readTree(stack.info().toFile());
        mute.remove("twilioUrl");
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread hanging = Thread.ofVirtual().start(() -> hangUp(server));
            moved(mute, server.getLocalPort());
            Path other = folder.resolve("mute.json");
            JSON.writeValue(other.toFile(), mute);
            load(arguments(one(0), other, "mute", "--quiet", "1").toArray(String[]::new));
            hanging.interrupt();
        }

        assertThat(outcomes("mute")).isEqualTo(Map.of("unknown", 1));
    }

    private static void hangUp(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                if (socket.getInputStream().read(new byte[4_096]) < 0) {
                    return;
                }
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private static void moved(ObjectNode info, int port) {
        String url = "http://127.0.0.1:" + port;
        info.put("apiUrl", url);
        info.path("tenants").forEach(tenant -> ((ObjectNode) tenant).put("loadBalancerUrl", url));
    }

    @Test
    void ctrlCLeavesARowForEveryArrival() throws Exception {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.spillway.load.LoadCli"));
        Path schedule = Runs.write(Runs.schedule(CallClass.ofTurns("default", 50), 0, 0, 300, 300), folder);
        command.addAll(arguments(schedule, stack.info(), "interrupted"));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("interrupted.log").toFile())
                .start();
        Path journal = folder.resolve("interrupted/journal.jsonl");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> Files.exists(journal)
                        && Files.readString(journal)
                                        .lines()
                                        .filter(line -> line.contains("\"e\":\"start\""))
                                        .count()
                                == 2);

        process.destroy(); // SIGTERM goes the way of Ctrl-C
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(outcomes("interrupted")).isEqualTo(Map.of("canceled", 2, "not-attempted", 2));
        assertThat(report("interrupted").path("stopped").asText()).isEqualTo("interrupted");
    }
}
