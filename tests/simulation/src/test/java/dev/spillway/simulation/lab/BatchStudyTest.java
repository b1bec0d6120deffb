package dev.spillway.simulation.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.outbound.OutboundPolicy.Warmth;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BatchStudyTest {
    private static BatchStudy.Result run(int marginMinutes, int keepMinutes) {
        return BatchStudy.run(
                new Warmth(Duration.ofMinutes(marginMinutes), Duration.ofMinutes(keepMinutes)), Duration.ofMinutes(30));
    }

    @Test
    void with_the_usual_margin_the_first_wave_is_dialled_at_its_time_and_without_one_a_cold_start_later() {
        // The twelfth of a wave waits 11 s for its turn: a dial a second.
        assertThat(run(2, 10).firstWaitMean()).isLessThan(8);
        assertThat(run(0, 10).firstWaitMean()).isGreaterThan(30);
    }

    @Test
    void a_longer_margin_costs_more_and_gains_nothing() {
        assertThat(run(4, 10).hours()).isGreaterThan(run(2, 10).hours());
        assertThat(run(4, 10).firstWaitMean()).isGreaterThan(run(2, 10).firstWaitMean() - 1);
    }
}
