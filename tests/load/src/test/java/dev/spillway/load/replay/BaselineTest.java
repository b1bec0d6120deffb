package dev.spillway.load.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.load.adapter.Inventory;
import dev.spillway.load.schedule.StartConditions;
import org.junit.jupiter.api.Test;

class BaselineTest {
    private static final StartConditions WARM = new StartConditions("warm", null, null);
    private static final StartConditions ZERO = new StartConditions("zero", null, null);

    private static Inventory inventory(int containers, int claims) {
        return new Inventory(containers, 0, claims, 0, 6, 0, null, 0, null, 0, "test", 1L, 0);
    }

    @Test
    void aPoolThatWasWantedWarmMayKeepItsContainerAndNoCall() {
        assertThat(Session.baseline(WARM).test(inventory(1, 0))).isTrue();
        assertThat(Session.baseline(WARM).test(inventory(1, 1))).isFalse();
        assertThat(Session.baseline(ZERO).test(inventory(1, 0))).isFalse();
        assertThat(Session.baseline(StartConditions.NONE).test(inventory(1, 0))).isFalse();
        assertThat(Session.baseline(StartConditions.NONE).test(inventory(0, 0))).isTrue();
    }

    @Test
    void poolsAreWarmOnlyIfEachOfThemHasAContainer() {
        assertThat(new Inventory(2, 0, 0, 0, 6, 0, null, 0, null, 0, "test", 1L, 1).isWarm())
                .isFalse();
        assertThat(new Inventory(2, 0, 0, 0, 6, 0, null, 0, null, 0, "test", 1L, 0).isWarm())
                .isTrue();
        assertThat(inventory(0, 0).isWarm()).isFalse();
    }
}
