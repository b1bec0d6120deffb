package dev.spillway.core.outbound;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** When a deferred job asks again: full jitter, so that jobs deferred together do not come back together. */
public final class RetryTime {
    /** The longest wait is a cold start's: what a job usually waits for. The first is a thirtieth of it. */
    private static final int STEPS = 5;

    /**
     * Of a cold start; 5 s of the usual 60 s. Slots that become free wake the dialer at once: this is for what no event tells of,
     * and many jobs' times would make a run of each. A guess.
     */
    private static final int LOOKS_PER_COLD_START = 12;

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

    /**
     * When the dialer is to look again at jobs that wait: at the first one's next try, or at its deadline if that is
     * sooner; not sooner than a twelfth of a cold start. Empty if that is more than a cold start ahead: the minute's run comes before.
     */
    static Optional<Instant> soonest(Collection<Job> jobs, Duration coldStart, Instant now) {
        return jobs.stream()
                .flatMap(job -> job.state() instanceof JobState.Waiting waiting
                        ? Optional.of(waiting.nextTryAt())
                                .filter(at -> at.isAfter(now) && at.isBefore(job.deadline()))
                                .or(() -> Optional.of(job.deadline()))
                                .stream()
                        : Stream.empty())
                .min(Comparator.naturalOrder())
                .map(at -> later(at, now.plus(coldStart.dividedBy(LOOKS_PER_COLD_START))))
                .filter(at -> !at.isAfter(now.plus(coldStart)));
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
