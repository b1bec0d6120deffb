package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** A command that starts no container. */
class ConformCommandIT {
    @Test
    void a_command_that_ends_early_is_told_at_once_with_its_exit_code_and_its_last_lines() {
        // given a command that fails
        StringWriter told = new StringWriter();
        CommandLine line = new CommandLine(new ConformCommand()).setOut(new PrintWriter(told, true));

        // when it is asked
        Instant before = Instant.now();
        int code = line.execute("--wait", "300", "--", "sh", "-c", "echo no module named aiohttp; exit 3");

        // then nobody waits for it
        assertThat(code).isEqualTo(1);
        assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofMinutes(2));
        assertThat(told.toString())
                .contains("register    BROKEN")
                .contains("ended with exit code 3")
                .contains("no module named aiohttp")
                .contains("there is no item {pool}#pool / container#conform-1");
    }
}
