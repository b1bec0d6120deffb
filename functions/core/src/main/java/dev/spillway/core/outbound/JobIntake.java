package dev.spillway.core.outbound;

import dev.spillway.core.call.JobId;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.outbound.Jobs.Submission;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Accepts jobs. A request that is refused writes none; one that fails half-way has written some, and if it comes again
 * under its key, the others are written, and none a second time. So a request for several jobs needs a key.
 */
public final class JobIntake {
    private final Jobs jobs;
    private final Announcements announcements;
    private final Journal journal;

    public JobIntake(Jobs jobs, Announcements announcements, Journal journal) {
        this.jobs = jobs;
        this.announcements = announcements;
        this.journal = journal;
    }

    /** What came of a request. */
    public sealed interface Intake {
        record Accepted(List<JobId> jobs) implements Intake {}

        /** Another body was sent under that key. */
        record Conflict() implements Intake {}

        record TooManyWaiting(String reason) implements Intake {}
    }

    /**
     * @param made sound jobs of that tenant, not written yet
     * @param key the caller's idempotency key; null for none, which only a request for one job may have
     * @param bodyHash tells another request under the same key
     */
    public Intake accept(
            TenantId tenant,
            OutboundPolicy policy,
            List<Job> made,
            @Nullable String key,
            String bodyHash,
            Instant now) {
        List<JobId> ids = made.stream().map(Job::id).toList();
        if (key == null) {
            Optional<Intake> full = full(tenant, policy, made.size());
            if (full.isPresent()) {
                return full.get();
            }
            made.forEach(jobs::create);
            return accepted(tenant, ids, now);
        }
        Optional<Submission> known = jobs.submission(tenant, key);
        if (known.isEmpty()) {
            Optional<Intake> full = full(tenant, policy, made.size());
            if (full.isPresent()) {
                return full.get();
            }
        }
        Submission stands = known.isPresent() ? known.get() : jobs.remember(new Submission(tenant, key, bodyHash, ids));
        if (!stands.bodyHash().equals(bodyHash) || stands.jobs().size() != made.size()) {
            return new Intake.Conflict();
        }
        // The first request may have died between its record and its jobs.
        for (int i = 0; i < made.size(); i++) {
            Job job = made.get(i).withId(stands.jobs().get(i));
            if (stands.jobs().equals(ids) || jobs.find(job.id()).isEmpty()) {
                jobs.create(job);
            }
        }
        return accepted(tenant, stands.jobs(), now);
    }

    /** What the same request was told before, if all of it was done; a request's deadline may have passed since. */
    public Optional<Intake> repeated(TenantId tenant, String key, String bodyHash) {
        return jobs.submission(tenant, key)
                .flatMap(known -> known.bodyHash().equals(bodyHash)
                        ? known.jobs().stream().allMatch(id -> jobs.find(id).isPresent())
                                ? Optional.<Intake>of(new Intake.Accepted(known.jobs()))
                                : Optional.empty()
                        : Optional.of(new Intake.Conflict()));
    }

    private Optional<Intake> full(TenantId tenant, OutboundPolicy policy, int more) {
        long waiting = jobs.atHand(tenant).stream().filter(Job::isWaiting).count();
        return waiting + more > policy.maxWaitingJobs()
                ? Optional.of(new Intake.TooManyWaiting(waiting + " jobs are waiting, and " + more
                        + " more would be over " + policy.maxWaitingJobs() + ", the most of this tenant"))
                : Optional.empty();
    }

    private Intake accepted(TenantId tenant, List<JobId> ids, Instant now) {
        journal.write(Entry.of("jobs-accepted").with("tenant", tenant).with("jobs", ids.size()));
        announcements.publish(new Announcement.JobsWaiting(tenant, now));
        return new Intake.Accepted(ids);
    }
}
