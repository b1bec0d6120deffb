package dev.spillway.system.function;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One of an operator's commands in a process of its own, as the launcher starts it.
 *
 * @param code how it ended
 * @param printed on both outputs
 */
public record OperatorRun(int code, String printed) {
    /**
     * Runs it to its end.
     *
     * @param home the checkout
     * @param deployment a folder with the files that describe it; its output is kept there too
     * @param environment where its AWS account is
     * @param patience how long it may take; a test that waits longer has failed
     */
    public static OperatorRun of(
            Path home, Path deployment, Map<String, String> environment, Duration patience, String... arguments)
            throws IOException, InterruptedException {
        Path operator = home.resolve("functions/operator/target");
        String jar;
        try (var jars = Files.newDirectoryStream(operator, "spillway-operator-*.jar")) {
            jar = jars.iterator().next().toString();
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dspillway.home=" + home,
                "-cp",
                operator + "/lib/*:" + jar,
                "dev.spillway.operator.Cli"));
        command.addAll(List.of(arguments));
        command.add("--deployment=" + deployment);
        Path output = Files.createTempFile(deployment, "printed", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            boolean ended = process.waitFor(patience.toSeconds(), TimeUnit.SECONDS);
            String printed = Files.readString(output);
            assertThat(ended).as(printed).isTrue();
            return new OperatorRun(process.exitValue(), printed);
        } finally {
            process.destroyForcibly();
        }
    }
}
