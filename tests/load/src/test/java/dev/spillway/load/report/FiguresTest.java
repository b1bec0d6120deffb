package dev.spillway.load.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.ledger.Evidence;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.ledger.RowJson;
import dev.spillway.load.schedule.Direction;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static Row row(int id, Outcome outcome, @Nullable Long started, @Nullable Long finished) {
        return new Row(id, "a", Direction.INBOUND, 0, started, null, finished, outcome, "", null, null);
    }

    private static final List<Row> ROWS = List.of(
            row(0, Outcome.COMPLETED, 1_000_000L, 201_000_000L),
            row(1, Outcome.GENERATOR_DROPPED, null, null),
            row(2, Outcome.TIMEOUT, 0L, 9_000_000_000L),
            row(3, Outcome.NOT_ATTEMPTED, null, null));

    @Test
    void everyScheduledArrivalIsInTheDenominator() {
        Figures figures = new Figures(4, ROWS);

        assertThat(figures.outcomes().values().stream()
                                .mapToInt(Integer::intValue)
                                .sum()
                        + figures.missing())
                .isEqualTo(4);
        assertThat(figures.started()).isEqualTo(2);
    }

    @Test
    void aTransformationThatLosesRowsWithoutAStartIsNoticed() {
        List<Row> transformed =
                ROWS.stream().filter(row -> row.started() != null).toList();

        Figures figures = new Figures(4, transformed);

        assertThat(figures.missing()).isEqualTo(2);
        assertThat(figures.scheduled()).isEqualTo(4);
        assertThat(Criteria.NONE_GIVEN.validity().getFirst().measure()).isEqualTo("missingRows");
        assertThat(Criteria.NONE_GIVEN.validity().getFirst().isMetBy((double) figures.missing()))
                .isFalse();
    }

    @Test
    void rowsThatNoArrivalExplainsAreRefused() {
        assertThatThrownBy(() -> new Figures(3, ROWS)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Figures(4, List.of(ROWS.getFirst(), ROWS.getFirst())))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTimeoutIsNoLatency() {
        Figures figures = new Figures(4, ROWS);

        assertThat(figures.responses().count()).isEqualTo(1);
        assertThat(figures.responses().percentile(99)).isEqualTo(200.0);
        assertThat(figures.timeoutsWaited().max()).isEqualTo(9_000.0);
    }

    @Test
    void percentilesAreMeasuredValuesAndAnEmptyPopulationHasNone() {
        Spread spread = Spread.of(List.of(4_000_000L, 1_000_000L, 2_000_000L, 3_000_000L));

        assertThat(spread.percentile(50)).isEqualTo(2);
        assertThat(spread.percentile(99)).isEqualTo(4);
        assertThat(spread.average()).isEqualTo(2.5);
        assertThat(Spread.of(List.of()).percentile(50)).isNull();
        assertThat(Spread.of(List.of()).average()).isNull();
    }

    @Test
    void countsAreSubtractedWithinOneReceiverOnly() {
        List<CounterSpan> spans = CounterSpan.join(List.of(
                new CounterSample("a", 0, 5),
                new CounterSample("a", 1, 7),
                new CounterSample("b", 2, 1),
                new CounterSample("b", 3, 1),
                new CounterSample("b", 4, 0),
                new CounterSample("b", 5, 2)));

        assertThat(spans).extracting(CounterSpan::delta).containsExactly(2L, 0L, 2L);
        assertThat(spans.getFirst().first().value()).isEqualTo(5);
        assertThat(spans).extracting(span -> span.first().receiver()).containsExactly("a", "b", "b");
        assertThatThrownBy(() -> new CounterSample("", 0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CounterSample("a", 0, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatWasNotObservedMeetsNoRule() {
        Criteria.Rule rule = new Criteria.Rule("responseP90Ms", 800.0, null, "owner", "because");

        assertThat(rule.isMetBy(null)).isFalse();
        assertThat(rule.isMetBy(800.0)).isTrue();
        assertThat(rule.isMetBy(801.0)).isFalse();
    }

    @Test
    void whatFollowsTheLastOperationHasItsWindows() {
        Figures figures = new Figures(4, ROWS);

        Windows windows = new Windows(figures, 29);

        assertThat(windows.all().getLast().from() + windows.seconds()).isGreaterThan(29);
        assertThat(windows.all().getLast().inService()).isZero();
        assertThat(windows.all().stream().mapToInt(Windows.Window::offered).sum())
                .isEqualTo(4);
    }

    @Test
    void aTurnThatNobodyAnsweredThoughTheCallerStayedIsCounted() {
        Evidence stayed = new Evidence(
                List.of(
                        new Evidence.TurnSeen(1, 1_000_000_000L, null, "speak", 0, 0),
                        new Evidence.TurnSeen(2, 4_500_000_000L, null, "speak", 0, 0)),
                List.of(),
                List.of(),
                null);
        Row row =
                new Row(0, "a", Direction.INBOUND, 0, 0L, 0L, 5_000_000_000L, Outcome.ADAPTER_ERROR, "", null, stayed);

        assertThat(new Figures(1, List.of(row)).unansweredTurns()).isEqualTo(1);
    }

    @Test
    void whatCallersHearOfHandOffsIsSpreadAndSurvivesTheLedger() throws Exception {
        Evidence moved = new Evidence(
                List.of(new Evidence.TurnSeen(1, 1L, 2L, "speak", 0, 0)),
                List.of(),
                List.of(),
                List.of(
                        new Evidence.HandOff(1_000_000_000L, 40_000_000L),
                        new Evidence.HandOff(2_000_000_000L, 250_000_000L)),
                null);
        Row row = new Row(0, "a", Direction.INBOUND, 0, 0L, 0L, 5_000_000_000L, Outcome.COMPLETED, "", null, moved);
        StringBuilder written = new StringBuilder();
        RowJson.write(row, written);

        Row read = RowJson.read(new ObjectMapper().readTree("{" + written + "}"));

        assertThat(read.evidence()).isEqualTo(moved);
        assertThat(new Figures(1, List.of(read)).handOffGaps().count()).isEqualTo(2);
        assertThat(new Figures(1, List.of(read)).handOffGaps().max()).isEqualTo(250.0);
        assertThat(new Figures(4, ROWS).handOffGaps().count()).isZero();
    }
}
