package dev.spillway.core.pool;

import dev.spillway.core.DependencyException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Where containers run: one service per pool. Setting the desired count is absolute and may be repeated. Everything
 * may throw {@link DependencyException}: after one, whether the count was taken is unknown, and telling again is safe.
 */
public interface Fleet {
    /**
     * Deployments of one service that may be active at once: protected tasks of older ones run on while their calls do, the
     * service has room for so many, and a further one is refused. What ECS itself bears is not documented; a guess.
     */
    int MOST_DEPLOYMENTS = 4;

    /**
     * @param deploying whether more than one deployment is active
     * @param revision the revision that new tasks start from
     * @param since when the deployment of that revision began; {@link Instant#MAX} if that is not known
     */
    record Service(int desired, int running, int pending, boolean deploying, String revision, Instant since) {
        public Service {
            Objects.requireNonNull(revision);
            Objects.requireNonNull(since);
        }

        /** Of which it is not known since when. */
        public Service(int desired, int running, int pending, boolean deploying, String revision) {
            this(desired, running, pending, deploying, revision, Instant.MAX);
        }
    }

    /** Where a task is in its life. */
    enum TaskPhase {
        STARTING,
        RUNNING,
        STOPPING,
        STOPPED
    }

    /** @param stoppedReason why it stopped, with its code; empty while it runs */
    record Task(ContainerId id, TaskPhase phase, String revision, String stoppedReason, Instant createdAt) {}

    Service describe(String service);

    /** Running tasks and those that stopped lately (ECS forgets them after about an hour). */
    List<Task> tasks(String service);

    void setDesired(String service, int desired);
}
