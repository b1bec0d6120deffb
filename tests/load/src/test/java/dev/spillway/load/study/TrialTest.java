package dev.spillway.load.study;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.load.Runs;
import dev.spillway.load.adapter.Answer;
import dev.spillway.load.adapter.Inventory;
import dev.spillway.load.adapter.InventorySource;
import dev.spillway.load.adapter.Operation;
import dev.spillway.load.adapter.TestAdapter;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.report.Report;
import dev.spillway.load.report.Run;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrialTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    /** Completes every call at once; the slot of the probe stays claimed for one more look. */
    private static final class LettingGoLate extends TestAdapter implements InventorySource {
        private int looksWithAClaim;

        @Override
        public Answer call(Operation operation) {
            if (operation.arrival().id() < 0) {
                looksWithAClaim = 1;
            }
            return new Answer(Outcome.COMPLETED, "");
        }

        @Override
        public Optional<InventorySource> inventory() {
            return Optional.of(this);
        }

        @Override
        public synchronized Inventory read() {
            return new Inventory(0, 0, looksWithAClaim-- > 0 ? 1 : 0, 0, 6, 0, null, 0, null, 0, "test", 1L, 0);
        }
    }

    @Test
    void theProbesOwnSlotIsNotTakenForOneThatTheRunLeftBehind() throws Exception {
        Report report = Trial.run(
                Runs.schedule(0),
                new LettingGoLate(),
                folder.resolve("one"),
                Trial.Bounds.of(1, Duration.ofSeconds(1), Duration.ofSeconds(20)),
                session -> {});

        List<Run.Look> looks = report.run().looks();
        assertThat(looks.stream().filter(look -> look.when().equals("after the probe")))
                .hasSize(2);
        assertThat(looks.getLast().when()).isEqualTo("at the end");
        assertThat(looks.getLast().inventory().claims()).isZero();
    }
}
