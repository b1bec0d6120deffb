package dev.spillway.media.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SetupBudgetTest {
    private static final long START = 1_000;

    private final SetupBudget.Begun setup = SetupBudget.STANDARD.begin(START);

    private static long after(long millis) {
        return START + millis * 1_000_000;
    }

    @Test
    void the_configuration_may_use_all_of_the_twelve_seconds() {
        assertThat(setup.left(after(0))).isEqualTo(Duration.ofSeconds(12));
        assertThat(setup.left(after(11_999))).isEqualTo(Duration.ofMillis(1));
        assertThat(setup.left(after(13_000))).isZero();
    }

    @Test
    void a_container_is_waited_for_five_seconds_at_most_of_what_is_left() {
        assertThat(setup.forContainer(after(0))).isEqualTo(Duration.ofSeconds(5));
        assertThat(setup.forContainer(after(7_000))).isEqualTo(Duration.ofSeconds(5));
        assertThat(setup.forContainer(after(9_000))).isEqualTo(Duration.ofSeconds(3));
        assertThat(setup.forContainer(after(12_000))).isZero();
    }

    @Test
    void it_is_spent_after_twelve_seconds() {
        assertThat(setup.isSpent(after(11_999))).isFalse();
        assertThat(setup.isSpent(after(12_000))).isTrue();
    }

    @Test
    void a_container_never_gets_more_than_the_whole() {
        assertThatThrownBy(() -> new SetupBudget(Duration.ofSeconds(4), Duration.ofSeconds(5)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
