package dev.spillway.load;

import static dev.spillway.load.Runs.load;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.Shape;
import dev.spillway.load.schedule.StartConditions;
import dev.spillway.load.schedule.SyntheticScript;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs through the command line, on the synthetic adapter. */
class RunTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private int run(Path schedule, String out, String... more) {
        List<String> arguments = new java.util.ArrayList<>(List.of(
                "run",
                "--schedule",
                schedule.toString(),
                "--consent",
                "--out",
                folder.resolve(out).toString()));
        arguments.addAll(List.of(more));
        if (!arguments.contains("--criteria")) {
            arguments.addAll(List.of("--criteria", fidelity().toString()));
        }
        return load(arguments.toArray(String[]::new));
    }

    /** Without a rule on lateness: the machine that runs these tests may be busy. */
    private Path fidelity() {
        Path file = folder.resolve("fidelity.json");
        try {
            Files.writeString(file, """
                    {"owner": "tests", "rationale": "all that is scheduled is offered",
                     "validity": [{"measure": "generatorDropped", "most": 0}, {"measure": "notAttempted", "most": 0}]}
                    """);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return file;
    }

    private JsonNode report(String out) throws IOException {
        return new ObjectMapper()
                .readTree(folder.resolve(out).resolve("report.json").toFile());
    }

    private static CallClass scripted(SyntheticScript.Result result) {
        return Runs.scripted("scripted", new SyntheticScript(0.01, result));
    }

    private Path schedule(Schedule schedule) throws IOException {
        return Runs.write(schedule, folder);
    }

    @Test
    void aGoodRunIsReportedAndRebuiltByteForByte() throws Exception {
        Path schedule = schedule(Runs.schedule(0, 0, 0.02));

        assertThat(run(schedule, "good", "--service", "0.01")).isZero();

        JsonNode report = report("good");
        assertThat(report.path("scheduled").asInt()).isEqualTo(3);
        assertThat(report.path("started").asInt()).isEqualTo(3);
        assertThat(report.path("outcomes").path("completed").asInt()).isEqualTo(3);
        assertThat(report.path("valid").asBoolean()).isTrue();
        assertThat(report.path("scheduleSha256").asText()).hasSize(64);
        assertThat(report.path("startLatenessMs").path("p99").isNumber()).isTrue();
        assertThat(report.path("responseLatencyMs").path("count").asInt()).isEqualTo(3);
        assertThat(report.path("boundaries").path("audibility").asText()).isEqualTo("unavailable");
        assertThat(report.path("boundaries").path("queueAge").asText()).isEqualTo("unavailable");
        assertThat(Files.readString(folder.resolve("good/summary.txt")))
                .contains("the adapter reached its declared endpoint")
                .contains("cores of CPU");
        byte[] json = Files.readAllBytes(folder.resolve("good/report.json"));
        byte[] html = Files.readAllBytes(folder.resolve("good/report.html"));
        Files.delete(folder.resolve("good/report.json"));
        Files.delete(folder.resolve("good/ledger.jsonl"));
        assertThat(load("report", folder.resolve("good").toString())).isZero();
        assertThat(folder.resolve("good/report.json")).hasBinaryContent(json);
        assertThat(folder.resolve("good/report.html")).hasBinaryContent(html);
        assertThat(Files.readAllLines(folder.resolve("good/ledger.jsonl"))).hasSize(3);
        assertThat(Files.readString(folder.resolve("good/report.html")))
                .doesNotContain("<script")
                .doesNotContain("http")
                .contains(">CPU<")
                .contains("garbage collection")
                .contains("probe call")
                .contains("operations left over")
                .contains("arrivals scheduled");
    }

    @Test
    void withoutConsentOrWithASecondRunInOneFolderNothingHappens() throws Exception {
        Path schedule = schedule(Runs.schedule(0));

        assertThat(load(
                        "run",
                        "--schedule",
                        schedule.toString(),
                        "--out",
                        folder.resolve("x").toString()))
                .isEqualTo(2);
        assertThat(folder.resolve("x")).doesNotExist();
        assertThat(run(schedule, "x", "--service", "0")).isZero();
        assertThat(run(schedule, "x", "--service", "0")).isEqualTo(2);
        assertThat(run(schedule, "y", "--adapter", "http", "--url", "http://calls.example/"))
                .isEqualTo(2);
        assertThat(folder.resolve("y")).doesNotExist();
    }

    @Test
    void aGeneratorThatIsTooSmallIsAnInvalidRunAndNoSlowService() throws Exception {
        Path schedule = schedule(Runs.schedule(0, 0, 0));

        assertThat(run(schedule, "small", "--service", "0.2", "--max-in-flight", "2"))
                .isEqualTo(2);

        JsonNode report = report("small");
        assertThat(report.path("valid").asBoolean()).isFalse();
        assertThat(report.path("outcomes").path("generator-dropped").asInt()).isEqualTo(1);
        assertThat(report.path("started").asInt()).isEqualTo(2);
        assertThat(report.path("firstSaturatedBoundary").path("name").asText()).isEqualTo("generator");
        assertThat(report.path("shares").path("ofScheduled").path("completed").asDouble())
                .isEqualTo(0.666667);
        assertThat(report.path("shares").path("ofStarted").path("completed").asDouble())
                .isEqualTo(1);
    }

    @Test
    void serviceCriteriaAreJudgedApartFromValidity() throws Exception {
        Path schedule = schedule(Runs.schedule(scripted(SyntheticScript.Result.REJECT), 0, 0));
        Path criteria = folder.resolve("criteria.json");
        Files.writeString(criteria, """
                {"owner": "operations", "rationale": "callers are not sent away",
                 "service": [{"measure": "rejectedShareOfStarted", "most": 0.1}]}
                """);

        assertThat(run(schedule, "refused", "--criteria", criteria.toString())).isEqualTo(3);

        JsonNode report = report("refused");
        assertThat(report.path("valid").asBoolean()).isTrue();
        assertThat(report.path("serviceMet").asBoolean()).isFalse();
        assertThat(report.path("service").path(0).path("owner").asText()).isEqualTo("operations");
        assertThat(report.path("firstSaturatedBoundary").path("name").asText()).isEqualTo("admission");
        assertThat(Files.readString(folder.resolve("refused/junit.xml"))).contains("failures=\"1\"");
        Files.writeString(folder.resolve("refused/criteria.json"), "{\"service\": []}");
        assertThat(load("report", folder.resolve("refused").toString())).isEqualTo(2);
    }

    @Test
    void everyScriptedResultHasItsOutcome() throws Exception {
        assertThat(outcome(SyntheticScript.Result.FAIL)).isEqualTo("adapter-error");
        assertThat(outcome(SyntheticScript.Result.HANG)).isEqualTo("timeout");
        assertThat(outcome(SyntheticScript.Result.BREAK)).isEqualTo("unknown");
        assertThat(outcome(SyntheticScript.Result.REFUSE_CONNECTION)).isEqualTo("connection-refused");
    }

    private String outcome(SyntheticScript.Result result) throws IOException {
        Path schedule = schedule(Runs.schedule(scripted(result), 0));
        run(schedule, result.text(), "--timeout", "0.2", "--service", "0.01");
        return report(result.text()).path("outcomes").fieldNames().next();
    }

    private Path authorisation(int concurrency) throws IOException {
        Path file = folder.resolve("authorisation.json");
        Files.writeString(file, """
                {"owner": "operations", "expires": "2999-12-01T00:00:00Z", "destinations": ["calls.example"],
                 "maxConcurrency": %d, "maxPerSecond": 50, "maxSeconds": 60, "quotas": {}, "sideEffects": []}
                """.formatted(concurrency));
        return file;
    }

    @Test
    void moreThanIsAuthorisedIsNeverInFlight() throws Exception {
        // foreseen one after the other, and slower than that
        List<Arrival> arrivals = List.of(
                Arrival.at(0, 0, 0.2, "slow"), Arrival.at(1, 0.3, 0.2, "slow"), Arrival.at(2, 0.6, 0.2, "slow"));
        CallClass slow = Runs.scripted("slow", new SyntheticScript(2.0, SyntheticScript.Result.COMPLETE));
        Path schedule = schedule(new Schedule(
                "slow",
                "",
                null,
                null,
                null,
                StartConditions.NONE,
                java.util.Map.of("slow", slow),
                List.of(),
                0,
                arrivals));

        assertThat(run(schedule, "held", "--authorisation", authorisation(2).toString()))
                .isEqualTo(2);

        assertThat(report("held").path("outcomes").path("generator-dropped").asInt())
                .isEqualTo(1);
        assertThat(report("held").path("outcomes").path("completed").asInt()).isEqualTo(2);
    }

    @Test
    void aRunWhoseAuthorisationOrHostsWereChangedAfterwardsIsInvalid() throws Exception {
        Path schedule = schedule(Runs.schedule(0));
        assertThat(run(
                        schedule,
                        "edited",
                        "--service",
                        "0",
                        "--authorisation",
                        authorisation(5).toString()))
                .isZero();
        Path copy = folder.resolve("edited/authorisation.json");
        String given = Files.readString(copy);
        Files.writeString(copy, given.replace("calls.example", "others.example"));
        assertThat(load("report", folder.resolve("edited").toString())).isEqualTo(2);
        Files.writeString(copy, given);
        assertThat(load("report", folder.resolve("edited").toString())).isZero();

        Path manifest = folder.resolve("edited/run.json");
        Files.writeString(
                manifest,
                Files.readString(manifest)
                        .replaceAll("\"hosts\" ?: ?\\[[^\\]]*\\]", "\"hosts\": [\"others.example\"]"));
        assertThat(load("report", folder.resolve("edited").toString())).isEqualTo(2);
    }

    @Test
    void anUnexpectedEffectIsNeverAGoodRun() throws Exception {
        Path schedule = schedule(Runs.schedule(0));
        assertThat(run(schedule, "late", "--service", "0")).isZero();

        Files.writeString(
                folder.resolve("late/journal.jsonl"),
                "{\"e\":\"unexpected\",\"t\":9000,\"what\":\"a number was dialled\"}\n",
                java.nio.file.StandardOpenOption.APPEND);

        assertThat(load("report", folder.resolve("late").toString())).isEqualTo(3);
        assertThat(report("late").path("service").findValuesAsText("measure")).contains("noUnexpectedEffects");
    }

    @Test
    void anInvalidScheduleIsRefused() throws Exception {
        Path file = folder.resolve("bad.json");
        Files.writeString(file, "{\"schedule\": 1}");

        assertThat(run(file, "bad")).isEqualTo(2);
        assertThat(folder.resolve("bad")).doesNotExist();
    }

    private static String printed(Runnable what) {
        java.io.PrintStream before = System.out;
        var bytes = new java.io.ByteArrayOutputStream();
        System.setOut(new java.io.PrintStream(bytes, true, java.nio.charset.StandardCharsets.UTF_8));
        try {
            what.run();
        } finally {
            System.setOut(before);
        }
        return bytes.toString(java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void aDryRunOffersNothingAndSaysWhatItWouldCost() throws Exception {
        // two calls of one turn, each guessed at 4 s: 8 s of six calls on a container
        Path schedule = schedule(Runs.schedule(0, 0));

        String slow = printed(() -> assertThat(load("run", "--schedule", schedule.toString(), "--dry-run"))
                .isZero());
        String fast =
                printed(() -> assertThat(load("run", "--schedule", schedule.toString(), "--dry-run", "--speed", "10"))
                        .isZero());

        assertThat(slow)
                .contains("2, at most 2 within a second")
                .contains("2 calls")
                .contains("0.1 minutes in all, over 4.0 s");
        assertThat(slow.lines().filter(line -> line.startsWith("estimated cost")))
                .isNotEmpty()
                .containsExactlyElementsOf(fast.lines()
                        .filter(line -> line.startsWith("estimated cost"))
                        .toList());
    }

    @Test
    void whatTheToolDoesNotObserveIsUnavailableAndNoFault() throws Exception {
        Path schedule = schedule(Runs.schedule(0));
        Path criteria = folder.resolve("own.json");
        Files.writeString(criteria, "{\"owner\": \"tests\", \"rationale\": \"none\", \"service\": []}");

        run(schedule, "unobserved", "--service", "0", "--criteria", criteria.toString());

        JsonNode frames = null;
        for (JsonNode finding : report("unobserved").path("validity")) {
            frames = finding.path("measure").asText().equals("framesLateShare") ? finding : frames;
        }
        JsonNode found = java.util.Objects.requireNonNull(frames);
        assertThat(found.path("actual").isNull()).isTrue();
        assertThat(found.path("met").asBoolean()).isTrue();
    }

    @Test
    void tooMuchMemoryEndsTheRun() throws Exception {
        Path schedule = schedule(Runs.schedule(0, 300));

        assertThat(run(schedule, "large", "--service", "0", "--max-memory", "1"))
                .isEqualTo(2);

        assertThat(report("large").path("stopped").asText()).contains("more than 1");
    }

    @Test
    void outboundCallsOfADeployedSystemWouldNotComeHere() throws Exception {
        Path info = folder.resolve("info.json");
        Files.writeString(info, """
                {"apiUrl": "http://127.0.0.1:1/", "tenants": [{"id": "one", "number": "+15005550006",
                 "accountSid": "AC1", "authToken": "t", "loadBalancerUrl": "http://127.0.0.1:2/"}]}
                """);
        Path file = folder.resolve("outbound.json");
        assertThat(load("schedule", "spike", "--calls", "1", "--direction", "outbound", "-o", file.toString()))
                .isZero();

        assertThat(run(file, "out", "--adapter", "twilio-media", "--info", info.toString()))
                .isEqualTo(2);
        assertThat(folder.resolve("out")).doesNotExist();
        assertThat(run(file, "out", "--adapter", "http", "--url", "http://127.0.0.1:1/?to=%2B49891234567"))
                .isEqualTo(2);
    }

    @Test
    void aScheduleSaysHowItsClassesAndRetriesWereDrawn() throws Exception {
        Path file = folder.resolve("mixed.json");
        Path times = folder.resolve("times.csv");
        Files.writeString(times, "time,class\n2026-01-01T00:00:00Z,a\n");

        assertThat(load(
                        "schedule",
                        "spike",
                        "--calls",
                        "4",
                        "--mix",
                        "often=3,rare=1",
                        "--retries",
                        "0.5:10",
                        "-o",
                        file.toString()))
                .isZero();
        assertThat(Files.readString(file))
                .contains("classes {often=3.0, rare=1.0}: for each arrival u of java.util.Random(seed ^ 0x5deece66d)")
                .contains("retries 0.5:10: for each arrival u of java.util.Random(seed ^ 0x2545f491)");
        assertThat(load("schedule", "from", "--from", times.toString(), "--mix", "a=1,b=1"))
                .isEqualTo(2);
    }

    @Test
    void everyScheduleOfTheCheckoutIsValid() throws Exception {
        List<Path> files = new java.util.ArrayList<>();
        for (String place : List.of("../../tests/load/schedules", "../../tests/simulation/schedules")) {
            try (var all = Files.list(Path.of(place))) {
                all.filter(file -> file.toString().endsWith(".json")).forEach(files::add);
            }
        }

        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .contains("thirty-in-ten.json", "saturation.json");
        for (Path file : files) {
            assertThat(load("schedule", "check", "--from", file.toString()))
                    .as(file.toString())
                    .isZero();
        }
    }

    @Test
    void aRunThatWasKilledReportsItsMissingRows() throws Exception {
        Path schedule = schedule(Runs.schedule(Shape.constant(100, 30)));
        Path out = folder.resolve("killed");
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.spillway.load.LoadCli",
                        "run",
                        "--schedule",
                        schedule.toString(),
                        "--consent",
                        "--service",
                        "0.05",
                        "--out",
                        out.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("killed.log").toFile())
                .start();
        Path journal = out.resolve("journal.jsonl");
        await().atMost(Duration.ofSeconds(20)).until(() -> Files.exists(journal) && Files.size(journal) > 35_000);

        process.destroyForcibly();
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();

        assertThat(load("report", out.toString())).isEqualTo(2);
        JsonNode report = new ObjectMapper().readTree(out.resolve("report.json").toFile());
        assertThat(report.path("scheduled").asInt()).isEqualTo(3_000);
        int completed = report.path("outcomes").path("completed").asInt();
        assertThat(completed).isGreaterThan(20);
        assertNothingInBetweenIsLost(journal);
        assertThat(report.path("missing").asInt()).isEqualTo(3_000 - completed).isPositive();
        assertThat(report.path("valid").asBoolean()).isFalse();
    }

    /** The journal is in the order of what happened: what a kill takes is its end, and no line before. */
    private static void assertNothingInBetweenIsLost(Path journal) throws IOException {
        double last = 0;
        java.util.Map<Integer, Double> starts = new java.util.HashMap<>();
        java.util.Set<Integer> rows = new java.util.HashSet<>();
        for (String line : Files.readAllLines(journal)) {
            JsonNode node;
            try {
                node = new ObjectMapper().readTree(line);
            } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
                continue; // the last line of a process that was killed
            }
            if (node.path("e").asText().equals("start")) {
                starts.put(node.path("id").asInt(), node.path("t").doubleValue());
                last = Math.max(last, node.path("t").doubleValue());
            } else if (node.path("e").asText().equals("row")) {
                rows.add(node.path("id").asInt());
                last = Math.max(last, node.path("finished").doubleValue());
            }
        }
        for (java.util.Map.Entry<Integer, Double> start : starts.entrySet()) {
            // each takes 50 ms; the thread that runs it may be late itself, on a busy machine by much
            if (start.getValue() < last - 1_000) {
                assertThat(rows).contains(start.getKey());
            }
        }
        int newest = starts.keySet().stream().max(Integer::compare).orElseThrow();
        for (int id = 0; id < newest - 100; id++) { // a second's worth of threads may have begun in another order
            assertThat(starts).containsKey(id);
        }
    }

    @Test
    void runsAreComparedIfOnePolicyWasChanged() throws Exception {
        Path schedule = schedule(Runs.schedule(0, 0.01));
        run(schedule, "a", "--service", "0.05", "--policy", "warm=1");
        run(schedule, "b", "--service", "0.05", "--policy", "warm=2");
        run(schedule, "c", "--service", "0.01", "--policy", "warm=3");
        run(schedule(Runs.schedule(0, 0, 0.01)), "d", "--service", "0.05", "--policy", "warm=1");

        assertThat(compare("a", "b")).isZero();
        assertThat(compare("a", "c")).isEqualTo(2);
        assertThat(compare("a", "c", "--force")).isZero();
        assertThat(compare("a", "d", "--force")).isEqualTo(2);
    }

    private int compare(String one, String other, String... more) {
        List<String> arguments = new java.util.ArrayList<>(List.of(
                "compare",
                folder.resolve(one).toString(),
                folder.resolve(other).toString(),
                "--hypothesis",
                "a warm container lets the first wave be served at once"));
        arguments.addAll(List.of(more));
        return load(arguments.toArray(String[]::new));
    }

    @Test
    void theLedgersOfSeveralHostsAreOneRun() throws Exception {
        run(schedule(Runs.schedule(0, 0.01)), "one", "--service", "0.01");
        run(schedule(Runs.schedule(0, 0.01, 0.02)), "two", "--service", "0.01");

        assertThat(load(
                        "merge",
                        folder.resolve("one").toString(),
                        folder.resolve("two").toString(),
                        "--clock-uncertainty",
                        "50",
                        "--out",
                        folder.resolve("both").toString()))
                .isZero();

        JsonNode report = report("both");
        assertThat(report.path("scheduled").asInt()).isEqualTo(5);
        assertThat(report.path("outcomes").path("completed").asInt()).isEqualTo(5);
        assertThat(report.path("workload").path("clockUncertaintyMs").asInt()).isEqualTo(50);
        for (String page : List.of("summary.txt", "report.html")) {
            assertThat(Files.readString(folder.resolve("both").resolve(page)))
                    .contains("ledgers of 2 hosts; times of different hosts may be off by 50 ms");
        }
    }

    @Test
    void what_is_not_there_or_not_understood_runs_nothing() {
        String nowhere = folder.resolve("nowhere.json").toString();

        assertThat(load("schedule", "check", "--from", nowhere)).isEqualTo(2);
        assertThat(load("report", nowhere)).isEqualTo(2);
        assertThat(load("schedule", "spike", "--calls", "3", "--direction", "sideways", "-o", nowhere))
                .isEqualTo(2);
    }

    @Test
    void schedulesAreWrittenAndChecked() throws Exception {
        Path file = folder.resolve("waves.json");

        assertThat(load("schedule", "waves", "--waves", "2", "--calls", "3", "--apart", "5", "-o", file.toString()))
                .isZero();
        assertThat(load("schedule", "check", "--from", file.toString())).isZero();
        assertThat(Files.readString(file)).contains("\"waves\": [0,5]");
    }
}
