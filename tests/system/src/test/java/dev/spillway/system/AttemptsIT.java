package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the list of attempts tells of calls on real processes. */
class AttemptsIT {
    @Test
    void after_calls_on_the_local_stack_the_list_tells_their_stories_and_the_summary_adds_up() throws Exception {
        Path work = Files.createTempDirectory("spillway-attempts-");
        System.out.println("logs of containers and functions: " + work + "; seed 1");
        try (LocalSystem system =
                new LocalSystem(new LocalSystem.Options(20, 300, Trained.home(), work, 1, TwilioSwitches.likely(1)))) {
            system.start();
            // given a call that its pool takes, and one that is held until its pool has a container
            Call direct = system.call(LocalTenant.GLOBEX, CallScript.ofTurns(1));
            Call held = system.call(LocalTenant.ACME, CallScript.lasting(Duration.ofSeconds(20)));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> list(system, "acme").at("/summary/open").asInt() == 1);
            assertThat(list(system, "acme").at("/summary/offered").asInt()).isEqualTo(1);
            // when both are over
            assertThat(direct.awaitEnd(Duration.ofSeconds(60))).isTrue();
            assertThat(held.awaitEnd(Duration.ofSeconds(60))).isTrue();
            for (String tenant : List.of("acme", "globex")) {
                await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                    JsonNode summary = list(system, tenant).at("/summary");
                    assertThat(adds(summary)).isTrue();
                    assertThat(summary.at("/offered").asInt()).isEqualTo(1);
                    assertThat(summary.at("/outcomes/completed").asInt()).isEqualTo(1);
                    assertThat(summary.at("/open").asInt()).isZero();
                });
            }
            // then each is told from its first webhook to its end
            JsonNode globex = list(system, "globex").at("/attempts/0");
            assertThat(globex.at("/id").asText()).isEqualTo(direct.sid());
            assertThat(steps(globex)).containsExactly("admitted", "connected", "ended");
            JsonNode acme = list(system, "acme");
            assertThat(acme.at("/summary/inbound/turnedAway").asInt()).isEqualTo(1);
            assertThat(steps(acme.at("/attempts/0")))
                    .containsExactly("refused", "held", "connected", "offered", "moved", "connected", "ended");
            assertThat(acme.at("/attempts/0/steps/1/slots/limit").asInt()).isZero();
            assertThat(acme.toString()).doesNotContain("1500555");
            // and the command prints it, with the log lines of functions and containers
            String told = told(system, work, held.sid());
            assertThat(told)
                    .contains("inbound, tenant acme")
                    .contains("held")
                    .contains("moved")
                    .contains("ended");
            assertThat(told).contains("functions.log").contains("\"event\":\"hand-off-offered\"");
            assertThat(told.lines().filter(line -> line.contains("\"container\"")))
                    .isNotEmpty();
        }
    }

    private static boolean adds(JsonNode summary) {
        int terminals = 0;
        for (JsonNode count : summary.at("/outcomes")) {
            terminals += count.asInt();
        }
        return summary.at("/offered").asInt() == terminals + summary.at("/open").asInt();
    }

    private static List<String> steps(JsonNode attempt) {
        List<String> steps = new ArrayList<>();
        attempt.at("/steps").forEach(step -> steps.add(step.at("/step").asText()));
        return steps;
    }

    private static JsonNode list(LocalSystem system, String tenant) throws Exception {
        try (SignedApi api = system.signedApi()) {
            HttpResponse<String> response = api.get("/attempts?tenant=" + tenant);
            assertThat(response.statusCode()).isEqualTo(200);
            return Cli.JSON.readTree(response.body());
        }
    }

    private static String told(LocalSystem system, Path work, String sid) throws Exception {
        Path info = work.resolve("info.json");
        Files.writeString(info, Cli.JSON.writeValueAsString(system.info()));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            assertThat(new CommandLine(new StoryCommand()).execute(sid, "--info", info.toString(), "--logs"))
                    .isZero();
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
