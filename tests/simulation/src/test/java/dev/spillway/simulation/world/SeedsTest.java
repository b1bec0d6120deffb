package dev.spillway.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SeedsTest {
    /** As many as CI runs of every commit; a longer run is {@code ./spillway simulate --seeds 100000 --minutes 60}. */
    private static final int SEEDS = 2_000;

    @Test
    void the_invariants_hold_through_two_thousand_seeds() {
        Seeds.Result result = Seeds.run(1, SEEDS, Mutation.NONE, 3, () -> true);
        System.out.println("simulation: " + result.words());
        assertThat(result.failures().stream().map(Report::brief)).isEmpty();
        assertThat(result.ran()).as("seeds that were run").isEqualTo(SEEDS);
    }

    @Test
    void a_seed_is_always_the_same_run() {
        for (long seed : LongStream.rangeClosed(1, 5).toArray()) {
            Outcome first = new World(Scenario.of(seed), Set.of(), Mutation.NONE, true).run();
            Outcome second = new World(Scenario.of(seed), Set.of(), Mutation.NONE, true).run();
            assertThat(second.trace()).as("seed " + seed).isEqualTo(first.trace());
            assertThat(second.hash()).isEqualTo(first.hash());
        }
    }

    @Test
    void a_scenario_without_one_caller_is_the_same_for_the_others() {
        Scenario whole = Scenario.of(7);
        Scenario less = whole.without(Set.of("arrival 1"));
        assertThat(less.arrivals())
                .isEqualTo(whole.arrivals().subList(1, whole.arrivals().size()));
        assertThat(less.mishaps()).isEqualTo(whole.mishaps());
        assertThat(List.of(less.profile(), less.manners(), less.delivery()))
                .isEqualTo(List.of(whole.profile(), whole.manners(), whole.delivery()));
    }
}
