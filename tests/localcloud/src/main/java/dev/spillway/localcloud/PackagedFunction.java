package dev.spillway.localcloud;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A function run from its jar as Lambda runs it: AWS's own runtime interface client in a process of its own. */
public final class PackagedFunction implements AutoCloseable {
    /** The main class of the runtime interface client. */
    public static final String RUNTIME = "com.amazonaws.services.lambda.runtime.api.client.AWSLambda";

    private static final String RUNTIME_CLIENT = "aws-lambda-java-runtime-interface-client-";

    private static final List<String> RUNTIME_JARS =
            List.of(RUNTIME_CLIENT, "aws-lambda-java-serialization-", "aws-lambda-java-core-", "utils-lite-");

    private final LambdaRuntimeApi api = new LambdaRuntimeApi();
    private final Process process;
    private final Path log;
    private final long startedNanos;
    private final Thread closeOnExit;

    /**
     * @param jar of the functions
     * @param more jars after it, for functions that are in none of ours
     * @param runtime a directory that has the runtime interface client and what it needs
     * @param handler as Lambda is told it
     * @param options of the JVM
     * @param snapStart whether it is started for a snapshot, and then waits to be restored
     * @param log everything that the process prints
     */
    public record Spec(
            Path jar,
            List<Path> more,
            Path runtime,
            String handler,
            Map<String, String> environment,
            List<String> options,
            boolean snapStart,
            Path log) {}

    public PackagedFunction(Spec spec) throws IOException {
        this.log = spec.log();
        ProcessBuilder builder = new ProcessBuilder(command(spec))
                .redirectErrorStream(true)
                .redirectOutput(spec.log().toFile());
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.putAll(settings(spec));
        startedNanos = System.nanoTime();
        process = builder.start();
        closeOnExit = new Thread(process::destroyForcibly, "function-exit");
        Runtime.getRuntime().addShutdownHook(closeOnExit);
    }

    private static List<String> command(Spec spec) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // As Lambda's own start script has it, but for the size of the heap.
        command.addAll(List.of(
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-Xmx256m"));
        if (spec.snapStart()) {
            command.add("-Dorg.crac.Core.Compat=com.amazonaws.services.lambda.crac");
        }
        runtimeJars(spec).stream()
                .filter(jar -> jar.getFileName().toString().startsWith(RUNTIME_CLIENT))
                .findFirst()
                .flatMap(RuntimeLibrary::option)
                .ifPresent(command::add);
        command.addAll(spec.options());
        command.add("-cp");
        command.add(classPath(spec));
        command.add(RUNTIME);
        command.add(spec.handler());
        return command;
    }

    /** Files only, in a fixed order: an AOT cache fits one class path. */
    public static String classPath(Spec spec) {
        return Stream.of(Stream.of(spec.jar()), runtimeJars(spec).stream(), spec.more().stream())
                .flatMap(part -> part)
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static List<Path> runtimeJars(Spec spec) {
        try (Stream<Path> jars = Files.list(spec.runtime())) {
            List<Path> found = jars.filter(jar -> RUNTIME_JARS.stream()
                            .anyMatch(name -> jar.getFileName().toString().startsWith(name)))
                    .sorted()
                    .toList();
            if (found.size() != RUNTIME_JARS.size()) {
                throw new IllegalStateException(
                        spec.runtime() + " has " + found + " of " + RUNTIME_JARS + "; build first");
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, String> settings(Spec spec) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "AWS_LAMBDA_RUNTIME_API", api.address(),
                "AWS_LAMBDA_FUNCTION_NAME", "spillway-function",
                "AWS_LAMBDA_FUNCTION_VERSION", "1",
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "1769",
                "AWS_LAMBDA_INITIALIZATION_TYPE", spec.snapStart() ? "snap-start" : "on-demand",
                "AWS_EXECUTION_ENV", "AWS_Lambda_java25",
                "LAMBDA_TASK_ROOT", "/var/task",
                "_HANDLER", spec.handler()));
        settings.putAll(spec.environment());
        return settings;
    }

    public LambdaRuntimeApi api() {
        return api;
    }

    /** From just before the start of the process. */
    public Duration after(long nanoTime) {
        return Duration.ofNanos(nanoTime - startedNanos);
    }

    /** Everything that the process has printed. */
    public String printed() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            // A cache of its classes is written at the end of a process that was asked for one.
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(closeOnExit);
        } catch (IllegalStateException e) {
            // The JVM is ending.
        }
        api.close();
    }
}
