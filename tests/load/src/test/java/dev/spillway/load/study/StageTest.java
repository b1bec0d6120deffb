package dev.spillway.load.study;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.load.Runs;
import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.Answer;
import dev.spillway.load.adapter.Operation;
import dev.spillway.load.adapter.SyntheticAdapter;
import dev.spillway.load.adapter.TestAdapter;
import dev.spillway.load.ledger.Evidence;
import dev.spillway.load.ledger.Evidence.Gap;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.replay.Permission;
import dev.spillway.load.replay.Session;
import dev.spillway.load.replay.StopRules;
import dev.spillway.load.report.Figures;
import dev.spillway.load.report.Report;
import dev.spillway.load.schedule.Direction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StageTest {
    private static final long SECOND = 1_000_000_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private static Row row(int id, Outcome outcome) {
        return new Row(
                id,
                "default",
                Direction.INBOUND,
                0,
                outcome.started() ? Long.valueOf(0) : null,
                outcome == Outcome.COMPLETED ? Long.valueOf(0) : null,
                outcome.started() ? Long.valueOf(30 * SECOND) : null,
                outcome,
                "",
                null,
                null);
    }

    @Test
    void whoWasRefusedIsToldApartFromWhatFailed() {
        Figures figures = new Figures(
                4,
                List.of(
                        row(0, Outcome.COMPLETED),
                        row(1, Outcome.REJECTED),
                        row(2, Outcome.TIMEOUT),
                        row(3, Outcome.GENERATOR_DROPPED)));
        Stage stage = new Stage("inbound-4", 4, figures, 30, 10, Optional.empty(), List.of(), "");

        assertThat(stage.refused()).isEqualTo(1);
        assertThat(stage.failed()).isEqualTo(2);
        // one call was up from the end of the first call length to the end
        assertThat(stage.sustained()).isEqualTo(1);
        assertThat(stage.isSustained()).isFalse();
        assertThat(Stage.table(List.of(stage)).getLast().replaceAll(" +", " "))
                .isEqualTo("inbound-4 4 1.0 1 2 2.0 n/a 0 NOT SUSTAINED");
    }

    @Test
    void silencesAreCountedAndTheLongestIsTold() {
        Row silent = new Row(
                0,
                "default",
                Direction.INBOUND,
                0,
                0L,
                0L,
                30 * SECOND,
                Outcome.COMPLETED,
                "",
                null,
                new Evidence(
                        List.of(),
                        List.of(new Gap(SECOND, 1_200_000_000), new Gap(5 * SECOND, 3 * SECOND)),
                        List.of(),
                        null));
        Stage stage = new Stage("one", 1, new Figures(1, List.of(silent)), 30, 10, Optional.empty(), List.of(), "");

        assertThat(Stage.table(List.of(stage)).getLast()).contains(" 2, to 3.0 s");
    }

    @Test
    void aStageWithoutAContainerToKillProvesNothing() {
        Figures figures = new Figures(1, List.of(row(0, Outcome.COMPLETED)));

        Stage stage = new Stage(
                "killed", 1, figures, 30, 10, Optional.empty(), List.of("there was no container to kill"), "");

        assertThat(stage.isSustained()).isFalse();
        assertThat(Stage.table(List.of(stage)).getLast()).contains("NOT SUSTAINED; there was no container to kill");
        assertThat(new Stage("all", 1, figures, 30, 10, Optional.empty(), List.of(), "").isSustained())
                .isTrue();
    }

    @Test
    void aTrialThatIsStoppedKeepsARowForEveryArrivalAndItsReport() throws Exception {
        AtomicReference<@Nullable Session> running = new AtomicReference<>();
        FutureTask<Report> trial = new FutureTask<>(() -> {
            try (var adapter = new SyntheticAdapter(new SyntheticAdapter.Settings(60.0, 0))) {
                return Trial.run(
                        Runs.schedule(0, 0, 300),
                        adapter,
                        folder,
                        Trial.Bounds.of(9, Duration.ofSeconds(90), Duration.ofMillis(1)),
                        running::set);
            }
        });
        Thread.ofVirtual().start(trial);
        Path journal = folder.resolve("journal.jsonl");
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> Files.exists(journal)
                        && Files.readString(journal)
                                        .lines()
                                        .filter(line -> line.contains("\"e\":\"start\""))
                                        .count()
                                == 2);

        Objects.requireNonNull(running.get()).stop("interrupted");
        Report report = trial.get(30, TimeUnit.SECONDS);

        assertThat(report.figures().rows())
                .extracting(Row::outcome)
                .containsExactly(Outcome.CANCELED, Outcome.CANCELED, Outcome.NOT_ATTEMPTED);
        assertThat(report.run().stopped()).contains("interrupted");
        assertThat(folder.resolve("report.json")).exists();
    }

    @Test
    void aTrialHoldsItsAuthorisation() throws Exception {
        Permission permission = Permission.of("""
                {"owner": "operations", "expires": "2999-12-01T00:00:00Z", "destinations": ["calls.example"],
                 "maxConcurrency": 1, "maxPerSecond": 50, "maxSeconds": 60}
                """.getBytes(StandardCharsets.UTF_8));
        var bounds = new Trial.Bounds(9, Duration.ofSeconds(9), Duration.ofMillis(1), StopRules.NONE, permission);
        try (var adapter = new SyntheticAdapter(new SyntheticAdapter.Settings(0.5, 0))) {
            Report report = Trial.run(Runs.schedule(0, 0), adapter, folder, bounds, session -> {});

            assertThat(report.figures().count(Outcome.GENERATOR_DROPPED)).isEqualTo(1);
            assertThat(folder.resolve("authorisation.json")).exists();
        }
    }

    /** A system that answers every call, and every probe as told. */
    private static Adapter phone(Answer probe) {
        return new TestAdapter() {
            @Override
            public Answer call(Operation operation) {
                return operation.arrival().id() < 0 ? probe : Answer.COMPLETED;
            }
        };
    }

    @Test
    void aProbeThatIsNotAnsweredMissesItsCriterion() throws Exception {
        var bounds = Trial.Bounds.of(9, Duration.ofSeconds(9), Duration.ofMillis(1));

        Report answered =
                Trial.run(Runs.schedule(0), phone(Answer.COMPLETED), folder.resolve("yes"), bounds, session -> {});
        Report refused = Trial.run(
                Runs.schedule(0), phone(Answer.rejected("full")), folder.resolve("no"), bounds, session -> {});

        assertThat(answered.verdict().serviceMet()).isTrue();
        assertThat(refused.verdict().service())
                .filteredOn(finding -> !finding.met())
                .extracting(finding -> finding.rule().measure())
                .containsExactly("probeAnswered");
    }

    @Test
    void aStageThatTheGeneratorSpoiltSaysNothingOfTheService() {
        Figures none = new Figures(0, List.of());
        Stage good = new Stage("one", 1, none, 30, 10, Optional.empty(), List.of(), "");
        Stage refused = new Stage("two", 1, new Figures(1, List.of()), 30, 10, Optional.empty(), List.of(), "");
        Stage late = new Stage("three", 1, none, 30, 10, Optional.of("it sent a frame 700 ms late"), List.of(), "");

        assertThat(SustainCommand.exitCode(List.of(good), true)).isZero();
        assertThat(SustainCommand.exitCode(List.of(good), false)).isEqualTo(3);
        assertThat(SustainCommand.exitCode(List.of(good, refused), true)).isEqualTo(3);
        assertThat(SustainCommand.exitCode(List.of(good, late), true)).isEqualTo(2);
        assertThat(SustainCommand.exitCode(List.of(good, refused, late), true)).isEqualTo(3);
        assertThat(late.isSustained()).isFalse();
        assertThat(Stage.table(List.of(late)).getLast())
                .contains("INVALID: the generator did not do its part: it sent a frame 700 ms late");
    }
}
