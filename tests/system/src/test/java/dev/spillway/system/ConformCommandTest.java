package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What {@code ./spillway conform} takes. */
class ConformCommandTest {
    private final StringWriter told = new StringWriter();
    private final CommandLine line = new CommandLine(new ConformCommand()).setErr(new PrintWriter(told, true));

    @ParameterizedTest
    @ValueSource(strings = {"http://127.0.0.1", "https://127.0.0.1:9000", "http:9000"})
    void a_url_without_host_and_port_is_refused(String url) {
        assertThat(line.execute("--url", url)).isEqualTo(2);

        assertThat(told.toString()).contains("must name host and port").contains(url);
    }

    @Test
    void neither_a_url_nor_a_command_is_refused() {
        assertThat(line.execute()).isEqualTo(2);

        assertThat(told.toString()).contains("want --url");
    }
}
