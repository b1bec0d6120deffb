package dev.spillway.simulation.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class LabCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder = Path.of("target");

    private int run(String... arguments) {
        CommandLine line = new CommandLine(new LabCommand());
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return line.execute(arguments);
    }

    @Test
    void one_policy_gives_the_documented_fields() throws Exception {
        Path json = folder.resolve("outcome.json");

        int exit = run(
                "--schedule",
                "schedules/twenty-calls.json",
                "--out",
                "plus-one",
                "--in",
                "idle",
                "--cold-start",
                "60s",
                "--limit",
                "6",
                "--idle",
                "10m",
                "--json",
                json.toString());

        assertThat(exit).isZero();
        JsonNode outcome = new JsonMapper().readTree(json.toFile());
        assertThat(names(outcome))
                .containsExactly(
                        "calls",
                        "touchedGateway",
                        "gatewaySeconds",
                        "refused",
                        "degraded",
                        "containerHours",
                        "lowerBoundHours",
                        "peakContainers",
                        "costUsd",
                        "timeline");
        assertThat(names(outcome.path("gatewaySeconds"))).containsExactly("mean", "p95", "max");
        assertThat(names(outcome.path("timeline").get(0))).containsExactly("atSeconds", "event", "containers");
        assertThat(outcome.path("calls").intValue()).isEqualTo(20);
        assertThat(outcome.path("peakContainers").intValue()).isEqualTo(4);
        // An hour of one vCPU, 2 GB and an address is about 4.5 cents.
        assertThat(outcome.path("costUsd").doubleValue()
                        / outcome.path("containerHours").doubleValue())
                .isBetween(0.04, 0.05);
        assertThat(out.toString()).contains("plus-one / idle").contains("replayed in");
    }

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @Test
    void a_shorter_cold_start_shortens_the_time_on_the_gateway() throws Exception {
        Path json = folder.resolve("outcome.json");

        run("--schedule", "schedules/thirty-in-ten.json", "--cold-start", "20s", "--json", json.toString());

        JsonNode outcome = new JsonMapper().readTree(json.toFile());
        assertThat(outcome.path("gatewaySeconds").path("max").doubleValue()).isBetween(20.0, 30.0);
    }

    @Test
    void a_comparison_is_one_table_with_the_rivals_and_one_page_that_needs_no_network() throws Exception {
        Path page = folder.resolve("comparison.html");

        int exit = run("--compare", "--schedule", "schedules/twenty-calls.json", "--page", page.toString());

        assertThat(exit).isZero();
        assertThat(out.toString())
                .contains("plus-one / idle", "demand / consolidate", "ahead / consolidate")
                .contains("cpu-tracking", "agones-buffer", "knative-concurrency", "calls-plus-buffer");
        assertThat(Files.readString(page))
                .startsWith("<!doctype html>")
                .contains("<svg", "ahead / consolidate", "knative-concurrency")
                .doesNotContain("http", "<script", "src=", "@import", "url(");
    }

    @Test
    void what_is_wrong_is_named_with_what_is_right() {
        assertThat(run("--schedule", "schedules/twenty-calls.json", "--out", "more"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--out is not 'more'; want one of [plus-one, demand, ahead]");
        assertThat(run("--schedule", "schedules/none.json")).isEqualTo(2);
        assertThat(err.toString()).contains("there is no file schedules/none.json");
        assertThat(run("--schedule", "schedules/twenty-calls.json", "--idle", "soon"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--idle is not 'soon'");
        assertThat(run("--compare")).isEqualTo(2);
        assertThat(err.toString()).contains("want --schedule FILE");
    }

    @Test
    void a_day_of_100_000_calls_goes_through_and_says_how_long_it_took() {
        int exit = run("--schedule", "day:7:100000", "--gateway", "200");

        assertThat(exit).isZero();
        System.out.print(out); // a figure to look at, not one that is judged
        assertThat(out.toString()).contains("replayed in");
    }
}
