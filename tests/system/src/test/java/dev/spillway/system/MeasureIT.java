package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.localcloud.twilio.TwilioSwitches;
import dev.spillway.system.function.OperatorRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./spillway measure start} against a running system, as an operator runs it against an account. */
class MeasureIT {
    @TempDir
    Path deployment;

    @Test
    void each_launch_is_timed_by_its_events_and_drained_again() throws Exception {
        try (Stage stage = new Stage(20, TwilioSwitches.likely(13))) {
            String printed = measured(stage.system(), "--tenant=acme", "--launches=2");

            assertThat(printed)
                    .contains("launch 1 of 2 is READY", "launch 2 of 2 is READY", "network", "pull", "p50", "rough");
            assertThat(printed.lines().filter(line -> line.matches("launch [12] .* \\d+\\.\\d")))
                    .as("a line of figures for each sample")
                    .hasSize(2);
            // then nothing of it is left running
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> stage.system().liveTasks(LocalTenant.ACME) == 0
                            && stage.view(Stage.ACME).pool().desired() == 0);
        }
    }

    private String measured(LocalSystem system, String... options) throws Exception {
        Files.writeString(deployment.resolve("deployment.json"), """
                {"name": "spillway", "region": "us-east-1", "domain": "example.com"}""");
        Files.writeString(deployment.resolve("tenants.json"), "{\"tenants\": []}");
        LocalInfo endpoints = system.info();
        List<String> command = new ArrayList<>(List.of("measure", "start"));
        command.addAll(List.of(options));
        OperatorRun run = OperatorRun.of(
                Cli.home(),
                deployment,
                Map.of(
                        "AWS_ACCESS_KEY_ID",
                        "local",
                        "AWS_SECRET_ACCESS_KEY",
                        "local",
                        "AWS_ENDPOINT_URL_DYNAMODB",
                        endpoints.dynamodbUrl().toString(),
                        "AWS_ENDPOINT_URL_ECS",
                        endpoints.ecsUrl().toString()),
                Duration.ofMinutes(2),
                command.toArray(String[]::new));
        assertThat(run.code()).as(run.printed()).isZero();
        return run.printed();
    }
}
