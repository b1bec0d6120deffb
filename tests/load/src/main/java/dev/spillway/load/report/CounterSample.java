package dev.spillway.load.report;

/**
 * A cumulative count as it was read.
 *
 * @param receiver whose count it is: one process, from its start to its end
 */
public record CounterSample(String receiver, long atMillis, long value) {
    public CounterSample {
        if (receiver.isEmpty() || value < 0) {
            throw new IllegalArgumentException("a count has a receiver and is not negative: " + receiver + " " + value);
        }
    }
}
