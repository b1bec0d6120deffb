package dev.spillway.load.study;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.load.study.Calibration.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The method against containers whose cliff is known: calls on one container whose agent computes for a set time with each
 * frame of 20 ms, for one call after the other. On virtual time, so that no machine has a part in it.
 */
class KnownCliffTest {
    private static final int FRAME_MICROS = 20_000;
    private static final int HOLD_MICROS = 30_000_000;
    /** Speech, 200 ms until its end is heard and the rest of 600 ms of thinking, two seconds of answer, 400 ms of quiet. */
    private static final int UTTERANCE = 1_000_000;

    private static final int HANGOVER = 200_000;
    private static final int THINK = 400_000;
    private static final int ANSWER_AND_QUIET = 2_400_000;

    /** One caller, who speaks, waits for the answer, and hears it out. */
    private static final class Conversation {
        private final int offset;
        private long turnBegan;
        private long answeredAt = Long.MAX_VALUE;

        Conversation(int offset) {
            this.offset = offset;
            this.turnBegan = offset;
        }
    }

    private static Step step(int calls, int costMicros, Random random) {
        List<Conversation> all = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            all.add(new Conversation(random.nextInt(1_000_000)));
        }
        List<Double> latencies = new ArrayList<>();
        long computedAt = 0;
        for (long frame = 0; frame < HOLD_MICROS; frame += FRAME_MICROS) {
            for (Conversation one : all) {
                long now = frame + one.offset % FRAME_MICROS;
                if (now < one.offset) {
                    continue;
                }
                computedAt = Math.max(computedAt, now) + costMicros;
                boolean askedNow = now >= one.turnBegan + UTTERANCE + HANGOVER && one.answeredAt == Long.MAX_VALUE;
                if (askedNow) {
                    one.answeredAt = computedAt + THINK;
                }
                if (now >= one.answeredAt) {
                    latencies.add((one.answeredAt - one.turnBegan - UTTERANCE) / 1e3);
                    one.turnBegan = one.answeredAt + ANSWER_AND_QUIET;
                    one.answeredAt = Long.MAX_VALUE;
                }
            }
        }
        latencies.sort(Double::compare);
        Double p90 = latencies.isEmpty() ? null : latencies.get((int) Math.ceil(0.9 * latencies.size()) - 1);
        return new Step(calls, null, latencies.size(), p90, 0, 0);
    }

    private static List<Step> calibrated(int costMicros, Random random) {
        List<Step> done = new ArrayList<>();
        for (int calls = 1; calls <= 24; calls++) {
            done.add(step(calls, costMicros, random));
            if (Calibration.isOver(done)) {
                break;
            }
        }
        return done;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 8, 10, 12, 15})
    void theCliffIsFoundWhereItIsKnownToBe(int bearable) {
        // given a cost of which one more call than that is half a call too many
        int cost = (int) (FRAME_MICROS / (bearable + 0.5));

        List<Step> done = calibrated(cost, new Random(7));

        assertThat(Calibration.limit(done)).isEqualTo(bearable);
        assertThat(Calibration.besideKnown(done, cost))
                .endsWith("found between " + bearable + " and " + (bearable + 1) + ", as known");
    }

    @Test
    void atAnyCostTheLimitIsWithinOneCallOfTheKnownOne() {
        long seed = 20_261_130;
        System.out.println("costs are drawn with the seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 40; i++) {
            int cost = 1_000 + random.nextInt(18_000);
            int known = FRAME_MICROS / cost;
            assertThat(Calibration.limit(calibrated(cost, random)))
                    .as("seed %d, %d micros with each frame", seed, cost)
                    .isBetween(known - 1, known + 1);
        }
    }

    @Test
    void aCliffThatIsElsewhereThanKnownIsToldSo() {
        List<Step> early = List.of(new Step(1, null, 9, 400.0, 0, 0), new Step(2, null, 18, 900.0, 0, 0));
        List<Step> none = List.of(new Step(1, null, 9, 400.0, 0, 0), new Step(10, null, 90, 400.0, 0, 0));
        List<Step> late = List.of(
                new Step(1, null, 9, 400.0, 0, 0),
                new Step(10, null, 90, 400.0, 0, 0),
                new Step(12, null, 90, 900.0, 0, 0));

        assertThat(Calibration.besideKnown(early, 2_500))
                .isEqualTo(
                        "the agent computes 2.5 ms with each frame, so 8.0 calls fill the container; found between 1 and 2:"
                                + " something else is full before the agent");
        assertThat(Calibration.besideKnown(none, 2_500)).endsWith("NOT found although 10 calls were tried");
        assertThat(Calibration.besideKnown(none, 1_000)).endsWith("that was not tried");
        assertThat(Calibration.besideKnown(late, 2_500)).endsWith("which is TOO LATE");
    }
}
