package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.localcloud.TaskStart;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MediaProcessesTest {
    private static final Instant NOON = Instant.parse("2026-11-29T12:00:00Z");

    @TempDir
    Path target;

    @BeforeEach
    void build() throws IOException {
        Files.createDirectory(target.resolve("lib"));
        made("spillway-media-container-0.1.0.jar", NOON);
        made("lib/spillway-core-0.1.0.jar", NOON);
    }

    @Test
    void a_cache_of_these_jars_is_used() throws IOException {
        made("media-container.aot", NOON.plusSeconds(5));

        assertThat(MediaProcesses.command(target)).contains("-XX:AOTCache=" + target.resolve("media-container.aot"));
    }

    @Test
    void a_cache_that_is_older_than_a_jar_would_run_old_classes_and_is_not_used() throws IOException {
        made("media-container.aot", NOON.plusSeconds(5));
        made("lib/spillway-core-0.1.0.jar", NOON.plusSeconds(60));

        assertThat(MediaProcesses.command(target)).noneMatch(option -> option.contains("AOTCache"));
    }

    @Test
    void each_revision_is_a_build_of_its_own_and_those_after_the_last_are_the_last() throws IOException {
        Path before = built("before");
        Path after = built("after");
        MediaProcesses processes = new MediaProcesses(List.of(before, after), start -> Map.of());

        assertThat(IntStream.of(1, 2, 3).mapToObj(revision -> classPath(processes, revision)))
                .satisfiesExactly(
                        first -> assertThat(first).contains("/before/").doesNotContain("/after/"),
                        second -> assertThat(second).contains("/after/").doesNotContain("/before/"),
                        third -> assertThat(third).contains("/after/").doesNotContain("/before/"));
    }

    private static String classPath(MediaProcesses processes, int revision) {
        URI nowhere = URI.create("http://127.0.0.1:1");
        return String.join(
                " ",
                processes
                        .command(new TaskStart("arn", "t1", "acme", "acme", revision, "zone-a", nowhere, nowhere, 1))
                        .command());
    }

    private Path built(String name) throws IOException {
        Path home = target.resolve(name);
        Files.createDirectories(home.resolve("media-container/target/lib"));
        Files.createFile(home.resolve("media-container/target/spillway-media-container-0.1.0.jar"));
        return home;
    }

    private void made(String name, Instant at) throws IOException {
        Path file = target.resolve(name);
        if (!Files.exists(file)) {
            Files.createFile(file);
        }
        Files.setLastModifiedTime(file, FileTime.from(at));
    }
}
