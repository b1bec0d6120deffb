package dev.spillway.core.reconcile;

import dev.spillway.core.Timing;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet.Service;
import dev.spillway.core.pool.Fleet.Task;
import dev.spillway.core.pool.Fleet.TaskPhase;
import dev.spillway.core.pool.PoolView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Explains a deployment that is not over. ECS leaves protected tasks of former revisions alone, so a deployment takes as long as
 * the longest call; that is as it should be. It is blocked when the former tasks fill the room that the service has ({@code
 * maximumPercent}), so that no new one is even created. Less than that is that ECS refuses new containers their protection
 * (DEPLOYMENT_BLOCKED) while more tasks than wanted would be protected: they serve, and only a further deployment stops them.
 *
 * @param former containers of former revisions whose tasks run
 * @param serving containers of the new revision that take calls
 */
record DeploymentWait(Service service, List<Task> tasks, List<Container> former, List<Container> serving, Instant now) {

    static Optional<Finding> find(PoolView view, Service service, List<Task> tasks, Timing timing, Instant now) {
        List<Container> former = tasks.stream()
                .filter(task -> task.phase() == TaskPhase.RUNNING)
                .filter(task -> !task.revision().equals(service.revision()))
                .flatMap(task -> view.container(task.id()).stream())
                .filter(container -> container.state() != ContainerState.LOST)
                .toList();
        if (!service.deploying() || former.isEmpty()) {
            return Optional.empty();
        }
        List<Container> serving = view.claimable(now)
                .filter(container -> container.revision().equals(service.revision()))
                .toList();
        DeploymentWait wait = new DeploymentWait(service, tasks, former, serving, now);
        boolean blocked = wait.isBlocked(timing.coldStart().multipliedBy(3));
        return Optional.of(new Finding.Deploying(
                blocked, wait.calls(), wait.state() + (blocked ? wait.whyNoneStarts() : wait.whoIsBare())));
    }

    private int calls() {
        return former.stream().mapToInt(one -> one.claims().size()).sum();
    }

    /** Empty if none of the former ones is protected. */
    private Optional<Instant> protectedUntil() {
        return former.stream()
                .map(Container::protectedUntil)
                .filter(until -> until.isAfter(now))
                .max(Comparator.naturalOrder());
    }

    /** Nothing of the new revision was even created in that time, though it is wanted, and protected tasks may be why. */
    private boolean isBlocked(Duration patience) {
        boolean late = !service.since().equals(Instant.MAX)
                && service.since().plus(patience).isBefore(now);
        // Tasks of an earlier deployment of the same revision stay listed for a while: a rollback has them.
        boolean noneCreated = tasks.stream()
                .filter(task -> task.revision().equals(service.revision()))
                .noneMatch(task ->
                        task.phase() != TaskPhase.STOPPED || !task.createdAt().isBefore(service.since()));
        return late && noneCreated && service.desired() > 0 && protectedUntil().isPresent();
    }

    private String state() {
        return "revision " + service.revision() + ": " + serving.size() + " of " + service.desired()
                + " containers serve; " + former.size() + " of former revisions have " + calls() + " calls"
                + protectedUntil()
                        .map(until ->
                                " and are protected until " + until + " at the latest, renewed while they have any")
                        .orElse(" and no protection");
    }

    private String whyNoneStarts() {
        return ". ECS has started none of the new ones since " + service.since()
                + ": either the former ones fill the room that the service has (maximumPercent), and it goes on when"
                + " some are empty, or ECS cannot place any, and the service's events say why";
    }

    /** Empty if all that serve are protected. */
    private String whoIsBare() {
        List<Container> bare = serving.stream()
                .filter(container -> !container.protectedUntil().isAfter(now))
                .toList();
        return bare.isEmpty()
                ? ""
                : ". ECS refuses " + bare.size() + " new ones their protection, the first of them "
                        + bare.getFirst().id()
                        + ", until some of the former ones are empty: a further deployment before that would stop them, and"
                        + " their calls would have to move";
    }
}
