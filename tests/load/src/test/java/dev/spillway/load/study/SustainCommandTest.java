package dev.spillway.load.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.adapter.FakeSystem;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class SustainCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final FakeSystem system = new FakeSystem();

    @AfterEach
    void close() {
        system.close();
    }

    private Process load(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.spillway.load.LoadCli"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said.txt").toFile())
                .start();
    }

    @Test
    void ctrlCEndsTheStageAndTellsWhatItShowed() throws Exception {
        // given a stage of two calls of an hour
        system.route(
                "/pools/one", request -> Response.json(200, "{\"containers\": [], \"held\": [], \"starting\": 0}"));
        Path out = folder.resolve("out");
        Process sustain = load(
                "sustain",
                "--info",
                system.info(folder).toString(),
                "--consent",
                "--out",
                out.toString(),
                "--kinds",
                "inbound",
                "--stages",
                "2",
                "--ceiling",
                "4000",
                "--call",
                "3600");
        Path journal = out.resolve("inbound-2000/journal.jsonl");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> Files.exists(journal)
                        && Files.readString(journal)
                                        .lines()
                                        .filter(line -> line.contains("\"e\":\"start\""))
                                        .count()
                                >= 2);

        // when it is told to end, the way that Ctrl-C goes
        sustain.destroy();

        // then the stage keeps its rows, the table is printed, and no other stage begins
        assertThat(sustain.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(folder.resolve("said.txt")))
                .contains("inbound-2000")
                .contains("NOT SUSTAINED; stopped: interrupted")
                .doesNotContain("inbound-4000");
        JsonNode report = new ObjectMapper()
                .readTree(out.resolve("inbound-2000/report.json").toFile());
        assertThat(report.path("outcomes").path("canceled").asInt()).isGreaterThanOrEqualTo(2);
        assertThat(report.path("missing").asInt(-1)).isZero();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aContainerOfAPoolIsFoundByItsEnvironmentAndKilled() throws Exception {
        Process container = process("http://127.0.0.1:4711", "acme");
        Process ofAnotherPool = process("http://127.0.0.1:4711", "globex");
        Process ofAnotherStack = process("http://127.0.0.1:4712", "acme");
        try {
            List<ContainerProcess> found = ContainerProcess.of("http://127.0.0.1:4711", "acme");

            assertThat(found).containsExactly(new ContainerProcess(container.pid()));
            assertThat(found.getFirst().kill()).isTrue();
            assertThat(container.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(ofAnotherPool.isAlive() && ofAnotherStack.isAlive()).isTrue();
        } finally {
            List.of(container, ofAnotherPool, ofAnotherStack).forEach(Process::destroyForcibly);
        }
    }

    private static Process process(String table, String pool) throws IOException {
        var builder = new ProcessBuilder("sleep", "100");
        builder.environment().putAll(Map.of("AWS_ENDPOINT_URL_DYNAMODB", table, "SPILLWAY_POOL", pool));
        return builder.start();
    }
}
