package dev.spillway.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimingTest {
    @Test
    void the_standard_figures_are_those_of_the_design() {
        Timing standard = Timing.STANDARD;

        assertThat(standard.heartbeat()).isEqualTo(Duration.ofSeconds(10));
        assertThat(standard.heldHeartbeat()).isEqualTo(Duration.ofSeconds(2));
        assertThat(standard.expiry()).isEqualTo(Duration.ofSeconds(30));
        assertThat(standard.lostAfter()).isEqualTo(Duration.ofSeconds(90));
        assertThat(standard.outageQuiet()).isEqualTo(Duration.ofMinutes(1));
        assertThat(standard.coldStart()).isEqualTo(Duration.ofMinutes(1));
        assertThat(standard.launchDeadline()).isEqualTo(Duration.ofMinutes(3));
        assertThat(standard.idleWindow()).isEqualTo(Duration.ofMinutes(10));
        assertThat(standard.scaleInLock()).isEqualTo(Duration.ofSeconds(30));
        assertThat(standard.protection()).isEqualTo(Duration.ofMinutes(10));
        assertThat(standard.turnBoundary()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void the_controller_is_silent_after_three_rounds_and_a_visit_keeps_its_pool_for_one_at_most() {
        assertThat(Timing.STANDARD.round()).isEqualTo(Duration.ofMinutes(1));
        assertThat(Timing.STANDARD.controllerExpiry()).isEqualTo(Duration.ofMinutes(3));
        assertThat(Timing.STANDARD.backgroundLease()).isEqualTo(Duration.ofMinutes(1));
        assertThat(Timing.STANDARD.backgroundPatience()).isEqualTo(Duration.ofSeconds(10));
        assertThat(Timing.STANDARD.silenceLook()).isEqualTo(Duration.ofSeconds(20));

        Timing fast = Timing.STANDARD.scaled(20);
        assertThat(fast.round()).isEqualTo(Duration.ofSeconds(3));
        assertThat(fast.controllerExpiry()).isEqualTo(Duration.ofSeconds(10));
        assertThat(fast.backgroundLease()).isEqualTo(Duration.ofSeconds(10));
        assertThat(fast.backgroundPatience()).isEqualTo(Duration.ofSeconds(2));
        assertThat(fast.silenceLook()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void at_speed_10_a_cold_start_takes_6_seconds_and_the_idle_window_one_minute() {
        Timing fast = Timing.STANDARD.scaled(10);

        assertThat(fast.coldStart()).isEqualTo(Duration.ofSeconds(6));
        assertThat(fast.idleWindow()).isEqualTo(Duration.ofMinutes(1));
        assertThat(fast.launchDeadline()).isEqualTo(Duration.ofSeconds(18));
        assertThat(fast.scaleInLock()).isEqualTo(Duration.ofSeconds(3));
        assertThat(fast.protection()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void heartbeats_stay_at_2_seconds_and_expiry_at_6_seconds_at_least() {
        for (double speed : new double[] {5, 10, 60, 1000}) {
            Timing fast = Timing.STANDARD.scaled(speed);
            assertThat(fast.heartbeat()).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
            assertThat(fast.expiry()).isGreaterThanOrEqualTo(Duration.ofSeconds(6));
            assertThat(fast.heldHeartbeat()).isEqualTo(Duration.ofSeconds(2));
        }
        assertThat(Timing.STANDARD.scaled(10).heartbeat()).isEqualTo(Duration.ofSeconds(2));
        assertThat(Timing.STANDARD.scaled(10).expiry()).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void what_a_caller_hears_stays_in_real_time() {
        Timing fast = Timing.STANDARD.scaled(60);

        assertThat(fast.turnBoundary()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void a_stream_may_be_opened_for_longer_than_twilio_waits_for_a_webhook() {
        assertThat(Timing.STANDARD.scaled(2).tokenLife()).isEqualTo(Duration.ofSeconds(30));
        assertThat(Timing.STANDARD.scaled(20).tokenLife()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void speed_1_changes_nothing_and_less_than_1_is_refused() {
        assertThat(Timing.STANDARD.scaled(1)).isEqualTo(Timing.STANDARD);
        for (double speed : new double[] {0.5, 0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> Timing.STANDARD.scaled(speed)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void an_expiry_of_less_than_two_heartbeats_is_refused() {
        Timing s = Timing.STANDARD;

        assertThatThrownBy(() -> new Timing(
                        Duration.ofSeconds(10),
                        s.heldHeartbeat(),
                        Duration.ofSeconds(19),
                        s.lostAfter(),
                        s.outageQuiet(),
                        s.coldStart(),
                        s.launchDeadline(),
                        s.idleWindow(),
                        s.scaleInLock(),
                        s.protection(),
                        s.turnBoundary(),
                        s.tokenLife(),
                        s.round()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
