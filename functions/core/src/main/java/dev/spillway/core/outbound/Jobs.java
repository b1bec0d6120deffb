package dev.spillway.core.outbound;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.JobId;
import dev.spillway.core.tenant.TenantId;
import java.util.List;
import java.util.Optional;

/**
 * The jobs in the table. Each write is one conditional write on one item; {@code false} means that the condition did not
 * hold, and nothing changed. Everything may throw {@link DependencyException}.
 */
public interface Jobs {
    /** Writes a new job IF there is none of its id among those at hand. */
    boolean create(Job job);

    /** The job, wherever it lies by now. */
    Optional<Job> find(JobId id);

    /** Every job of the tenant that is not put by: those that go on, and those that ended lately. */
    List<Job> atHand(TenantId tenant);

    /** Whether {@link #atHand} gives any; costs one small read, however many there are. */
    boolean isAnyAtHand(TenantId tenant);

    /** Writes the job IF the table has the version before it. */
    boolean replace(Job next);

    /**
     * Puts a job that ended away from those at hand; it can still be found. Not to be done before every request that might
     * create it is surely over.
     */
    void putBy(Job ended);

    /** Writes down what was sent under an idempotency key IF nothing is known of it, and gives what stands. */
    Submission remember(Submission submission);

    /** What was sent under that key, if it is still known. */
    Optional<Submission> submission(TenantId tenant, String key);

    /**
     * What a caller sent under one idempotency key.
     *
     * @param bodyHash tells another body under the same key
     * @param jobs the ids of the jobs that were made of it
     */
    record Submission(TenantId tenant, String key, String bodyHash, List<JobId> jobs) {
        public Submission {
            jobs = List.copyOf(jobs);
        }
    }
}
