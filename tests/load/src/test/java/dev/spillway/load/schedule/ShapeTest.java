package dev.spillway.load.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShapeTest {
    @Test
    void aSpikeIsOneInstant() {
        assertThat(Shape.spike(3, 2.5)).containsExactly(2.5, 2.5, 2.5);
    }

    @Test
    void aConstantRateIsEven() {
        assertThat(Shape.constant(4, 1)).containsExactly(0, 0.25, 0.5, 0.75);
    }

    @Test
    void aStepChangesTheRate() {
        assertThat(Shape.step(1, 4, 2, 3)).containsExactly(0, 1, 2, 2.25, 2.5, 2.75);
    }

    @Test
    void aRampOffersTheIntegralOfItsRate() {
        double[] ramp = Shape.ramp(0, 10, 10);

        assertThat(ramp).hasSize(50).isSorted();
        assertThat(ramp[0]).isZero();
        // t^2/2 calls have arrived by t
        assertThat(ramp[18]).isCloseTo(6, within(1e-9));
        assertThat(Shape.ramp(2, 2, 2)).containsExactly(0, 0.5, 1, 1.5);
    }

    @Test
    void wavesRepeat() {
        assertThat(Shape.waves(2, 2, 10, 1)).containsExactly(0, 0.5, 10, 10.5);
    }

    @Test
    void aSeedMakesTheSameArrivals() {
        assertThat(Shape.poisson(5, 100, 7)).isEqualTo(Shape.poisson(5, 100, 7)).isSorted();
        assertThat(Shape.poisson(5, 100, 7)).isNotEqualTo(Shape.poisson(5, 100, 8));
        assertThat(Shape.poisson(5, 1_000, 7).length).isBetween(4_700, 5_300);
    }

    @Test
    void aMixFollowsItsWeights() {
        Map<String, Double> weights = new java.util.LinkedHashMap<>();
        weights.put("often", 3.0);
        weights.put("rare", 1.0);

        List<Arrival> arrivals = Mix.arrivals(new double[4_000], null, weights, 1);

        assertThat(arrivals.stream()
                        .filter(one -> one.className().equals("rare"))
                        .count())
                .isBetween(900L, 1_100L);
        assertThat(Mix.arrivals(new double[4_000], null, weights, 1)).isEqualTo(arrivals);
    }

    @Test
    void retriesPointToTheirFirstCall() {
        List<Arrival> first = Mix.arrivals(new double[] {0, 1, 2}, null, Map.of("a", 1.0), 1);

        List<Arrival> all = Mix.withRetries(first, 1, 1.5, 1);

        assertThat(all).extracting(Arrival::at).containsExactly(0.0, 1.0, 1.5, 2.0, 2.5, 3.5);
        assertThat(all).extracting(Arrival::retryOf).containsExactly(null, null, 0, null, 1, 3);
        assertThat(all).extracting(Arrival::id).containsExactly(0, 1, 2, 3, 4, 5);
    }

    @Test
    void wallClockTimesBecomeOffsetsAndAClockChangeIsNoHour() throws Exception {
        String csv = "time,class\n2026-03-29 01:59:59,a\n2026-03-29 03:00:01,a\n2026-03-29 03:00:01,b\n";

        WallClock.Converted converted = convert(csv, "Europe/Berlin", false);

        assertThat(converted.arrivals()).extracting(Arrival::at).containsExactly(0.0, 2.0, 2.0);
        assertThat(converted.classes()).containsExactly("a", "b");
        assertThat(converted.rule()).contains("Europe/Berlin").contains("skipped");
    }

    @Test
    void aTimeThatOccurredTwiceIsTheOneThatWasAskedFor() throws Exception {
        String csv = "time\n2026-10-25T00:00:00Z\n2026-10-25T02:30:00\n";

        assertThat(convert(csv, "Europe/Berlin", false).arrivals().get(1).at()).isEqualTo(1_800);
        assertThat(convert(csv, "Europe/Berlin", true).arrivals().get(1).at()).isEqualTo(5_400);
    }

    @Test
    void aTimeThatTheClockSkippedIsMovedOn() throws Exception {
        String csv = "time\n2026-03-29T00:00:00Z\n2026-03-29T02:30:00\n";

        assertThat(convert(csv, "Europe/Berlin", false).arrivals().get(1).at()).isEqualTo(5_400);
    }

    @Test
    void jsonIsReadTooAndWhatIsNoTimeIsRefusedWithItsLine() throws Exception {
        String json = "[{\"time\": \"2026-01-01T00:00:01Z\", \"class\": \"a\", \"duration\": 9,"
                + " \"direction\": \"outbound\"}]";

        Arrival arrival = convert(json, null, false).arrivals().getFirst();

        assertThat(arrival.duration()).isEqualTo(9);
        assertThat(arrival.direction()).isEqualTo(Direction.OUTBOUND);
        assertThatThrownBy(() -> convert("time\n2026-01-01T00:00:00Z\nnoon\n", null, false))
                .hasMessageContaining("line 3");
        assertThatThrownBy(() -> convert("time\n2026-01-01 00:00:00\n", null, false))
                .hasMessageContaining("--zone");
    }

    @Test
    void jsonFaultsNameTheirLine() {
        assertThatThrownBy(() ->
                        convert("[\n {\"time\": \"2026-01-01T00:00:01Z\"},\n\n {\"time\": \"noon\"}]", null, false))
                .hasMessageContaining("line 4");
        assertThatThrownBy(() -> convert("time,duration\n2026-01-01T00:00:00Z,NaN\n", null, false))
                .isInstanceOf(InvalidScheduleException.class)
                .hasMessageContaining("line 2");
    }

    private static WallClock.Converted convert(
            String text, @org.jspecify.annotations.Nullable String zone, boolean later) throws Exception {
        return WallClock.convert(
                "test", text.getBytes(StandardCharsets.UTF_8), zone == null ? null : ZoneId.of(zone), later);
    }

    @Test
    void whatASchedulesAsksForIsKnownBefore() {
        Schedule schedule = new Schedule(
                "s",
                "",
                null,
                null,
                null,
                StartConditions.NONE,
                Map.of("a", CallClass.ofTurns("a", 1)),
                List.of(),
                0,
                Mix.arrivals(new double[] {0, 5, 10, 10}, 10.0, Map.of("a", 1.0), 1));

        OfferedLoad load = OfferedLoad.of(schedule, 1);

        // the first call ends at 10, when two begin: 5, 10, 10
        assertThat(load.peak()).isEqualTo(3);
        assertThat(load.minutes()).isCloseTo(40.0 / 60, within(1e-9));
        assertThat(load.seconds()).isEqualTo(20);
        assertThat(load.mostPerSecond()).isEqualTo(2);
    }

    @Test
    void aTurnIsGuessedToLastAsLongAsItsClassSaysAndFourSecondsAtLeast() {
        CallClass plain = CallClass.ofTurns("plain", 3);
        CallClass talkative = new CallClass(
                "talkative",
                plain.turns(),
                null,
                Direction.INBOUND,
                1.5,
                10.0,
                0.5,
                null,
                2.0,
                List.of("calendar", "orders", "calendar", "prices", "stock"),
                null,
                null,
                SyntheticScript.PLAIN);

        assertThat(plain.guessedSeconds()).isEqualTo(12);
        // 1.5 s of speech, 1 s of thinking beside 2 s of computing and 1.5 s of look-ups, 10 s of answer, 0.5 s of
        // pause
        assertThat(talkative.guessedSeconds()).isEqualTo(49.5);
    }
}
