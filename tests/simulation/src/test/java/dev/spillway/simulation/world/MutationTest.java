package dev.spillway.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The test that the test works: each planted fault is found, by the invariant that it breaks. */
class MutationTest {
    private static final int SEEDS = 2_000;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void every_planted_fault_is_found_within_two_thousand_seeds(Mutation planted) {
        Seeds.Result result = Seeds.run(1, SEEDS, planted, 1, () -> true);
        List<Outcome> found = result.failures().stream()
                .filter(failure ->
                        failure.violation().filter(planted::isFoundBy).isPresent())
                .toList();
        assertThat(found)
                .as(planted + ": " + planted.words() + "; after " + result.ran() + " seeds, with "
                        + result.failures().size() + " violations of other invariants")
                .isNotEmpty();
        System.out.println("planted: " + planted + " is found after " + result.ran() + " seeds: "
                + Report.brief(found.getFirst()));
    }
}
