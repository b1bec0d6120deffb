package dev.spillway.system;

import dev.spillway.localcloud.TaskLauncher;
import dev.spillway.localcloud.TaskStart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** Starts the media container as a process: the same class, class path and JVM options as its image. */
final class MediaProcesses implements TaskLauncher {
    private final List<List<String>> commands;
    private final Function<TaskStart, Map<String, String>> environment;

    /**
     * @param homes the checkouts, each built, whose containers are revision 1, 2, … of every service; the last is that of all
     *     later ones, too
     * @param environment the task definition's environment, by task
     */
    MediaProcesses(List<Path> homes, Function<TaskStart, Map<String, String>> environment) {
        this.commands = homes.stream()
                .map(home -> command(home.resolve("media-container/target")))
                .toList();
        this.environment = environment;
    }

    /** Java, options, class path and main class; with the AOT cache if one was trained. */
    static List<String> command(Path target) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        Path cache = target.resolve("media-container.aot");
        if (isOf(cache, target)) {
            command.add("-XX:AOTCache=" + cache);
            command.add("-Xlog:aot=off,aot*=off"); // one that does not fit this JVM is ignored, and only slower
        }
        command.addAll(List.of("-Xmx160m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-cp", classPath(target), "dev.spillway.media.Main"));
        return command;
    }

    /**
     * Whether the cache was made from these jars. The JVM does not see that a jar was built again: it would run the classes
     * that the cache holds, and mix them with the new ones.
     */
    private static boolean isOf(Path cache, Path target) {
        if (!Files.isReadable(cache)) {
            return false;
        }
        try {
            FileTime made = Files.getLastModifiedTime(cache);
            for (String jar : classPath(target).split(":")) {
                if (Files.getLastModifiedTime(Path.of(jar)).compareTo(made) > 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException("the age of " + cache + " cannot be read", e);
        }
    }

    private static String classPath(Path target) {
        try (Stream<Path> jars = Files.list(target);
                Stream<Path> libraries = Files.list(target.resolve("lib"))) {
            List<String> own = jars.filter(
                            path -> path.getFileName().toString().matches("spillway-media-container-.*\\.jar"))
                    .map(Path::toString)
                    .sorted()
                    .toList();
            if (own.isEmpty()) {
                throw new IllegalStateException(
                        "no media container in " + target + ": build it first (./spillway build)");
            }
            return String.join(
                    ":",
                    Stream.concat(own.stream(), libraries.map(Path::toString).sorted())
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException("the media container is not built: run ./spillway build", e);
        }
    }

    @Override
    public ProcessBuilder command(TaskStart start) {
        ProcessBuilder builder =
                new ProcessBuilder(commands.get(Math.clamp(start.revision() - 1, 0, commands.size() - 1)));
        builder.environment().clear();
        builder.environment().putAll(new HashMap<>(environment.apply(start)));
        return builder;
    }
}
