package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
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

    private void made(String name, Instant at) throws IOException {
        Path file = target.resolve(name);
        if (!Files.exists(file)) {
            Files.createFile(file);
        }
        Files.setLastModifiedTime(file, FileTime.from(at));
    }
}
