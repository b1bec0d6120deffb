package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.system.ChaosPlan.Blow;
import dev.spillway.system.ChaosPlan.Fault;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChaosPlanTest {
    @Test
    void a_seed_gives_the_same_plan_and_another_seed_another() {
        ChaosPlan plan = ChaosPlan.of(1, Duration.ofSeconds(60));
        assertThat(ChaosPlan.of(1, Duration.ofSeconds(60))).isEqualTo(plan);
        assertThat(ChaosPlan.of(2, Duration.ofSeconds(60))).isNotEqualTo(plan);
    }

    @Test
    void every_fault_is_in_every_plan_and_no_two_are_closer_than_twelve_seconds() {
        for (long seed = 1; seed <= 20; seed++) {
            List<Blow> blows = ChaosPlan.of(seed, Duration.ofSeconds(60)).blows();
            assertThat(blows).extracting(Blow::fault).contains(Fault.values());
            for (int i = 0; i < blows.size(); i++) {
                assertThat(blows.get(i).at()).isEqualTo(Duration.ofSeconds(60 + 12L * i));
            }
        }
    }
}
