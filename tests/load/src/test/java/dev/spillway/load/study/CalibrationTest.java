package dev.spillway.load.study;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.load.Runs;
import dev.spillway.load.adapter.SyntheticAdapter;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.report.Report;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.study.Calibration.Part;
import dev.spillway.load.study.Calibration.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CalibrationTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private static Step step(int calls, double p90) {
        return new Step(calls, 0.1 * calls, 10 * calls, p90, 0, 0);
    }

    @Test
    void theLimitIsTheLastStepBelowTheCliff() {
        List<Step> steps = List.of(step(1, 400), step(4, 410), step(6, 430), step(8, 900));

        assertThat(Calibration.limit(steps)).isEqualTo(6);
        assertThat(Calibration.isOver(steps)).isTrue();
        assertThat(Calibration.table(steps).getLast()).contains("+125%").contains("cliff");
    }

    @Test
    void gapsAndFailedCallsAreACliffToo() {
        assertThat(Calibration.limit(List.of(step(1, 400), new Step(2, null, 20, 400.0, 3, 0))))
                .isEqualTo(1);
        assertThat(Calibration.limit(List.of(step(1, 400), new Step(2, null, 20, 400.0, 0, 1))))
                .isEqualTo(1);
        assertThat(Calibration.limit(List.of(step(1, 400), new Step(2, null, 0, null, 0, 0))))
                .isEqualTo(1);
    }

    @Test
    void callersNoticeAt800AndAreDisturbedAt1000Milliseconds() {
        List<String> table = Calibration.table(List.of(step(1, 700), step(2, 850), step(3, 1_001)));

        assertThat(table.get(1)).endsWith("nothing");
        assertThat(table.get(2)).contains("a pause before answers").contains("callers notice");
        assertThat(table.get(3)).contains("the agent is slow");
    }

    @Test
    void withoutACliffTheLastStepIsTheLimit() {
        List<Step> steps = List.of(step(1, 400), step(2, 401));

        assertThat(Calibration.limit(steps)).isEqualTo(2);
        assertThat(Calibration.isOver(steps)).isFalse();
    }

    @Test
    void aSilenceThatOneCallHasByItselfIsNoCliffOfSeveral() {
        Step alone = new Step(1, null, 10, 1_200.0, 4, 0);

        assertThat(Calibration.cliff(alone, new Step(2, null, 20, 1_200.0, 8, 0)))
                .isEmpty();
        assertThat(Calibration.cliff(alone, new Step(2, null, 20, 1_200.0, 9, 0)))
                .hasValue("9 audio gaps");
    }

    @Test
    void inAMixTheCallsOfEachClassAreJudgedByOneOfThatClass() {
        Step cheap = step(1, 400);
        Step costly = new Step(1, null, 10, 1_200.0, 4, 0);
        Step one = mixed(400, 0, new Part("cheap", cheap, step(1, 400)));
        Step four = mixed(
                1_200,
                4,
                new Part("cheap", cheap, step(3, 420)),
                new Part("costly", costly, new Step(1, null, 10, 1_200.0, 4, 0)));
        Step eight = mixed(
                1_300,
                8,
                new Part("cheap", cheap, step(6, 700)),
                new Part("costly", costly, new Step(2, null, 20, 1_300.0, 8, 0)));

        assertThat(Calibration.limit(List.of(one, four))).isEqualTo(4);
        assertThat(Calibration.cliff(one, eight)).hasValue("cheap: p90 is 1.8 times that of one call");
        assertThat(Calibration.table(List.of(one, four, eight)).get(2)).contains("+5%");
    }

    private static Step mixed(double p90, int gaps, Part... parts) {
        int calls = 0;
        for (Part part : parts) {
            calls += part.among().calls();
        }
        return new Step(calls, null, 10 * calls, p90, gaps, 0, List.of(parts));
    }

    @Test
    void oneCallThatFailsLeavesNoLimit() {
        assertThat(Calibration.limit(List.of(new Step(1, null, 0, null, 0, 1)))).isZero();
    }

    @Test
    void tooFewAnswersAreNoMeasurement() {
        assertThat(Calibration.limit(List.of(step(1, 400), new Step(4, null, 11, 400.0, 0, 0))))
                .isEqualTo(1);
        assertThat(Calibration.limit(List.of(step(1, 400), new Step(4, null, 12, 400.0, 0, 0))))
                .isEqualTo(4);
    }

    @Test
    void aMixFollowsItsWeightsAtEveryStep() {
        Map<String, Double> weights = new LinkedHashMap<>();
        weights.put("often", 3.0);
        weights.put("rare", 1.0);

        assertThat(Calibration.shared(weights, 1)).containsExactly("often");
        assertThat(Calibration.shared(weights, 4)).containsExactlyInAnyOrder("often", "often", "often", "rare");
        assertThat(Calibration.shared(weights, 8)).filteredOn("rare"::equals).hasSize(2);
    }

    @Test
    void classesThatAreTheSameLoadOrOfSeveralTenantsAreRefused() {
        CallClass plain = CallClass.ofTurns("plain", 3);
        CallClass costly = new CallClass(
                "costly",
                plain.turns(),
                null,
                plain.direction(),
                plain.utterance(),
                2.0,
                0,
                null,
                0.05,
                List.of("calendar"),
                "de-DE",
                null,
                plain.synthetic());

        assertThat(costly.declared()).containsExactly("answer", "cpu", "tools", "language");
        assertThat(Calibration.faults(List.of(plain, costly), Set.of(), Set.of("tools", "cpu")))
                .isEmpty();
        assertThat(Calibration.faults(List.of(plain, costly), Set.of(), Set.of()))
                .singleElement()
                .asString()
                .contains("answer, cpu, language, tools are only declared");
        assertThat(Calibration.faults(
                        List.of(plain, CallClass.ofTurns("other", 2).ofTenant("globex")), Set.of(), Set.of()))
                .singleElement()
                .asString()
                .contains("several tenants");
        assertThat(Calibration.faults(List.of(plain, CallClass.ofTurns("other", 2)), Set.of("third"), Set.of()))
                .singleElement()
                .asString()
                .contains("'third'");
        assertThat(Calibration.faults(List.of(plain, CallClass.ofTurns("other", 2)), Set.of("other"), Set.of()))
                .isEmpty();
    }

    @Test
    void aContainersProcessorTimeIsReadAfterItsName() {
        assertThat(ContainerProcess.cpuMillis("4711 (a name) S) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 30 0 100"))
                .hasValue(3_000);
        assertThat(ContainerProcess.cpuMillis("gone")).isEmpty();
    }

    @Test
    void aStepOnMoreThanOneContainerIsNone() throws Exception {
        assertThat(noStep("{\"containers\":1,\"starting\":0,\"held\":0}", 4)).isEmpty();
        assertThat(noStep("{\"containers\":2,\"starting\":0,\"held\":0}", 4))
                .hasValueSatisfying(why -> assertThat(why).contains("not on one container"));
        assertThat(noStep("{\"containers\":1,\"starting\":1,\"held\":0}", 4)).isPresent();
        assertThat(noStep("{\"starting\":0,\"held\":0}", 4)).isPresent();
        assertThat(noStep("{\"containers\":1,\"starting\":0,\"held\":0}", 2))
                .hasValueSatisfying(why -> assertThat(why).contains("--hold"));
    }

    @Test
    void aStepWhoseGeneratorWasLateIsNone() {
        // given that one call's p90 is 400 ms, so that 200 ms more are a cliff
        assertThat(Calibration.tooLate(100, 400.0)).isEmpty();
        assertThat(Calibration.tooLate(101, 400.0))
                .hasValue("it sent a frame 101 ms late, which is more than half of what makes a cliff (200 ms)");
        assertThat(Calibration.tooLate(401, null)).isPresent();
    }

    /** Of a run in which that was seen while its only operation went on. */
    private Optional<String> noStep(String inventory, int answers) throws Exception {
        Path run = Files.createTempDirectory(folder, "step");
        try (var adapter = new SyntheticAdapter(new SyntheticAdapter.Settings(0.02, 0))) {
            Trial.run(
                    Runs.schedule(0),
                    adapter,
                    run,
                    Trial.Bounds.of(1, Duration.ofSeconds(9), Duration.ofMillis(1)),
                    session -> {});
        }
        Files.writeString(
                run.resolve("journal.jsonl"),
                "{\"e\":\"inventory\",\"when\":\"periodic\",\"t\":1,\"inventory\":" + inventory + "}\n",
                StandardOpenOption.APPEND);
        return Calibration.isNoStep(Report.of(new Bundle(run)), List.of(new Step(1, null, answers, 400.0, 0, 0)));
    }
}
