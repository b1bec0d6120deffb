package dev.spillway.load.report;

import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A run in windows of equal length. */
final class Windows {
    private static final double[] LENGTHS = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600};
    private static final int MOST = 60;

    /**
     * One window.
     *
     * @param offered arrivals due in it
     * @param started arrivals that started in it
     * @param inService operations under way at its end
     * @param outcomes settled in it; those without a start when they were due
     * @param latenessMaxMs of those that were due in it and started; null without any
     * @param responses that came in it, with their number
     */
    record Window(
            double from,
            int offered,
            int started,
            int inService,
            Map<Outcome, Integer> outcomes,
            @Nullable Double latenessMaxMs,
            Spread responses) {}

    private final double seconds;
    private final List<Window> windows = new ArrayList<>();

    /** @param end of the run in seconds: with what follows the last operation, for that is recovery */
    Windows(Figures figures, double end) {
        double length = LENGTHS[LENGTHS.length - 1];
        for (int i = LENGTHS.length - 1; i >= 0; i--) {
            if (end / LENGTHS[i] <= MOST) {
                length = LENGTHS[i];
            }
        }
        this.seconds = length;
        fill(figures, (int) Math.floor(end / length) + 1);
    }

    double seconds() {
        return seconds;
    }

    List<Window> all() {
        return windows;
    }

    private void fill(Figures figures, int count) {
        int[] offered = new int[count];
        int[] started = new int[count];
        int[] change = new int[count + 1];
        double[] late = new double[count];
        List<Map<Outcome, Integer>> outcomes = new ArrayList<>();
        List<List<Long>> responses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            outcomes.add(new EnumMap<>(Outcome.class));
            responses.add(new ArrayList<>());
            late[i] = -1;
        }
        for (Row row : figures.rows()) {
            int due = place(row.scheduled(), count);
            offered[due]++;
            Long start = row.started();
            Long end = row.finished();
            if (start != null) {
                started[place(start, count)]++;
                late[due] = Math.max(late[due], Spread.millis((double) (start - row.scheduled())));
                change[place(start, count)]++;
                if (end != null) {
                    change[place(end, count)]--;
                }
            }
            outcomes.get(end == null ? due : place(end, count)).merge(row.outcome(), 1, Integer::sum);
        }
        figures.responsesInTime()
                .forEach(response -> responses.get(place(response.at(), count)).add(response.nanos()));
        int inService = 0;
        for (int i = 0; i < count; i++) {
            inService += change[i];
            windows.add(new Window(
                    Math.round(i * seconds * 1e3) / 1e3,
                    offered[i],
                    started[i],
                    inService,
                    outcomes.get(i),
                    late[i] < 0 ? null : late[i],
                    Spread.of(responses.get(i))));
        }
    }

    private int place(long nanos, int count) {
        return Math.clamp((long) Math.floor(nanos / 1e9 / seconds), 0, count - 1);
    }
}
