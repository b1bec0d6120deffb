package dev.spillway.localcloud;

import java.time.Instant;

/** One deployment of a service. Not thread-safe: guarded by the cluster's lock. */
final class EcsDeployment {
    final String id;
    final String family;
    final int revision;
    final Instant createdAt;
    private Instant updatedAt;
    private boolean completed;
    private int failedTasks;

    EcsDeployment(String id, String family, int revision, Instant createdAt) {
        this.id = id;
        this.family = family;
        this.revision = revision;
        this.createdAt = createdAt;
        this.updatedAt = createdAt;
    }

    void complete(Instant now) {
        completed = true;
        updatedAt = now;
    }

    void taskFailed() {
        failedTasks++;
    }

    boolean completed() {
        return completed;
    }

    int failedTasks() {
        return failedTasks;
    }

    Instant updatedAt() {
        return updatedAt;
    }
}
