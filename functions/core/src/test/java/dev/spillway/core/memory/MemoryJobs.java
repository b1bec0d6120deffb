package dev.spillway.core.memory;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobState;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.tenant.TenantId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

final class MemoryJobs implements Jobs {
    private record Key(TenantId tenant, String key) {}

    private final Operations operations;
    private final Map<JobId, Job> atHand = new HashMap<>();
    private final Map<JobId, Job> putBy = new HashMap<>();
    private final Map<Key, Submission> submissions = new HashMap<>();

    MemoryJobs(Operations operations) {
        this.operations = operations;
    }

    void put(Job job) {
        operations.quietly(() -> atHand.put(job.id(), job));
    }

    Optional<Job> look(JobId id) {
        return operations.quietly(() -> Optional.ofNullable(atHand.getOrDefault(id, putBy.get(id))));
    }

    /** Every job as an attempt, without what its call tells. */
    List<Attempt> attempts(TenantId tenant) {
        Map<JobId, Job> all = new HashMap<>(putBy);
        all.putAll(atHand);
        return all.values().stream()
                .filter(job -> job.tenant().equals(tenant))
                .map(Job::attempt)
                .toList();
    }

    @Override
    public boolean create(Job job) {
        return operations.perform(Operation.JOBS_CREATE, () -> atHand.putIfAbsent(job.id(), job) == null);
    }

    @Override
    public Optional<Job> find(JobId id) {
        return operations.perform(
                Operation.JOBS_FIND, () -> Optional.ofNullable(atHand.getOrDefault(id, putBy.get(id))));
    }

    @Override
    public List<Job> atHand(TenantId tenant) {
        return operations.perform(
                Operation.JOBS_AT_HAND,
                () -> atHand.values().stream()
                        .filter(job -> job.tenant().equals(tenant))
                        .sorted(Comparator.comparing(Job::id))
                        .toList());
    }

    @Override
    public boolean isAnyAtHand(TenantId tenant) {
        return operations.perform(
                Operation.JOBS_ANY_AT_HAND,
                () -> atHand.keySet().stream().anyMatch(id -> id.tenant().equals(tenant)));
    }

    @Override
    public boolean replace(Job next) {
        return operations.perform(Operation.JOBS_REPLACE, () -> {
            Job there = atHand.get(next.id());
            if (there == null || there.version() != next.version() - 1) {
                return false;
            }
            atHand.put(next.id(), next);
            return true;
        });
    }

    @Override
    public void putBy(Job ended) {
        if (!(ended.state() instanceof JobState.Ended)) {
            throw new IllegalArgumentException(ended + " goes on");
        }
        operations.perform(Operation.JOBS_PUT_BY, () -> {
            putBy.put(ended.id(), ended);
            return atHand.remove(ended.id(), ended);
        });
    }

    @Override
    public Submission remember(Submission submission) {
        return operations.perform(
                Operation.JOBS_REMEMBER,
                () -> submissions.computeIfAbsent(new Key(submission.tenant(), submission.key()), key -> submission));
    }

    @Override
    public Optional<Submission> submission(TenantId tenant, String key) {
        return operations.perform(
                Operation.JOBS_SUBMISSION, () -> Optional.ofNullable(submissions.get(new Key(tenant, key))));
    }
}
