package dev.spillway.simulation.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.simulation.lab.CallTimes.CallTime;
import dev.spillway.simulation.lab.Contender.Look;
import dev.spillway.simulation.lab.Contender.Rival;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RivalsTest {
    private static Look look(long seconds, int ready, int starting, int empty, int calls, int held) {
        return new Look(seconds * 1000, ready, starting, empty, calls, held);
    }

    @Test
    void cpu_tracking_waits_three_minutes_above_its_target() {
        Rival.Rule rule = Rivals.cpu(75).rule().get();

        // 8 calls on one container are 88 %.
        assertThat(rule.wanted(look(60, 1, 0, 0, 8, 0))).isEqualTo(1);
        assertThat(rule.wanted(look(120, 1, 0, 0, 8, 0))).isEqualTo(1);
        assertThat(rule.wanted(look(180, 1, 0, 0, 8, 0))).isEqualTo(2);
    }

    @Test
    void cpu_tracking_shrinks_after_fifteen_minutes_below() {
        Rival.Rule rule = Rivals.cpu(75).rule().get();

        for (int minute = 1; minute < 15; minute++) {
            assertThat(rule.wanted(look(60L * minute, 4, 0, 0, 6, 0))).isEqualTo(4);
        }
        assertThat(rule.wanted(look(900, 4, 0, 0, 6, 0))).isEqualTo(1);
    }

    @Test
    void agones_keeps_two_empty_containers() {
        assertThat(Rivals.agones(6).rule().get().wanted(look(30, 3, 0, 1, 9, 0)))
                .isEqualTo(4);
        assertThat(Rivals.agones(6).rule().get().wanted(look(30, 0, 0, 0, 0, 0)))
                .isEqualTo(2);
    }

    @Test
    void calls_plus_buffer_rounds_up_and_shrinks_by_one_a_minute_after_ten() {
        Rival.Rule rule = Rivals.bufferedCalls(6).rule().get();

        assertThat(rule.wanted(look(15, 2, 0, 0, 9, 0))).isEqualTo(4); // (9 + 10) / 6
        for (int n = 2; n <= 40; n++) {
            assertThat(rule.wanted(look(15L * n, 4, 0, 0, 0, 0))).isEqualTo(4);
        }
        assertThat(rule.wanted(look(15 * 41, 4, 0, 0, 0, 0))).isEqualTo(3);
        assertThat(rule.wanted(look(15 * 42, 3, 0, 0, 0, 0))).isEqualTo(3);
    }

    @Test
    void knative_goes_by_the_average_of_a_minute_and_to_zero_after_it() {
        Rival.Rule rule = Rivals.knative(6).rule().get();

        int wanted = 0;
        for (int n = 1; n <= 30; n++) {
            wanted = rule.wanted(look(2L * n, 3, 0, 0, 12, 0));
        }
        assertThat(wanted).isEqualTo(3); // 12 / 4.2
        for (int n = 31; n <= 80; n++) {
            wanted = rule.wanted(look(2L * n, 1, 0, 1, 0, 0));
        }
        assertThat(wanted).isZero();
    }

    @Test
    void a_system_that_counts_no_calls_degrades_them_and_answers_nobody_without_containers() {
        CallTimes eight = new CallTimes(
                "eight",
                "",
                IntStream.range(0, 8)
                        .mapToObj(n -> new CallTime(n * 1000L, 100_000))
                        .toList(),
                600_000);

        Outcome outcome = Replay.run(eight, Rivals.cpu(75), Conditions.STANDARD);
        assertThat(outcome.degraded()).isEqualTo(8);
        assertThat(outcome.touchedGateway()).isZero();

        Rival none = new Rival("none", "", false, false, 0, java.time.Duration.ofMinutes(1), () -> look -> 0);
        assertThat(Replay.run(eight, none, Conditions.STANDARD).refused()).isEqualTo(8);
    }

    @Test
    void every_rival_gets_through_a_day() {
        CallTimes day = SyntheticDays.SHARED.day("a", 3);

        assertThat(Rivals.all(6)).allSatisfy(rival -> {
            Outcome outcome = Replay.run(day, rival, Conditions.STANDARD);
            assertThat(outcome.calls()).isEqualTo(day.arrivals().size());
            assertThat(outcome.containerHours()).isGreaterThanOrEqualTo(outcome.lowerBoundHours() * 0.9);
        });
        assertThat(List.copyOf(Rivals.all(6))).allMatch(rival -> !rival.about().isBlank());
    }
}
