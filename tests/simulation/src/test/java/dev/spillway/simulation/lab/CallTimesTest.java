package dev.spillway.simulation.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.spillway.simulation.lab.CallTimes.CallTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallTimesTest {
    private static CallTime call(long fromSeconds, long toSeconds) {
        return new CallTime(fromSeconds * 1000, toSeconds * 1000);
    }

    @Test
    void the_lower_bound_is_the_sum_over_time_of_the_containers_that_the_live_calls_fill() {
        // Two slots: one container from 0 to 3600, a second one from 1200 to 1800 while three calls talk.
        CallTimes times = new CallTimes("three", "", List.of(call(0, 3600), call(600, 1800), call(1200, 2400)), 0);

        assertThat(times.lowerBoundHours(2)).isCloseTo(1 + 600.0 / 3600, within(1e-9));
        assertThat(times.lowerBoundHours(1)).isCloseTo((3600 + 1200 + 1200) / 3600.0, within(1e-9));
    }

    @Test
    void without_calls_nothing_is_needed() {
        CallTimes times = new CallTimes("two", "", List.of(call(0, 60), call(3600, 3660)), 0);

        assertThat(times.lowerBoundHours(6)).isCloseTo(120 / 3600.0, within(1e-9));
    }

    @Test
    void a_day_of_a_seed_is_the_same_each_time_and_has_about_as_many_calls_as_the_shared_one() {
        CallTimes day = SyntheticDays.SHARED.day("a", 42);

        assertThat(day.arrivals()).isEqualTo(SyntheticDays.SHARED.day("a", 42).arrivals());
        assertThat(day.arrivals()).hasSizeBetween(1550, 1950);
        assertThat(day.arrivals()).isSortedAccordingTo((a, b) -> Long.compare(a.atMillis(), b.atMillis()));
        assertThat(day.lowerBoundHours(6)).isCloseTo(28, within(3.0));
    }
}
