package dev.spillway.load.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.ledger.Journal;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.report.Report;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.ScheduleWriter;
import dev.spillway.load.schedule.StartConditions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs that are written by hand, beside each other and as one. */
class ComparisonTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long SECOND = 1_000_000_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private static Row row(int id, Outcome outcome, long millis) {
        return new Row(
                id,
                "default",
                Direction.INBOUND,
                id * SECOND,
                id * SECOND,
                null,
                id * SECOND + millis * 1_000_000,
                outcome,
                "",
                id == 2 ? Integer.valueOf(0) : null,
                null);
    }

    /** Three arrivals, the last a retry of the first. */
    private Bundle run(String name, List<Row> rows, Consumer<ObjectNode> manifest, String... notes) throws IOException {
        Bundle bundle = new Bundle(Files.createDirectories(folder.resolve(name)));
        byte[] schedule = ScheduleWriter.write(new Schedule(
                        "three",
                        "",
                        null,
                        null,
                        null,
                        StartConditions.NONE,
                        Map.of("default", CallClass.ofTurns("default", 1)),
                        List.of(),
                        0,
                        List.of(
                                Arrival.at(0, 0, null, "default"),
                                Arrival.at(1, 1, null, "default"),
                                new Arrival(2, 2, null, "default", null, 0))))
                .getBytes(StandardCharsets.UTF_8);
        Files.write(bundle.schedule(), schedule);
        ObjectNode node = JSON.createObjectNode()
                .put("run", 1)
                .put("startedAt", "2026-11-30T00:00:00Z")
                .put("scheduleSha256", Bundle.sha256(schedule))
                .put("scheduled", 3)
                .put("definitionsSha256", Outcome.definitionsSha256())
                .put("speed", 1)
                .put("maxInFlight", 9)
                .put("timeoutSeconds", 5)
                .put("containerHourDollars", 3_600);
        node.putNull("criteriaSha256").putNull("authorisationSha256").putArray("hosts");
        node.putObject("adapter")
                .put("name", "synthetic")
                .put("endpoint", "the return")
                .putObject("settings")
                .put("apiUrl", "http://127.0.0.1:4711/");
        manifest.accept(node);
        Files.writeString(bundle.run(), node.toPrettyString());
        try (Journal journal = new Journal(bundle.journal())) {
            rows.forEach(journal::settled);
            for (String note : notes) {
                journal.note(note);
            }
            journal.note("{\"e\":\"end\",\"t\":5000,\"leftOver\":1}");
        }
        return bundle;
    }

    private static List<Row> completed(long millis) {
        return List.of(
                row(0, Outcome.COMPLETED, millis),
                row(1, Outcome.COMPLETED, millis),
                row(2, Outcome.COMPLETED, millis));
    }

    private static Comparison compared(Bundle a, Bundle b) throws IOException {
        return Comparison.of(Report.of(a), Report.of(b));
    }

    private Comparison against(Consumer<ObjectNode> manifest) throws IOException {
        return compared(run("a", completed(100), any -> {}), run("b", completed(100), manifest));
    }

    @Test
    void anotherPortOfTheLocalStackIsNoChange() throws Exception {
        Comparison comparison = against(
                manifest -> ((ObjectNode) manifest.at("/adapter/settings")).put("apiUrl", "http://127.0.0.1:4999/"));

        assertThat(comparison.refusals()).isEmpty();
        assertThat(comparison.changes()).isEmpty();
    }

    @Test
    void anotherHostIsAChange() throws Exception {
        assertThat(against(manifest ->
                                ((ObjectNode) manifest.at("/adapter/settings")).put("apiUrl", "http://calls.example/"))
                        .changes())
                .hasSize(1);
    }

    @Test
    void anotherSpeedIsOtherWork() throws Exception {
        assertThat(against(manifest -> manifest.put("speed", 2)).refusals())
                .singleElement()
                .asString()
                .contains("different speeds");
    }

    @Test
    void anotherEndpointOrOtherDefinitionsAreRefused() throws Exception {
        assertThat(against(manifest -> ((ObjectNode) manifest.path("adapter")).put("endpoint", "the first byte"))
                        .refusals())
                .singleElement()
                .asString()
                .contains("different endpoints");
    }

    @Test
    void otherDefinitionsOfTheOutcomesAreRefused() throws Exception {
        assertThat(against(manifest -> manifest.put("definitionsSha256", "0")).refusals())
                .singleElement()
                .asString()
                .contains("defined differently");
    }

    @Test
    void whatTheSystemSaysOfItselfIsWhatHasChanged() throws Exception {
        String system =
                "{\"e\":\"system\",\"t\":0,\"when\":\"start\",\"system\":{\"acme\":{\"policy\":{\"limit\":%d,\"minimum\":1}}}}";
        Bundle six = run("six", completed(100), manifest -> {}, system.formatted(6));
        Bundle seven = run(
                "seven",
                completed(100),
                manifest -> manifest.putObject("policies").put("limit", "7"),
                system.formatted(7));

        assertThat(compared(six, seven).changes()).containsExactly("system.acme.policy.limit: 6 -> 7");
    }

    @Test
    void fasterForFewerIsSaidAndSoIsTheCost() throws Exception {
        String look =
                "{\"e\":\"inventory\",\"when\":\"periodic\",\"t\":%d,\"inventory\":{\"containers\":1,\"starting\":0,\"receiver\":\"pools a\"}}";
        Bundle before = run("before", completed(200), manifest -> {}, look.formatted(0), look.formatted(6_000));
        Bundle after = run(
                "after",
                List.of(row(0, Outcome.COMPLETED, 50), row(1, Outcome.REJECTED, 1), row(2, Outcome.COMPLETED, 50)),
                manifest -> {},
                look.formatted(0),
                look.formatted(6_000));

        Comparison comparison = compared(before, after);

        assertThat(comparison.warnings())
                .singleElement()
                .asString()
                .contains("33.3 %")
                .contains("faster for fewer");
        // six container seconds at a dollar each, for three and for two calls
        assertThat(comparison.lines())
                .anySatisfy(
                        line -> assertThat(line.replaceAll(" +", " ")).isEqualTo("dollars per completed call 2 3 +1"));
    }

    private static String generator(String receiver, int atMillis, int cpuMillis) {
        return "{\"e\":\"generator\",\"t\":" + atMillis + ",\"receiver\":\"" + receiver + "\",\"inFlight\":1,\"cpuMs\":"
                + cpuMillis + ",\"gcCount\":" + cpuMillis / 100 + ",\"gcMs\":null}";
    }

    private static String recovery(boolean reached) {
        return "{\"e\":\"recovery\",\"t\":4000,\"reached\":" + reached + ",\"seconds\":2,\"left\":\""
                + (reached ? "" : "claims 1") + "\"}";
    }

    @Test
    void severalHostsAreCountedEachForItself() throws Exception {
        Bundle one = run(
                "one",
                completed(100),
                manifest -> {},
                generator("a", 0, 9_000),
                generator("a", 4_000, 11_000),
                recovery(false));
        Bundle two = run(
                "two",
                completed(100),
                manifest -> manifest.put("startedAt", "2026-11-30T00:00:00.500Z"),
                generator("b", 0, 100),
                generator("b", 4_000, 2_100),
                recovery(true));
        Bundle both = new Bundle(folder.resolve("both"));

        Merge.merge(List.of(one, two), both, 50);
        JsonNode report = JSON.readTree(Report.of(both).json());

        assertThat(report.path("generator").path("cpuCoresUsed").asDouble()).isEqualTo(0.5);
        assertThat(report.path("generator").path("gcPauses").asInt()).isEqualTo(40);
        assertThat(report.path("generator").path("gcPausedMs").isNull()).isTrue();
        assertThat(report.path("recovery").path("baselineReached").asBoolean(true))
                .isFalse();
        assertThat(report.path("recovery").path("leftOverOperations").asInt()).isEqualTo(2);
        assertThat(report.path("populations").path("arrivals").path("retries").asInt())
                .isEqualTo(2);
        // 0, 0.5, 1, 1.5, 2 and 2.5 s: the second host's retry is of the second of all
        assertThat(both.read().rows().values()).extracting(Row::retryOf).containsExactly(null, null, null, null, 0, 1);
    }

    @Test
    void hostsThatAreJudgedByOtherThingsAreNotMerged() throws Exception {
        Bundle one = run("one", completed(100), manifest -> {});
        Bundle two = run("two", completed(100), manifest -> manifest.put("definitionsSha256", "0"));

        assertThatThrownBy(() -> Merge.merge(List.of(one, two), new Bundle(folder.resolve("both")), 50))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("definitionsSha256");
    }

    @Test
    void whatNeverCameBackIsJudged() throws Exception {
        Report report = Report.of(run("left", completed(100), manifest -> {}));

        assertThat(report.verdict().exitCode()).isEqualTo(3);
        assertThat(report.summary()).contains("1 operations never came back");
    }

    @Test
    void theFirstLimitMayBeTheServiceOrItsCleanup() throws Exception {
        Bundle broken = run(
                "broken",
                List.of(
                        row(0, Outcome.COMPLETED, 100),
                        row(1, Outcome.ADAPTER_ERROR, 100),
                        row(2, Outcome.COMPLETED, 100)),
                manifest -> {});
        Bundle dirty = run("dirty", completed(100), manifest -> {}, recovery(false));

        assertThat(Report.of(broken).boundary().name()).isEqualTo("service");
        assertThat(Report.of(dirty).boundary().name()).isEqualTo("cleanup");
        assertThat(Report.of(dirty).verdict().exitCode()).isEqualTo(3);
    }
}
