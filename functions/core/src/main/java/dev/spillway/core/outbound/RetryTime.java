package dev.spillway.core.outbound;

import java.time.Duration;
import java.time.Instant;

/** When a deferred job asks again: full jitter, so that jobs deferred together do not come back together. */
public final class RetryTime {
    /** The longest wait is a cold start's: what a job usually waits for. The first is a thirtieth of it. */
    private static final int STEPS = 5;

    private RetryTime() {}

    /**
     * @param job its window bounds the time: at the deadline at the latest
     * @param coldStart the longest wait
     * @param earliest not before that: now, or when calls may begin again
     * @param chance from 0 to below 1
     */
    public static Instant next(Job job, Duration coldStart, Instant earliest, double chance) {
        if (!(chance >= 0 && chance < 1)) {
            throw new IllegalArgumentException("chance lies in [0, 1), not " + chance);
        }
        if (!earliest.isBefore(job.deadline())) {
            return job.deadline();
        }
        Duration most = coldStart.dividedBy(1L << Math.max(0, STEPS - job.tries()));
        Duration left = Duration.between(earliest, job.deadline());
        Duration span = most.compareTo(left) < 0 ? most : left;
        return earliest.plus(Duration.ofNanos((long) (span.toNanos() * chance)));
    }
}
