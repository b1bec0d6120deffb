package dev.spillway.media;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How long a container takes from process start to READY written: real processes from the packaged jars against a stand-in
 * on loopback, without and with an AOT cache. To be run on an idle machine:
 *
 * <pre>{@code java -cp TEST_CLASSES:… dev.spillway.media.StartBench media-container/target [runs]}</pre>
 */
final class StartBench {
    private StartBench() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Path target = Path.of(args[0]);
        int runs = args.length > 1 ? Integer.parseInt(args[1]) : 10;
        File[] jars = target.toFile()
                .listFiles((dir, name) -> name.matches("spillway-media-container-[^-]*(-SNAPSHOT)?\\.jar"));
        if (jars == null || jars.length != 1) {
            throw new IOException("want one module jar in " + target + "; run mvn package first");
        }
        String classPath = jars[0] + File.pathSeparator + target.resolve("lib") + File.separator + "*";
        Path cache = target.resolve("bench.aot");
        java(List.of("-XX:AOTCacheOutput=" + cache), classPath, List.of("--train"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        try (TrainingGround ground = new TrainingGround()) {
            Training.describe(Training.environment(ground.url()));
            report("without AOT cache", measure(ground, List.of(), classPath, runs));
            report("with AOT cache", measure(ground, List.of("-XX:AOTCache=" + cache), classPath, runs));
        }
    }

    private static long[] measure(TrainingGround ground, List<String> options, String classPath, int runs)
            throws IOException, InterruptedException {
        long[] millis = new long[runs];
        for (int run = 0; run < runs; run++) {
            ProcessBuilder builder = java(options, classPath, List.of());
            builder.environment().clear();
            builder.environment().putAll(Training.environment(ground.url()));
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
            long begun = System.nanoTime();
            Process process = builder.start();
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                String line = lines.readLine();
                while (line != null && !line.contains("\"event\":\"ready\"")) {
                    line = lines.readLine();
                }
                millis[run] = (System.nanoTime() - begun) / 1_000_000;
                process.destroy();
                process.waitFor();
            }
        }
        return millis;
    }

    private static ProcessBuilder java(List<String> options, String classPath, List<String> args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, "dev.spillway.media.Main"));
        command.addAll(args);
        return new ProcessBuilder(command);
    }

    private static void report(String what, long[] millis) {
        Arrays.sort(millis);
        System.out.println("process start to READY, " + what + ": median " + millis[millis.length / 2] + " ms of "
                + millis.length + " runs (" + millis[0] + " to " + millis[millis.length - 1] + ")");
    }
}
