package dev.spillway.system.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command lines that are compared: all of them with the same JVM options.
 *
 * @param container the media container's, as its image starts it
 */
record BenchCommands(List<String> container) {
    private static final String CACHE = "-XX:AOTCache=";
    private static final String CACHE_LOG = "-Xlog:aot";

    BenchCommands {
        container = List.copyOf(container);
        if (!container.contains("-cp")) {
            throw new IllegalArgumentException("not a java command with a class path: " + container);
        }
    }

    boolean hasCache() {
        return container.stream().anyMatch(part -> part.startsWith(CACHE));
    }

    List<String> containerWithoutCache() {
        return container.stream()
                .filter(part -> !part.startsWith(CACHE) && !part.startsWith(CACHE_LOG))
                .toList();
    }

    /** {@link PlainEcho} from this process's own class path. */
    List<String> plainEcho() {
        List<String> all = containerWithoutCache();
        List<String> command = new ArrayList<>(all.subList(0, all.indexOf("-cp")));
        command.addAll(List.of("-cp", absolute(System.getProperty("java.class.path")), PlainEcho.class.getName()));
        return command;
    }

    private static String absolute(String classPath) {
        List<String> parts = new ArrayList<>();
        for (String part : classPath.split(java.io.File.pathSeparator, -1)) {
            parts.add(Path.of(part).toAbsolutePath().toString());
        }
        return String.join(java.io.File.pathSeparator, parts);
    }
}
