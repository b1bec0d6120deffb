package dev.spillway.load.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.spillway.load.adapter.FakeSystem;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The whole command, with phone calls, against a container whose cliff is set. */
class CalibrateCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private static final String NO_CORE = "the generator did not do its part";

    private final FakeSystem system = new FakeSystem();

    @AfterEach
    void close() {
        system.close();
    }

    private record Said(int exitCode, String text) {}

    private static Said calibrate(Path info, Path classes, Path out, String steps) {
        PrintStream standardOut = System.out;
        PrintStream standardErr = System.err;
        var bytes = new ByteArrayOutputStream();
        try (var captured = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            System.setOut(captured);
            System.setErr(captured);
            int code = new CommandLine(new CalibrateCommand())
                    .execute(
                            "--info",
                            info.toString(),
                            "--classes",
                            classes.toString(),
                            "--out",
                            out.toString(),
                            "--consent",
                            "--steps",
                            steps,
                            "--hold",
                            "6",
                            "--rest",
                            "0.1");
            return new Said(code, bytes.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(standardOut);
            System.setErr(standardErr);
        }
    }

    /** A machine that is too busy for the generator is told so by the command itself, and is no finding. */
    @Test
    void findsTheCliffOfAContainerWhoseCliffIsKnown() throws Exception {
        // given an agent that computes 4 ms with each frame of 20 ms, so that 5 calls fill its container
        system.costing(Duration.ofMillis(4), Duration.ofMillis(400));
        system.route(
                "/pools/one",
                request -> Response.json(
                        200,
                        "{\"containers\": [{\"state\": \"READY\", \"claims\": {}, \"slots\": {\"limit\": 30}}],"
                                + " \"held\": [], \"starting\": 0, \"policy\": {\"minimum\": 0}}"));
        Path classes = folder.resolve("classes.json");
        Files.writeString(classes, """
                {"schedule": 1, "name": "classes", "question": "which?", "unit": "seconds", "seed": null, "rule": null,
                 "classes": {"short": {"turns": 3, "utterance": 0.1, "cpu": 0.25}},
                 "arrivals": [{"at": 0, "class": "short"}]}
                """);
        Path info = system.info(folder);

        Said said = calibrate(info, classes, folder.resolve("first"), "1,4,8");
        if (said.text().contains(NO_CORE)) {
            said = calibrate(info, classes, folder.resolve("second"), "1,4,8");
        }
        assumeThat(said.text()).as("the machine has no core for the generator").doesNotContain(NO_CORE);

        assertThat(said.text()).contains("limit for short: 4");
        assertThat(said.text())
                .contains("the agent computes 4.0 ms with each frame, so 5.0 calls fill the container;"
                        + " found between 4 and 8, as known");
        assertThat(said.text()).contains("recommended limit: 4 calls on one container");
        assertThat(said.exitCode()).isZero();
        assertThat(system.parameters())
                .as("what a class says its turns cost reaches the agent of every call")
                .allSatisfy(one -> assertThat(one.path("rehearsal").asText()).isEqualTo("cpu=0.25"));
    }
}
