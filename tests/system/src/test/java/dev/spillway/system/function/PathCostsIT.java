package dev.spillway.system.function;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.system.function.PathCosts.Requests;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DESIGN.md's budget before TwiML, lost races aside. */
class PathCostsIT {
    @Test
    void an_overflowing_call_costs_two_reads_and_three_writes(@TempDir Path work) throws Exception {
        Path dynalite = Path.of(System.getProperty("spillway.home")).resolve("tests/localcloud/dynalite");
        try (FunctionGround ground = new FunctionGround(dynalite, work)) {
            Play play = new Play(ground);
            play.fallback("CA%032d".formatted(1));

            Requests overflow = PathCosts.of(play).values().iterator().next();

            assertThat(overflow.reads()).isLessThanOrEqualTo(2);
            assertThat(overflow.writes()).isLessThanOrEqualTo(3);
            play.functions().close();
        }
    }

    @Test
    void a_call_straight_to_a_container_costs_one_write_before_twiml_and_its_copy_after_it(@TempDir Path work)
            throws Exception {
        Path dynalite = Path.of(System.getProperty("spillway.home")).resolve("tests/localcloud/dynalite");
        try (FunctionGround ground = new FunctionGround(dynalite, work)) {
            assertThat(DirectPath.costs(ground).values()).containsExactly(new Requests(0, 1), new Requests(0, 1));
        }
    }
}
