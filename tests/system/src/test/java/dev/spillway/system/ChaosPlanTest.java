package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.localcloud.twilio.CallHistory.Gap;
import dev.spillway.localcloud.twilio.Moment;
import dev.spillway.system.ChaosDemo.Hit;
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

    @Test
    void after_a_freeze_a_caller_may_hear_nothing_until_it_can_be_noticed_and_after_all_else_for_three_seconds() {
        Timing usual = Timing.STANDARD;
        assertThat(Fault.KILL.mostSilence(usual)).hasSeconds(3);
        assertThat(Fault.CUT_OFF.mostSilence(usual)).hasSeconds(3);
        assertThat(Fault.FREEZE.mostSilence(usual)).hasSeconds(116);
        assertThat(Fault.FREEZE.mostSilence(usual.scaled(10))).hasSeconds(36);
    }

    @Test
    void what_a_freeze_allows_is_allowed_to_the_silence_that_it_causes_and_to_no_other() {
        Timing fast = Timing.STANDARD.scaled(10);
        Moment frozen = Moment.now();
        List<Hit> struck = List.of(new Hit(frozen, Fault.FREEZE), new Hit(after(frozen, 48), Fault.KILL));

        assertThat(ChaosDemo.bearable(gap(frozen, -1, 9), struck, fast)).hasSeconds(36);
        assertThat(ChaosDemo.bearable(gap(frozen, 5, 9), struck, fast)).hasSeconds(36);
        assertThat(ChaosDemo.bearable(gap(frozen, -5, 4), struck, fast)).hasSeconds(3);
        assertThat(ChaosDemo.bearable(gap(frozen, 48, 9), struck, fast)).hasSeconds(3);
        assertThat(ChaosDemo.bearable(gap(frozen, 5, 9), List.of(), fast)).hasSeconds(3);
    }

    private static Gap gap(Moment start, int seconds, int length) {
        return new Gap(after(start, seconds), Duration.ofSeconds(length));
    }

    private static Moment after(Moment start, int seconds) {
        return new Moment(
                start.nanos() + Duration.ofSeconds(seconds).toNanos(),
                start.wall().plusSeconds(seconds));
    }
}
