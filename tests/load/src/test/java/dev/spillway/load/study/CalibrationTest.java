package dev.spillway.load.study;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.load.study.Calibration.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

class CalibrationTest {
    private static Step step(int calls, double p90) {
        return new Step(calls, 0.1 * calls, 10 * calls, p90, 0, 0);
    }

    @Test
    void theLimitIsTheLastStepBelowTheCliff() {
        List<Step> steps = List.of(step(1, 400), step(4, 410), step(6, 430), step(8, 900));

        assertThat(Calibration.limit(steps)).isEqualTo(6);
        assertThat(Calibration.isOver(steps)).isTrue();
        assertThat(Calibration.table(steps).getLast()).contains("+125%").contains("cliff");
    }

    @Test
    void gapsAndFailedCallsAreACliffToo() {
        assertThat(Calibration.limit(List.of(step(1, 400), new Step(2, null, 20, 400.0, 3, 0))))
                .isEqualTo(1);
        assertThat(Calibration.limit(List.of(step(1, 400), new Step(2, null, 20, 400.0, 0, 1))))
                .isEqualTo(1);
        assertThat(Calibration.limit(List.of(step(1, 400), new Step(2, null, 0, null, 0, 0))))
                .isEqualTo(1);
    }

    @Test
    void callersNoticeAt800AndAreDisturbedAt1000Milliseconds() {
        List<String> table = Calibration.table(List.of(step(1, 700), step(2, 850), step(3, 1_001)));

        assertThat(table.get(1)).endsWith("nothing");
        assertThat(table.get(2)).contains("a pause before answers").contains("callers notice");
        assertThat(table.get(3)).contains("the agent is slow");
    }

    @Test
    void withoutACliffTheLastStepIsTheLimit() {
        List<Step> steps = List.of(step(1, 400), step(2, 401));

        assertThat(Calibration.limit(steps)).isEqualTo(2);
        assertThat(Calibration.isOver(steps)).isFalse();
    }

    @Test
    void oneCallThatFailsLeavesNoLimit() {
        assertThat(Calibration.limit(List.of(new Step(1, null, 0, null, 0, 1)))).isZero();
    }
}
