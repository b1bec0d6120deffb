package dev.spillway.load.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.spillway.load.Runs;
import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.Answer;
import dev.spillway.load.adapter.NotSentException;
import dev.spillway.load.adapter.Operation;
import dev.spillway.load.adapter.TestAdapter;
import dev.spillway.load.adapter.UnknownOutcomeException;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.ledger.Evidence;
import dev.spillway.load.ledger.Journal;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.report.Figures;
import dev.spillway.load.schedule.Schedule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The fixtures of the text on bursty arrivals, and what they leave open. */
class ReplayTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final AtomicInteger runs = new AtomicInteger();

    private interface Behaviour {
        Answer call(Operation operation) throws Exception;
    }

    private static Adapter adapter(Behaviour behaviour) {
        return new TestAdapter() {
            @Override
            public Set<String> hosts() {
                return Set.of();
            }

            @Override
            public boolean lastsAsLongAsItsCall() {
                return false;
            }

            @Override
            public Answer call(Operation operation) throws Exception {
                return behaviour.call(operation);
            }
        };
    }

    private static Limits limits(int inFlight, Duration timeout) {
        return new Limits(inFlight, timeout, Duration.ofMillis(300));
    }

    private Replay.Ended run(Schedule schedule, Limits limits, StopRules rules, Behaviour behaviour) throws Exception {
        try (Journal journal = new Journal(folder.resolve("journal-" + runs.incrementAndGet()))) {
            return new Replay(schedule, 1, limits, rules, adapter(behaviour), journal).run();
        }
    }

    private Row one(Behaviour behaviour) throws Exception {
        return run(Runs.schedule(0), limits(4, Duration.ofSeconds(5)), StopRules.NONE, behaviour)
                .rows()
                .getFirst();
    }

    @Test
    void threeAtOnceWithTwoWorkersAreTwoCompletedAndOneDropped() throws Exception {
        ConcurrentLinkedQueue<Integer> called = new ConcurrentLinkedQueue<>();
        CountDownLatch offered = new CountDownLatch(1);
        Schedule schedule = Runs.schedule(0, 0, 0);

        FutureTask<Replay.Ended> run =
                new FutureTask<>(() -> run(schedule, limits(2, Duration.ofSeconds(5)), StopRules.NONE, operation -> {
                    called.add(operation.arrival().id());
                    offered.await();
                    return Answer.COMPLETED;
                }));
        Thread.ofVirtual().start(run);
        await().atMost(Duration.ofSeconds(5)).until(() -> called.size() == 2);
        offered.countDown();
        List<Row> rows = run.get(10, TimeUnit.SECONDS).rows();

        assertThat(rows)
                .extracting(Row::outcome)
                .containsExactly(Outcome.COMPLETED, Outcome.COMPLETED, Outcome.GENERATOR_DROPPED);
        assertThat(called).containsExactlyInAnyOrder(0, 1);
        assertThat(rows.get(2).started()).isNull();
        assertThat(rows.get(2).finished()).isNull();
        assertThat(rows.getFirst().scheduled()).isZero();
        Figures figures = new Figures(3, rows);
        assertThat(figures.started()).isEqualTo(2);
        assertThat(figures.missing()).isZero();
        assertThat(figures.startLateness().count()).isEqualTo(2);
    }

    @Test
    void arrivalsDoNotWaitForThoseBeforeThem() throws Exception {
        CountDownLatch last = new CountDownLatch(1);

        List<Row> rows = run(
                        Runs.schedule(0, 0.02, 0.04), limits(4, Duration.ofSeconds(10)), StopRules.NONE, operation -> {
                            if (operation.arrival().id() == 2) {
                                last.countDown();
                            }
                            last.await(); // the first two end only when the third has begun
                            return Answer.COMPLETED;
                        })
                .rows();

        assertThat(rows).extracting(Row::outcome).containsOnly(Outcome.COMPLETED);
        assertThat(rows).extracting(Row::scheduled).containsExactly(0L, 20_000_000L, 40_000_000L);
        assertThat(rows).allSatisfy(row -> assertThat(row.started()).isGreaterThanOrEqualTo(row.scheduled()));
    }

    @Test
    void whatTheServiceAnswersIsWhatTheRowSays() throws Exception {
        assertThat(one(any -> Answer.rejected("full")).outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(one(any -> {
                            throw new IllegalStateException("broken");
                        })
                        .outcome())
                .isEqualTo(Outcome.ADAPTER_ERROR);
        assertThat(one(any -> new Answer(Outcome.GENERATOR_DROPPED, "nonsense")).outcome())
                .isEqualTo(Outcome.ADAPTER_ERROR);
        assertThat(one(any -> {
                            throw new NotSentException("nobody there");
                        })
                        .outcome())
                .isEqualTo(Outcome.CONNECTION_REFUSED);
        assertThat(one(any -> {
                            throw new UnknownOutcomeException("gone");
                        })
                        .outcome())
                .isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void whatTakesTooLongIsATimeout() throws Exception {
        Row row = run(Runs.schedule(0), limits(4, Duration.ofMillis(1)), StopRules.NONE, any -> {
                    new CountDownLatch(1).await();
                    return Answer.COMPLETED;
                })
                .rows()
                .getFirst();

        assertThat(row.outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(new Figures(1, List.of(row)).responses().count()).isZero();
        assertThat(new Figures(1, List.of(row)).timeoutsWaited().count()).isEqualTo(1);
    }

    @Test
    void anOperationThatDoesNotComeBackIsCountedAsLeftOver() throws Exception {
        CountDownLatch over = new CountDownLatch(1);

        Replay.Ended ended = run(Runs.schedule(0), limits(4, Duration.ofMillis(1)), StopRules.NONE, any -> {
            return deaf(over);
        });
        over.countDown();

        assertThat(ended.leftOver()).isEqualTo(1);
        assertThat(ended.rows().getFirst().outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(ended.rows().getFirst().detail()).contains("cleanup");
    }

    /** Ends when it likes, as no adapter may. */
    private static Answer deaf(CountDownLatch over) {
        while (over.getCount() > 0) {
            java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
        }
        return Answer.COMPLETED;
    }

    @Test
    void anEmptyScheduleIsAnEmptyRun() throws Exception {
        assertThat(run(Runs.schedule(), limits(1, Duration.ofSeconds(1)), StopRules.NONE, any -> Answer.COMPLETED)
                        .rows())
                .isEmpty();
    }

    @Test
    void aStopLeavesARowForEveryArrival() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        Journal journal = new Journal(folder.resolve("stopped"));
        Replay replay = new Replay(
                Runs.schedule(0, 0, 60),
                1,
                limits(4, Duration.ofSeconds(60)),
                StopRules.NONE,
                adapter(operation -> {
                    if (operation.arrival().id() == 0) {
                        return Answer.COMPLETED;
                    }
                    entered.countDown();
                    new CountDownLatch(1).await();
                    return Answer.COMPLETED;
                }),
                journal);
        FutureTask<Replay.Ended> run = new FutureTask<>(replay::run);
        Thread.ofVirtual().start(run);
        assertThat(entered.await(5, TimeUnit.SECONDS)).isTrue();
        await().atMost(Duration.ofSeconds(5)).until(() -> replay.inFlight() == 1);

        replay.stop("enough");
        Replay.Ended ended = run.get(10, TimeUnit.SECONDS);
        journal.close();

        assertThat(ended.rows())
                .extracting(Row::outcome)
                .containsExactly(Outcome.COMPLETED, Outcome.CANCELED, Outcome.NOT_ATTEMPTED);
        assertThat(ended.stopped()).isEqualTo("enough");
        assertThat(ended.leftOver()).isZero();
        assertThat(Files.readString(folder.resolve("stopped")))
                .contains("\"e\":\"stop\"")
                .contains("enough");
    }

    @Test
    void whatIsStoppedBeforeItsFirstStepWasNeverAttemptedOrNeverStarted() throws Exception {
        Journal journal = new Journal(folder.resolve("early"));
        Replay replay = new Replay(
                Runs.schedule(0, 0),
                1,
                limits(4, Duration.ofSeconds(60)),
                StopRules.NONE,
                adapter(operation -> Answer.COMPLETED),
                journal);

        replay.stop("before the first");
        List<Row> rows = replay.run().rows();
        journal.close();

        assertThat(rows).allSatisfy(row -> {
            assertThat(row.outcome()).isIn(Outcome.NOT_ATTEMPTED, Outcome.CANCELED_BEFORE_START);
            assertThat(row.started()).isNull();
        });
    }

    @Test
    void tooManyRefusalsEndTheRun() throws Exception {
        StopRules rules = new StopRules(null, 2, null, null);

        Replay.Ended ended = run(
                Runs.schedule(0, 0, 0, 60, 60),
                limits(9, Duration.ofSeconds(5)),
                rules,
                any -> Answer.rejected("full"));

        assertThat(ended.stopped()).isEqualTo("3 refusals, more than 2");
        assertThat(ended.rows().subList(3, 5)).extracting(Row::outcome).containsOnly(Outcome.NOT_ATTEMPTED);
    }

    @Test
    void correctnessFailuresEndTheRun() throws Exception {
        Evidence wrong =
                new Evidence(List.of(new Evidence.TurnSeen(1, 1L, 2L, "interrupt", 0, 3)), List.of(), List.of(), null);

        Replay.Ended ended = run(
                Runs.schedule(0, 0, 60),
                limits(9, Duration.ofSeconds(5)),
                new StopRules(null, null, 1, null),
                operation -> {
                    operation.seen(wrong);
                    return Answer.COMPLETED;
                });

        assertThat(ended.stopped()).isEqualTo("2 correctness failures, more than 1");
        assertThat(ended.rows().get(2).outcome()).isEqualTo(Outcome.NOT_ATTEMPTED);
    }

    @Test
    void nothingIsLeftOverWhenEverybodyCameBack() throws Exception {
        for (int i = 0; i < 50; i++) {
            assertThat(run(
                                    Runs.schedule(0, 0, 0),
                                    limits(9, Duration.ofSeconds(5)),
                                    StopRules.NONE,
                                    any -> Answer.COMPLETED)
                            .leftOver())
                    .isZero();
        }
    }

    @Test
    void aWaveIsToldOfBeforeItsFirstCall() throws Exception {
        ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();
        Schedule plain = Runs.schedule(0, 1.5);
        Schedule schedule = new Schedule(
                plain.name(),
                "",
                null,
                null,
                null,
                plain.start(),
                plain.classes(),
                List.of(0.0, 1.5),
                0,
                plain.arrivals());
        try (Journal journal = new Journal(folder.resolve("waves"))) {
            Replay replay = new Replay(
                    schedule,
                    1,
                    limits(4, Duration.ofSeconds(5)),
                    StopRules.NONE,
                    adapter(operation -> {
                        events.add("call " + operation.arrival().id());
                        return Answer.COMPLETED;
                    }),
                    journal);
            replay.beforeEachWave(wave -> events.add("before wave " + wave));
            replay.run();
        }

        assertThat(events).containsExactly("before wave 0", "call 0", "before wave 1", "call 1");
    }

    @Test
    void theLongestTimeEndsTheRun() throws Exception {
        Replay.Ended ended = run(
                Runs.schedule(0, 60),
                limits(9, Duration.ofSeconds(5)),
                new StopRules(0.5, null, null, null),
                any -> Answer.COMPLETED);

        assertThat(ended.rows()).extracting(Row::outcome).containsExactly(Outcome.COMPLETED, Outcome.NOT_ATTEMPTED);
    }

    @Test
    void theJournalHoldsEveryRowAndEveryStart() throws Exception {
        Path file = folder.resolve("journal.jsonl");
        List<Row> rows;
        try (Journal journal = new Journal(file)) {
            rows = new Replay(
                            Runs.schedule(0, 0.01, 0.01),
                            1,
                            limits(9, Duration.ofSeconds(5)),
                            StopRules.NONE,
                            adapter(any -> Answer.COMPLETED),
                            journal)
                    .run()
                    .rows();
        }

        Bundle.Contents contents = new Bundle(folder).read();

        assertThat(contents.rows().values()).containsExactlyElementsOf(rows);
        assertThat(contents.started()).containsOnlyKeys(0, 1, 2);
        assertThatThrownBy(() -> new Journal(file)).isInstanceOf(java.nio.file.FileAlreadyExistsException.class);
    }

    @Test
    void limitsAreChecked() {
        assertThatThrownBy(() -> limits(0, Duration.ofSeconds(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limits(1, Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }
}
