package dev.spillway.core.outbound;

import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.tenant.Tenant;
import java.time.Instant;
import java.util.Optional;

/** Cancels jobs: one that waits is never dialled, one that was dialled is hung up. */
public final class JobCanceling {
    private static final int TRIES = 4;

    private final Jobs jobs;
    private final Dials dials;
    private final DialProgress progress;

    public JobCanceling(Jobs jobs, Dials dials, DialProgress progress) {
        this.jobs = jobs;
        this.dials = dials;
        this.progress = progress;
    }

    /** The job after the request; empty if there is none. One that has ended stays as it is. */
    public Optional<Job> cancel(Tenant tenant, JobId id, Instant now) {
        for (int i = 0; i < TRIES; i++) {
            Optional<Job> found = jobs.find(id);
            if (found.isEmpty()) {
                return found;
            }
            Job job = found.get();
            switch (job.state()) {
                case JobState.Ended ended -> {
                    return found;
                }
                case JobState.Waiting waiting -> {
                    // Refused if a dialer was faster: looked at again.
                    if (progress.endAsSeen(job, Outcome.CANCELED, "by request", now)) {
                        return jobs.find(id);
                    }
                }
                case JobState.Dialling dialling -> {
                    Optional<Job> asked = ask(job, now);
                    if (asked.isPresent()) {
                        return asked;
                    }
                }
                case JobState.DialUnknown unknown -> {
                    Optional<Job> asked = ask(job, now);
                    if (asked.isPresent()) {
                        return asked;
                    }
                }
                case JobState.Dialled dialled -> {
                    Optional<Job> asked = ask(job, now);
                    if (asked.isPresent()) {
                        dials.hangUp(tenant, dialled.call()); // its final status ends the job
                        return asked;
                    }
                }
            }
        }
        return jobs.find(id);
    }

    private Optional<Job> ask(Job job, Instant now) {
        if (job.cancelRequested()) {
            return Optional.of(job);
        }
        Job next = job.cancelRequested(now);
        return jobs.replace(next) ? Optional.of(next) : Optional.empty();
    }
}
