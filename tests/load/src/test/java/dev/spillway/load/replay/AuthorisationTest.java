package dev.spillway.load.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.load.Runs;
import dev.spillway.load.schedule.Schedule;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AuthorisationTest {
    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");
    private static final String JSON = """
            {"owner": "operations", "expires": "2026-12-01T00:00:00Z", "destinations": ["calls.example"],
             "maxConcurrency": 5, "maxPerSecond": 2, "maxSeconds": 60, "quotas": {"carrier": 3}, "sideEffects": []}
            """;
    private static final Schedule TWO = Runs.schedule(0, 10);

    private static Authorisation read(String json) throws Exception {
        return Authorisation.read(json.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> objections(@Nullable Authorisation given, String host, Schedule schedule) {
        return Authorisation.objections(given, Set.of(host), schedule, 1, 5, NOW);
    }

    @Test
    void loopbackNeedsNoFileAndEveryOtherHostDoes() throws Exception {
        assertThat(objections(null, "127.0.0.1", TWO)).isEmpty();
        assertThat(objections(null, "calls.example", TWO))
                .singleElement()
                .asString()
                .contains("calls.example");
        assertThat(objections(read(JSON), "calls.example", TWO)).isEmpty();
        assertThat(objections(read(JSON), "other.example", TWO)).hasSize(1);
    }

    @Test
    void itsLimitsHold() throws Exception {
        assertThat(objections(
                        read(JSON.replace("\"carrier\": 3", "\"carrier\": 4")), "127.0.0.1", Runs.schedule(0, 0, 0)))
                .singleElement()
                .asString()
                .contains("3 arrivals come within a second");
        assertThat(objections(read(JSON), "127.0.0.1", Runs.schedule(0, 10, 20, 30)))
                .singleElement()
                .asString()
                .contains("the schedule and the probes are 5 calls; the quota at carrier is 3");
        assertThat(objections(read(JSON), "127.0.0.1", Runs.schedule(0, 100)))
                .singleElement()
                .asString()
                .contains("authorised are 60");
        assertThat(objections(read(JSON.replace("2026-12-01", "2026-11-01")), "127.0.0.1", TWO))
                .singleElement()
                .asString()
                .contains("expired");
    }

    @Test
    void concurrencyAndSideEffectsAreHeldAgainstTheSchedule() throws Exception {
        Schedule six = Runs.schedule(0, 0.5, 1.0, 1.5, 2.0, 2.5);
        assertThat(Authorisation.objections(
                        read(JSON.replace("\"maxPerSecond\": 2", "\"maxPerSecond\": 9")
                                .replace("\"carrier\": 3", "\"carrier\": 30")),
                        Set.of("127.0.0.1"),
                        six,
                        1,
                        100,
                        NOW))
                .singleElement()
                .asString()
                .contains("asks for 6 calls at once");
        Schedule outbound = new Schedule(
                "out",
                "",
                null,
                null,
                null,
                dev.spillway.load.schedule.StartConditions.NONE,
                TWO.classes(),
                List.of(),
                0,
                TWO.arrivals().stream()
                        .map(one -> new dev.spillway.load.schedule.Arrival(
                                one.id(),
                                one.at(),
                                null,
                                one.className(),
                                dev.spillway.load.schedule.Direction.OUTBOUND,
                                null))
                        .toList());
        assertThat(objections(read(JSON), "127.0.0.1", outbound))
                .singleElement()
                .asString()
                .contains("outbound-calls");
        assertThat(objections(
                        read(JSON.replace("\"sideEffects\": []", "\"sideEffects\": [\"outbound-calls\"]")),
                        "127.0.0.1",
                        outbound))
                .isEmpty();
    }

    @Test
    void whatIsAuthorisedBoundsTheRunItself() throws Exception {
        Authorisation given = read(JSON);

        Limits limits = Authorisation.held(
                given, new Limits(1_000, java.time.Duration.ofSeconds(60), java.time.Duration.ofSeconds(5)));
        assertThat(limits.maxInFlight()).isEqualTo(5);
        assertThat(limits.maxPerSecond()).isEqualTo(2.0);
        assertThat(limits.until()).isEqualTo(Instant.parse("2026-12-01T00:00:00Z"));
        assertThat(Authorisation.held(given, StopRules.NONE, NOW).maxSeconds()).isEqualTo(60.0);
        assertThat(Authorisation.held(given, StopRules.NONE, Instant.parse("2026-11-30T23:59:50Z"))
                        .maxSeconds())
                .isEqualTo(10.0);
        assertThat(Authorisation.held(given, new StopRules(5.0, null, null, null), NOW)
                        .maxSeconds())
                .isEqualTo(5.0);
    }

    @Test
    void whoCatchesUpStaysWithinTheRate() {
        CatchUp two = new CatchUp(2.0);
        assertThat(two.earliest(0)).isZero();
        two.launched(0);
        two.launched(100);
        assertThat(two.earliest(200)).isEqualTo(1_000_000_000);
        two.launched(1_000_000_000);
        assertThat(two.earliest(1_000_000_050)).isEqualTo(1_000_000_100);

        CatchUp rare = new CatchUp(0.5);
        rare.launched(0);
        assertThat(rare.earliest(1)).isEqualTo(2_000_000_000);
        assertThat(new CatchUp(null).earliest(7)).isEqualTo(7);
    }

    @Test
    void everythingMissingIsToldAtOnce() {
        assertThatThrownBy(() -> read("{\"owner\": \" \", \"colour\": 1}"))
                .hasMessageContaining("colour")
                .hasMessageContaining("owner")
                .hasMessageContaining("expires")
                .hasMessageContaining("maxConcurrency")
                .hasMessageContaining("destinations");
    }
}
