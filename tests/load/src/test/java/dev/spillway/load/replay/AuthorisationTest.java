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
        assertThat(objections(read(JSON), "127.0.0.1", Runs.schedule(0, 0, 0)))
                .singleElement()
                .asString()
                .contains("3 arrivals come within a second");
        assertThat(objections(read(JSON), "127.0.0.1", Runs.schedule(0, 10, 20, 30)))
                .singleElement()
                .asString()
                .contains("the quota at carrier is 3");
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
    void everythingMissingIsToldAtOnce() {
        assertThatThrownBy(() -> read("{\"owner\": \" \", \"colour\": 1}"))
                .hasMessageContaining("colour")
                .hasMessageContaining("owner")
                .hasMessageContaining("expires")
                .hasMessageContaining("maxConcurrency")
                .hasMessageContaining("destinations");
    }
}
