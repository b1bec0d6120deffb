package dev.spillway.operator.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.operator.measure.Launch.Part;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LaunchReportTest {
    private static final Instant NINE = Instant.parse("2026-11-29T09:00:00Z");

    /** AWS's own sample event: 17.7 s from creation to the pull, 3 s of pull, then 3 s; the rest is made up. */
    private static Launch launch(int askedSeconds) {
        Instant created = NINE.plusSeconds(askedSeconds);
        return new Launch(
                NINE,
                created,
                created.plusMillis(12_000),
                created.plusMillis(17_700),
                created.plusMillis(20_700),
                created.plusMillis(23_700),
                created.plusMillis(25_000));
    }

    @Test
    void a_launch_is_split_by_the_times_of_its_events() {
        assertThat(launch(1).parts())
                .containsEntry(Part.ASKED, Duration.ofSeconds(1))
                .containsEntry(Part.NETWORK, Duration.ofSeconds(12))
                .containsEntry(Part.PULL, Duration.ofSeconds(3))
                .containsEntry(Part.START, Duration.ofSeconds(3))
                .containsEntry(Part.READY, Duration.ofMillis(1_300))
                .containsEntry(Part.ALL, Duration.ofSeconds(26));
    }

    @Test
    void nineteen_launches_are_too_few_for_a_95th_percentile() {
        assertThat(printed(19)).contains("p95 is rough: it is of 19 launches").contains("launch 19");
        assertThat(printed(20)).doesNotContain("rough");
    }

    @Test
    void percentiles_are_values_that_were_measured() {
        List<Launch> launches =
                IntStream.rangeClosed(1, 20).mapToObj(LaunchReportTest::launch).toList();

        assertThat(LaunchReport.percentile(launches, Part.ASKED, 50)).isEqualTo(Duration.ofSeconds(10));
        assertThat(LaunchReport.percentile(launches, Part.ASKED, 95)).isEqualTo(Duration.ofSeconds(19));
    }

    private static String printed(int launches) {
        StringWriter printed = new StringWriter();
        LaunchReport.print(
                IntStream.rangeClosed(1, launches)
                        .mapToObj(LaunchReportTest::launch)
                        .toList(),
                new PrintWriter(printed));
        return printed.toString();
    }
}
