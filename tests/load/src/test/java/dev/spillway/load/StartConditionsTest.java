package dev.spillway.load;

import static dev.spillway.load.Runs.load;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.adapter.FakeSystem;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.StartConditions;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run waits for before its first call, and what it is judged by after its last. */
class StartConditionsTest {
    private static final String EMPTY =
            "{\"containers\": [], \"held\": [], \"starting\": 0, \"policy\": {\"minimum\": 0, \"limit\": 6}}";
    private static final String BUSY =
            "{\"containers\": [{\"state\": \"READY\", \"slots\": {\"limit\": 6}, \"claims\": {\"ACTIVE\": 1}}], \"held\": [],"
                    + " \"starting\": 0, \"policy\": {\"minimum\": 0, \"limit\": 6}}";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final FakeSystem system = new FakeSystem();

    @AfterEach
    void close() {
        system.close();
    }

    private Path schedule(StartConditions start) throws IOException {
        Schedule plain = Runs.schedule(CallClass.ofTurns("default", 1), 0);
        return Runs.write(
                new Schedule("start", "", null, null, null, start, plain.classes(), List.of(), 0, plain.arrivals()),
                folder);
    }

    private String quiet = "20";

    private int run(StartConditions start, String... more) throws IOException {
        Path criteria = folder.resolve("criteria.json");
        Files.writeString(
                criteria, "{\"owner\": \"tests\", \"rationale\": \"a busy machine is late\", \"validity\": []}");
        List<String> arguments = new ArrayList<>(List.of(
                "run",
                "--schedule",
                schedule(start).toString(),
                "--adapter",
                "twilio-media",
                "--info",
                system.info(folder).toString(),
                "--consent",
                "--criteria",
                criteria.toString(),
                "--quiet",
                quiet,
                "--out",
                folder.resolve("out").toString()));
        arguments.addAll(List.of(more));
        return load(arguments.toArray(String[]::new));
    }

    private JsonNode report() throws IOException {
        return new ObjectMapper().readTree(folder.resolve("out/report.json").toFile());
    }

    private long calls() {
        return system.requests().stream()
                .filter(one -> one.equals("POST /voice"))
                .count();
    }

    @Test
    void theFirstCallWaitsUntilThePoolIsAtZero() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        List<Long> callsBefore = new ArrayList<>();
        system.route("/pools/one", request -> {
            int look = looks.incrementAndGet();
            callsBefore.add(look <= 1 ? calls() : 0);
            return Response.json(200, look <= 1 ? BUSY : EMPTY);
        });

        assertThat(run(new StartConditions("zero", null, "cold"))).isZero();

        assertThat(callsBefore).containsOnly(0L);
        assertThat(report().path("recovery").path("startConditions").findValuesAsText("condition"))
                .containsExactly("pool zero", "caches cold");
        assertThat(report().path("system")
                        .path("atStart")
                        .path("one")
                        .path("policy")
                        .path("limit")
                        .asInt())
                .isEqualTo(6);
        assertThat(report().path("recovery").path("baselineReached").asBoolean())
                .isTrue();
        assertThat(report().path("recovery").path("probe").path("outcome").asText())
                .isEqualTo("completed");
    }

    @Test
    void aPoolThatDoesNotComeToZeroIsNotCalled() throws Exception {
        system.route("/pools/one", request -> Response.json(200, BUSY));

        assertThat(run(new StartConditions("zero", null, null), "--start-wait", "0.1"))
                .isEqualTo(2);

        assertThat(calls()).isZero();
        assertThat(report().path("outcomes").path("not-attempted").asInt()).isEqualTo(1);
        assertThat(report().path("stopped").asText()).contains("the pool is not at zero");
    }

    @Test
    void whatCannotBeSetUpIsSaidBeforeAnythingIsOffered() throws Exception {
        assertThat(run(new StartConditions(null, "cold", null))).isEqualTo(2);
        assertThat(run(new StartConditions("warm", null, "cold"))).isEqualTo(2);

        assertThat(folder.resolve("out")).doesNotExist();
    }

    @Test
    void claimsThatStayAreAMissedBaselineAndNoProbeIsMade() throws Exception {
        system.route("/pools/one", request -> Response.json(200, BUSY));

        quiet = "0.1";
        assertThat(run(StartConditions.NONE)).isEqualTo(3);

        assertThat(calls()).isEqualTo(1);
        assertThat(report().path("recovery").path("baselineReached").asBoolean(true))
                .isFalse();
        assertThat(report().path("recovery").path("left").asText()).contains("claims 1");
        assertThat(report().path("inventory").isArray()).isTrue();
    }
}
