package dev.spillway.simulation.lab;

import static dev.spillway.core.pool.Policy.ScaleInRule.CONSOLIDATE;
import static dev.spillway.core.pool.Policy.ScaleInRule.IDLE;
import static dev.spillway.core.pool.Policy.ScaleOutRule.AHEAD;
import static dev.spillway.core.pool.Policy.ScaleOutRule.DEMAND;
import static dev.spillway.core.pool.Policy.ScaleOutRule.PLUS_ONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.load.schedule.ScheduleReader;
import dev.spillway.simulation.lab.Outcome.Event;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The three schedules whose figures the texts and the design give. */
class GoldenSchedulesTest {
    static CallTimes schedule(String name) throws Exception {
        return CallTimes.of(ScheduleReader.read(Path.of("schedules", name + ".json")));
    }

    private static Outcome run(String name, ScaleOutRule out, ScaleInRule in) throws Exception {
        return Replay.run(schedule(name), Contenders.rules(out, in), Conditions.STANDARD);
    }

    private static List<Double> readyAt(Outcome outcome) {
        return outcome.timeline().stream()
                .filter(event -> event.event().equals("ready"))
                .map(Event::atSeconds)
                .toList();
    }

    @Test
    void twenty_calls_give_the_first_texts_table_of_containers_within_ten_seconds() throws Exception {
        Outcome outcome = run("twenty-calls", PLUS_ONE, IDLE);

        List<Double> ready = readyAt(outcome);
        assertThat(ready).hasSize(4);
        List<Integer> table = List.of(60, 120, 180, 250);
        for (int n = 0; n < 4; n++) {
            assertThat(ready.get(n)).isCloseTo(table.get(n), within(10.0));
        }
        assertThat(outcome.peakContainers()).isEqualTo(4);
        assertThat(outcome.refused()).isZero();
        assertThat(outcome.gatewaySeconds().max()).isLessThan(70);
    }

    @ParameterizedTest
    @EnumSource(
            value = ScaleOutRule.class,
            names = {"DEMAND", "AHEAD"})
    void thirty_in_ten_seconds_are_handed_over_within_70_seconds_and_five_containers_are_asked_for_at_once(
            ScaleOutRule rule) throws Exception {
        Outcome outcome = run("thirty-in-ten", rule, CONSOLIDATE);

        double lastArrival = schedule("thirty-in-ten").arrivals().getLast().atMillis() / 1000.0;
        List<String> asked = outcome.timeline().stream()
                .filter(event -> event.atSeconds() <= lastArrival + 1)
                .map(Event::event)
                .filter(event -> event.startsWith("asked for"))
                .toList();
        assertThat(asked.getLast()).startsWith("asked for 5:");
        assertThat(outcome.gatewaySeconds().max()).isLessThanOrEqualTo(70);
        assertThat(outcome.refused()).isZero();
    }

    @Test
    void the_texts_scale_in_costs_what_the_independent_model_said() throws Exception {
        Outcome outcome = run("synthetic-day", PLUS_ONE, IDLE);

        assertThat(outcome.lowerBoundHours()).isCloseTo(28, within(0.1));
        assertThat(outcome.containerHours()).isCloseTo(95, within(3.0));
    }

    @Test
    void the_usual_rules_cost_at_most_1_4_of_the_least_and_3_percent_of_calls_touch_the_gateway() throws Exception {
        Outcome outcome = run("synthetic-day", AHEAD, CONSOLIDATE);

        assertThat(outcome.calls()).isEqualTo(1750);
        assertThat(outcome.ratio()).isLessThanOrEqualTo(1.40);
        assertThat(outcome.touchedShare()).isLessThanOrEqualTo(0.03);
        assertThat(outcome.gatewaySeconds().p95()).isZero();
        assertThat(outcome.refused()).isZero();
        assertThat(outcome.degraded()).isZero();
    }

    private static List<Outcome> days(LongFunction<CallTimes> day) {
        return LongStream.rangeClosed(1001, 1020)
                .mapToObj(
                        seed -> Replay.run(day.apply(seed), Contenders.rules(AHEAD, CONSOLIDATE), Conditions.STANDARD))
                .toList();
    }

    private static double sum(List<Outcome> days, ToDoubleFunction<Outcome> figure) {
        return days.stream().mapToDouble(figure).sum();
    }

    @Test
    void on_twenty_unseen_days_they_do_too_and_no_day_misses_the_target_by_much() {
        List<Outcome> days = days(seed -> SyntheticDays.SHARED.day("unseen", seed));

        assertThat(sum(days, Outcome::containerHours) / sum(days, Outcome::lowerBoundHours))
                .isLessThanOrEqualTo(1.40);
        assertThat(sum(days, Outcome::touchedGateway) / sum(days, Outcome::calls))
                .isLessThanOrEqualTo(0.03);
        assertThat(days).extracting(Outcome::ratio).allMatch(ratio -> ratio <= 1.45);
        assertThat(days).extracting(Outcome::touchedShare).allMatch(share -> share <= 0.05);
        assertThat(days).extracting(day -> day.gatewaySeconds().p95()).containsOnly(0.0);
        assertThat(days).extracting(Outcome::refused).containsOnly(0);
    }

    @Test
    void on_twenty_days_with_humps_at_other_hours_heights_and_widths_they_keep_the_target_together() {
        List<Outcome> days = days(seed -> SyntheticDays.varied(seed).day("unseen", seed));

        assertThat(sum(days, Outcome::containerHours) / sum(days, Outcome::lowerBoundHours))
                .isLessThanOrEqualTo(1.45);
        assertThat(sum(days, Outcome::touchedGateway) / sum(days, Outcome::calls))
                .isLessThanOrEqualTo(0.04);
        assertThat(days).extracting(Outcome::refused).containsOnly(0);
    }

    @Test
    void the_same_run_twice_comes_out_the_same() throws Exception {
        assertThat(run("synthetic-day", AHEAD, CONSOLIDATE)).isEqualTo(run("synthetic-day", AHEAD, CONSOLIDATE));
        assertThat(run("synthetic-day", DEMAND, IDLE)).isEqualTo(run("synthetic-day", DEMAND, IDLE));
    }
}
