package dev.spillway.simulation.lab;

import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.scaling.Tuning;
import dev.spillway.simulation.lab.Contender.Asking;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;

/** What can be had: tunings of the usual rules, and for each what it costs and how many callers meet the gateway. */
final class Frontier {
    private static final double PER_CALL = Tuning.STANDARD.perCall();

    private Frontier() {}

    /**
     * One tuning on many days.
     *
     * @param ratio container hours over the lower bound, of all days together
     * @param touched share of all calls
     * @param worstRatio of a single day
     * @param spoilt calls that were degraded or refused
     * @param best nothing that spoils no call beats it in both
     */
    record Point(
            String name,
            double ratio,
            double touched,
            double worstRatio,
            double worstTouched,
            int spoilt,
            boolean best) {
        private boolean beats(Point other) {
            return spoilt == 0
                    && ratio <= other.ratio
                    && touched <= other.touched
                    && (ratio < other.ratio || touched < other.touched);
        }

        private Point marked(List<Point> all) {
            boolean isBest = spoilt == 0 && all.stream().noneMatch(other -> other.beats(this));
            return new Point(name, ratio, touched, worstRatio, worstTouched, spoilt, isBest);
        }
    }

    static List<CallTimes> unseen(int days) {
        return LongStream.rangeClosed(1, days)
                .mapToObj(seed -> SyntheticDays.SHARED.day("unseen " + seed, 1000 + seed))
                .toList();
    }

    static List<CallTimes> varied(int days) {
        return LongStream.rangeClosed(1, days)
                .mapToObj(seed -> SyntheticDays.varied(seed).day("varied " + seed, 2000 + seed))
                .toList();
    }

    static List<Contender> tunings() {
        List<Contender> tunings = new ArrayList<>();
        for (double perRoot : new double[] {0, 0.3, 0.5, 0.8, 1.2, 1.6}) {
            for (double slack : new double[] {0, 1, 2}) {
                for (int surplus : new int[] {0, 45, 120, 300}) {
                    tunings.add(Contenders.rules(
                                    ScaleOutRule.AHEAD,
                                    ScaleInRule.CONSOLIDATE,
                                    new Tuning(perRoot, PER_CALL, slack, Duration.ofSeconds(surplus)),
                                    Asking.AHEAD)
                            .named(String.format(
                                    Locale.ROOT, "%.1f per root, slack %.0f, %d s", perRoot, slack, surplus)));
                }
            }
        }
        return tunings;
    }

    static List<Point> of(List<Contender> contenders, List<CallTimes> days, Conditions conditions) {
        List<Point> points = contenders.stream()
                .map(contender -> point(contender, days, conditions))
                .toList();
        return points.stream().map(point -> point.marked(points)).toList();
    }

    static Point point(Contender contender, List<CallTimes> days, Conditions conditions) {
        double hours = 0;
        double least = 0;
        double calls = 0;
        double touched = 0;
        int spoilt = 0;
        double worstRatio = 0;
        double worstTouched = 0;
        for (CallTimes day : days) {
            Outcome outcome = Replay.run(day, contender, conditions);
            hours += outcome.containerHours();
            least += outcome.lowerBoundHours();
            calls += outcome.calls();
            touched += outcome.touchedGateway();
            spoilt += outcome.degraded() + outcome.refused();
            worstRatio = Math.max(worstRatio, outcome.ratio());
            worstTouched = Math.max(worstTouched, outcome.touchedShare());
        }
        return new Point(contender.name(), hours / least, touched / calls, worstRatio, worstTouched, spoilt, false);
    }

    /** A table; the best are marked. */
    static String table(String title, List<Point> points) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%s%n%-34s %7s %9s %9s %9s %8s%n",
                title,
                "",
                "x least",
                "gateway %",
                "worst x",
                "worst %",
                "spoilt"));
        for (Point point : points) {
            text.append(String.format(
                    Locale.ROOT,
                    "%s %-32s %7.3f %9.2f %9.3f %9.2f %8d%n",
                    point.best() ? "*" : " ",
                    point.name(),
                    point.ratio(),
                    100 * point.touched(),
                    point.worstRatio(),
                    100 * point.worstTouched(),
                    point.spoilt()));
        }
        return text.toString();
    }
}
