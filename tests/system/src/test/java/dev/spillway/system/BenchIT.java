package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.system.bench.Bench;
import dev.spillway.system.bench.BenchReport;
import dev.spillway.system.bench.BenchResult;
import dev.spillway.system.bench.BenchResult.Echo;
import dev.spillway.system.bench.RelayBench;
import dev.spillway.system.bench.RelayReport;
import dev.spillway.system.bench.RelayResult;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the benchmarks measure, with real processes; never what they measure. */
class BenchIT {
    @TempDir
    Path work;

    @Test
    void one_launch_and_five_echo_streams_are_measured_and_every_frame_comes_back() throws Exception {
        // given
        Bench bench = new Bench(
                MediaProcesses.command(Cli.home().resolve("media-container/target")),
                Cli.home().resolve("tests/localcloud/dynalite"),
                work,
                text -> {});
        // when one launch of each kind, and 5 streams for 2 s
        BenchResult result = bench.run(new Bench.Plan(1, 5, 4, 1));
        // then
        assertThat(result.start()).isNotNull();
        assertThat(result.start().withoutCache()).hasSize(1).allSatisfy(BenchIT::isPlausible);
        assertThat(result.start().plain()).hasSize(1).allSatisfy(BenchIT::isPlausible);
        assertThat(result.echo()).isNotNull();
        areEchoed(result.echo().container());
        areEchoed(result.echo().plain());
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        BenchReport.print(result, new PrintStream(printed, true, StandardCharsets.UTF_8));
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("media container, no cache", "plain Netty, to port open", "frames returned");
        assertThat(Cli.JSON.writeValueAsString(result)).contains("\"withoutCache\"", "\"roundTripP99Millis\"");
    }

    @Test
    void five_calls_are_relayed_to_a_bot_and_to_it_directly_and_every_frame_comes_back() throws Exception {
        RelayBench bench = new RelayBench(
                MediaProcesses.command(Cli.home().resolve("media-container/target")),
                Cli.home().resolve("tests/localcloud/dynalite"),
                work,
                text -> {});
        RelayResult result = bench.run(5, 1, 0);
        areEchoed(result.relayed());
        areEchoed(result.direct());
        assertThat(result.residentMegabytes())
                .isNotEmpty()
                .allSatisfy(megabytes -> assertThat(megabytes).isPositive());
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        RelayReport.print(result, new PrintStream(printed, true, StandardCharsets.UTF_8));
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("added", "round trip p99", "container's memory");
    }

    private static void isPlausible(Long millis) {
        assertThat(millis).isBetween(1L, 60_000L);
    }

    private static void areEchoed(Echo echo) {
        // 5 streams of 50 frames a second for 4 s; the load leaves out what a busy machine delays, and says so
        assertThat(echo.sent()).isBetween(1L, 2_000L);
        assertThat(echo.returned()).isEqualTo(echo.sent());
        assertThat(echo.cores()).isNotNegative();
        assertThat(echo.roundTripP50Millis()).isPositive().isLessThanOrEqualTo(echo.roundTripP99Millis());
    }
}
