package dev.spillway.core.scaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TuningTest {
    @Test
    void free_slots_grow_with_the_square_root_of_the_calls_and_a_little_with_the_calls() {
        assertThat(Tuning.STANDARD.spare(0)).isZero();
        assertThat(Tuning.STANDARD.spare(1)).isEqualTo(1);
        assertThat(Tuning.STANDARD.spare(16)).isEqualTo(3);
        assertThat(Tuning.STANDARD.spare(100)).isEqualTo(10); // 5 and 5
        assertThat(Tuning.STANDARD.spare(1000)).isEqualTo(66); // 16 and 50
    }

    @Test
    void a_container_is_too_much_only_with_a_slot_more() {
        assertThat(Tuning.STANDARD.spareBeforeDraining(0)).isZero();
        assertThat(Tuning.STANDARD.spareBeforeDraining(16)).isEqualTo(4); // 2, 0.8 and 1
    }

    @Test
    void negative_figures_are_refused() {
        assertThatThrownBy(() -> new Tuning(-1, 0, 0, Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Tuning(0, 0, Double.NaN, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
