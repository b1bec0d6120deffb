package dev.spillway.load.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A stretch in which one receiver counted without a reset: only within it may counts be subtracted. Another receiver or a
 * smaller count begins another stretch; what was counted between the two is not known.
 *
 * @param first and {@code last}: the samples, as they were read
 */
public record CounterSpan(CounterSample first, CounterSample last) {

    /** Never negative; zero is an observation. */
    public long delta() {
        return last.value() - first.value();
    }

    /** @param samples in the order of time */
    public static List<CounterSpan> join(List<CounterSample> samples) {
        List<CounterSpan> spans = new ArrayList<>();
        for (CounterSample sample : samples) {
            CounterSpan current = spans.isEmpty() ? null : spans.getLast();
            boolean goesOn = current != null
                    && current.last().receiver().equals(sample.receiver())
                    && current.last().value() <= sample.value();
            if (current != null && goesOn) {
                spans.set(spans.size() - 1, new CounterSpan(current.first(), sample));
            } else {
                spans.add(new CounterSpan(sample, sample));
            }
        }
        return spans;
    }
}
