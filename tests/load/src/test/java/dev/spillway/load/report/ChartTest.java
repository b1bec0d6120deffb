package dev.spillway.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.load.report.Chart.Manner;
import dev.spillway.load.report.Chart.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChartTest {
    @Test
    void whatWasNotObservedIsAHoleAndAValueBetweenTwoHolesIsSeen() {
        String html = new Chart("Latency", "ms", 4, 3)
                .with(
                        "p50",
                        Manner.LINE,
                        List.of(
                                new Point(0, 5.0),
                                new Point(1, null),
                                new Point(2, 6.0),
                                new Point(3, 7.0),
                                new Point(4, null)))
                .with("p90", Manner.LINE, List.of(new Point(0, null)))
                .html();

        assertThat(html).containsOnlyOnce("<circle").containsPattern("d=\"M[0-9.]+ [0-9.]+L[0-9.]+ [0-9.]+\"");
        assertThat(html).contains("p90 (unavailable)").doesNotContain("p50 (unavailable)");
    }

    @Test
    void aPlotOfNothingSaysThatItIsUnavailable() {
        String html = new Chart("Queue age", "s", 4, 3)
                .with("oldest", Manner.LINE, List.of(new Point(0, null)))
                .html();

        assertThat(html).contains("unavailable: not observed in this run").doesNotContain("<svg");
    }
}
