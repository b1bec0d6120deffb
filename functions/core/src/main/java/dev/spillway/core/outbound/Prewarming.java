package dev.spillway.core.outbound;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.scaling.Backlog;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What waiting jobs want of their pool, now and soon. A batch whose start is known finds its containers READY: they are
 * asked for one lead time before it, a cold start and {@link OutboundPolicy.Warmth#margin()}.
 *
 * <p>For example, with a cold start of 60 s, a margin of 2 min and an outbound limit of 8: a batch of 40 jobs that starts at
 * 9:00 wants 8 slots from 8:57 on. Of a batch with a job each 10 s, those of the first cold start are wanted, 7 at a time: for
 * them a container asked for at the start would come too late, for the later ones it would not.
 */
public final class Prewarming {
    private Prewarming() {}

    /** From when on a pool is made ready for a job, as a time before the job's own. */
    public static Duration lead(OutboundPolicy.Warmth warmth, Duration coldStart) {
        return coldStart.plus(warmth.margin());
    }

    /**
     * @param jobs of one tenant; only those that wait count
     * @param room calls that may be made at once beside those that are being made
     */
    public static Backlog.Work plan(List<Job> jobs, OutboundPolicy policy, int room, Duration coldStart, Instant now) {
        long due = jobs.stream().filter(job -> isDue(job, policy, now)).count();
        List<Start> starts = starts(jobs, policy, now).toList();
        Duration lead = lead(policy.warmth(), coldStart);
        long wave =
                starts.stream()
                        .collect(Collectors.groupingBy(
                                start -> start.job().batch().name()))
                        .values()
                        .stream()
                        .mapToLong(batch -> firstWave(batch, now.plus(lead), coldStart))
                        .sum();
        // What was started for a job is kept until its time, too.
        Duration keep =
                policy.warmth().keep().compareTo(lead) > 0 ? policy.warmth().keep() : lead;
        long near = starts.stream()
                .filter(start -> !start.at().isAfter(now.plus(keep)))
                .count();
        int admitted = (int) Math.min(room, due);
        return new Backlog.Work(
                admitted, (int) Math.min(room - admitted, wave), (int) Math.min(policy.outboundLimit(), near));
    }

    /** When the next job's time comes; empty if that of all has come or none waits. */
    public static Optional<Instant> nextStart(List<Job> jobs, OutboundPolicy policy, Instant now) {
        return starts(jobs, policy, now).map(Start::at).min(Comparator.naturalOrder());
    }

    private static long firstWave(List<Start> batch, Instant horizon, Duration coldStart) {
        Instant first =
                batch.stream().map(Start::at).min(Comparator.naturalOrder()).orElseThrow();
        return first.isAfter(horizon)
                ? 0
                : batch.stream()
                        .filter(start -> !start.at().isAfter(first.plus(coldStart)))
                        .count();
    }

    private static boolean isDue(Job job, OutboundPolicy policy, Instant now) {
        return job.isInWindow(now)
                && policy.countryOf(job.to())
                        .filter(country -> country.isOpen(now))
                        .isPresent();
    }

    /** When a job that waits can first be dialled, and that is later than now. */
    private record Start(Job job, Instant at) {}

    private static Stream<Start> starts(List<Job> jobs, OutboundPolicy policy, Instant now) {
        return jobs.stream().filter(Job::isWaiting).flatMap(job -> {
            Instant earliest = later(now, later(job.notBefore(), nextTry(job)));
            return policy
                    .countryOf(job.to())
                    .flatMap(country -> country.nextOpening(earliest))
                    .filter(at -> at.isAfter(now) && at.isBefore(job.deadline()))
                    .map(at -> new Start(job, at))
                    .stream();
        });
    }

    /** When a job asks again that waits for something else than a slot; before that it cannot be dialled. */
    private static Instant nextTry(Job job) {
        return job.state() instanceof JobState.Waiting waiting
                        && !job.cause().map(Cause::endsWithASlot).orElse(true)
                ? waiting.nextTryAt()
                : Instant.MIN;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
