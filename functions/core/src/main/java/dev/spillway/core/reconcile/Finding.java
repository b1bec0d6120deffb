package dev.spillway.core.reconcile;

import dev.spillway.core.Timing;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet.Service;
import dev.spillway.core.pool.Fleet.Task;
import dev.spillway.core.pool.Fleet.TaskPhase;
import dev.spillway.core.pool.PoolView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Where the table and ECS disagree, or a container is not what it seems. Each says what was seen. */
public sealed interface Finding {
    /** The state reason of a container that stopped before it ever was READY. */
    String NEVER_READY = "stopped before READY";

    String reason();

    /** ECS shows the task stopped, but its item still counts. */
    record Stopped(Container container, String reason) implements Finding {}

    /** Silent for long, while others of the fleet were heard, or unknown to ECS. */
    record Vanished(Container container, String reason) implements Finding {}

    /** Silent, but ECS shows it as running: to be probed. */
    record Silent(Container container, String reason) implements Finding {}

    /** Every container is silent at once: our own outage, so nothing is declared lost. */
    record FleetSilent(String reason) implements Finding {}

    /** A running task that never registered. */
    record Unregistered(Task task, String reason) implements Finding {}

    /** ECS wants another number of tasks than the pool item. */
    record Drift(int ecs, int table, String reason) implements Finding {}

    /** Started from an older revision than the one that is READY now. */
    record Outdated(Container container, String reason) implements Finding {}

    /**
     * A deployment is not over, since containers of former revisions still have calls.
     *
     * @param blocked whether it cannot go on before some of them are empty; otherwise it is only slow, as it has to be
     * @param calls on containers of former revisions
     */
    record Deploying(boolean blocked, int calls, String reason) implements Finding {}

    /**
     * A container whose task has stopped, though no count was lowered for it: a lost one, or one that somebody else asked
     * to stop. ECS replaces it and no longer counts it.
     */
    record Departed(Container container, String reason) implements Finding {}

    /**
     * ECS is stopping its task though it was not retired: Fargate retires it, somebody asked, or a deployment came before it was
     * protected. The load balancer lets its streams be for the deregistration delay, and cuts them before SIGTERM comes. ECS
     * replaces it, and no longer counts it.
     */
    record BeingStopped(Container container, String reason) implements Finding {}

    /**
     * Its task has stopped, and calls are still on it: Twilio has not noticed that nobody is there, since what lies between (a
     * relay that froze, a load balancer's node) holds the stream open.
     */
    record LeftBehind(Container container, String reason) implements Finding {}

    /** Stopped for good: its item can go. */
    record Gone(Container container, String reason) implements Finding {}

    /** Launches that stopped before READY, the newest last. */
    record FailedLaunches(int inARow, String lastReason, Instant lastAt, String reason) implements Finding {}

    /** How long the item of a lost container stays readable for the pool's status. A guess that suits a shift. */
    Duration KEEP_LOST = Duration.ofMinutes(30);

    /** After a stop: in this time Twilio runs the redirect of a stream that broke, and tells of it. */
    Duration TO_GO_ON = Duration.ofSeconds(10);

    static List<Finding> find(PoolView view, Service service, List<Task> tasks, Timing timing, Instant now) {
        Map<String, Task> byId =
                tasks.stream().collect(Collectors.toMap(task -> task.id().value(), Function.identity(), (a, b) -> a));
        List<Finding> findings = new ArrayList<>();
        boolean outage = outage(view, timing, now);
        if (outage) {
            findings.add(new FleetSilent("no container of the pool has been heard; nothing is declared lost"));
        }
        for (Container container : view.containers()) {
            of(container, Optional.ofNullable(byId.get(container.id().value())), service, view, outage, timing, now)
                    .ifPresent(findings::add);
        }
        tasks.stream()
                .filter(task -> task.phase() == TaskPhase.RUNNING)
                .filter(task -> view.container(task.id()).isEmpty())
                .filter(task ->
                        task.createdAt().isBefore(now.minus(timing.coldStart().multipliedBy(3))))
                .map(task -> new Unregistered(
                        task, "task " + task.id() + " runs since " + task.createdAt() + " and never registered"))
                .forEach(findings::add);
        if (service.desired() != view.pool().desired()) {
            findings.add(new Drift(
                    service.desired(),
                    view.pool().desired(),
                    "ECS wants " + service.desired() + " tasks, the pool "
                            + view.pool().desired()));
        }
        DeploymentWait.find(view, service, tasks, timing, now).ifPresent(findings::add);
        failedLaunches(view, tasks, timing, now).ifPresent(findings::add);
        return findings;
    }

    /** What can be told while ECS does not answer: who is silent. A probe tells whether such a container lives. */
    static List<Finding> findWithoutFleet(PoolView view, Timing timing, Instant now) {
        if (outage(view, timing, now)) {
            return List.of(new FleetSilent("no container of the pool has been heard; nothing is declared lost"));
        }
        return view.containers().stream()
                .filter(container ->
                        !container.isAlive(now) && !container.claims().isEmpty())
                .map(container -> withoutFleet(container, timing, now))
                .toList();
    }

    private static Finding withoutFleet(Container container, Timing timing, Instant now) {
        Duration silence = silence(container, timing, now);
        String words = "silent for " + silence.toSeconds() + " s, and ECS does not answer";
        boolean lost = container.state() == ContainerState.LOST;
        return !lost && silence.compareTo(timing.lostAfter()) >= 0
                ? new Vanished(container, words)
                : new Silent(container, words);
    }

    private static Duration silence(Container container, Timing timing, Instant now) {
        return Duration.between(container.aliveUntil().minus(timing.expiry()), now);
    }

    private static Optional<Finding> of(
            Container container,
            Optional<Task> task,
            Service service,
            PoolView view,
            boolean outage,
            Timing timing,
            Instant now) {
        boolean stopped =
                task.filter(found -> found.phase() == TaskPhase.STOPPED).isPresent();
        boolean goneForGood = stopped || task.isEmpty();
        if (container.state() == ContainerState.LOST && !container.mayExit()) {
            if (goneForGood) {
                return Optional.of(new Departed(container, "its task has stopped"));
            }
            boolean hasCalls = !container.isAlive(now) && !container.claims().isEmpty();
            return hasCalls
                    ? Optional.of(new Silent(container, "lost with calls, and ECS shows it as running"))
                    : Optional.empty();
        }
        if (container.state() == ContainerState.LOST
                && goneForGood
                && container.stateSince().plus(TO_GO_ON).isBefore(now)
                && container.claims().values().stream().anyMatch(claim -> claim.phase() == Claim.Phase.CONNECTED)) {
            return Optional.of(new LeftBehind(container, "its task has stopped, and the call is still on it"));
        }
        if (container.state() == ContainerState.LOST) {
            return container.stateSince().isBefore(now.minus(KEEP_LOST)) && goneForGood
                    ? Optional.of(
                            new Gone(container, "lost " + KEEP_LOST.toMinutes() + " min ago, and ECS shows no task"))
                    : Optional.empty();
        }
        if (container.state() == ContainerState.STOPPING && goneForGood) {
            if (!container.mayExit() && !view.pool().lowered().containsKey(container.id())) {
                return Optional.of(new Departed(container, "its task has stopped"));
            }
            // Kept while ECS still shows the stopped task: without its item that would look like a launch that failed.
            return task.isEmpty() && !container.isAlive(now)
                    ? Optional.of(new Gone(container, "stopped as asked, and ECS has forgotten it"))
                    : Optional.empty();
        }
        if (stopped) {
            return Optional.of(new Stopped(
                    container,
                    container.state() == ContainerState.STARTING
                            ? NEVER_READY
                            : "ECS: " + task.get().stoppedReason()));
        }
        if (!container.isAlive(now)) {
            return silent(container, task, outage, timing, now);
        }
        boolean serving = container.state() == ContainerState.READY
                || (container.state() == ContainerState.DRAINING && !container.mayExit());
        Optional<Task> stopping = task.filter(found -> serving && found.phase() == TaskPhase.STOPPING);
        if (stopping.isPresent()) {
            return Optional.of(new BeingStopped(
                    container, "ECS stops its task: " + stopping.get().stoppedReason()));
        }
        boolean outdated = container.state() == ContainerState.READY
                && !container.revision().equals(service.revision())
                && view.claimable(now).anyMatch(other -> other.revision().equals(service.revision()));
        return outdated
                ? Optional.of(new Outdated(
                        container, "revision " + container.revision() + ", and " + service.revision() + " is READY"))
                : Optional.empty();
    }

    private static Optional<Finding> silent(
            Container container, Optional<Task> task, boolean outage, Timing timing, Instant now) {
        if (outage) {
            return Optional.empty();
        }
        Duration silence = silence(container, timing, now);
        String words = "silent for " + silence.toSeconds() + " s";
        if (silence.compareTo(timing.lostAfter()) >= 0) {
            return Optional.of(new Vanished(container, words + (task.isEmpty() ? ", and unknown to ECS" : "")));
        }
        return task.filter(found -> found.phase() == TaskPhase.RUNNING)
                .map(found -> new Silent(container, words + ", and ECS shows it as running"));
    }

    /** Whether the whole fleet is, or until a moment ago was, silent, as the pool's item says. */
    private static boolean outage(PoolView view, Timing timing, Instant now) {
        boolean silent = view.pool().silentSince().isBefore(Instant.MAX);
        boolean justBack = now.isBefore(view.pool().heardAgainAt().plus(timing.outageQuiet()));
        return silent || justBack;
    }

    /**
     * Tasks that stopped before READY since the last container became READY. A task without an item may also be one that
     * served and was retired: that takes an idle window at least, so only younger ones are failures.
     */
    private static Optional<Finding> failedLaunches(PoolView view, List<Task> tasks, Timing timing, Instant now) {
        Instant lastGood = view.containers().stream()
                .filter(container ->
                        container.state() == ContainerState.READY || container.state() == ContainerState.DRAINING)
                .map(Container::startedAt)
                .max(Comparator.naturalOrder())
                .orElse(Instant.EPOCH);
        List<Task> failed = tasks.stream()
                .filter(task -> task.phase() == TaskPhase.STOPPED)
                .filter(task -> task.createdAt().isAfter(lastGood))
                .filter(task -> view.container(task.id())
                        .map(container -> container.state() == ContainerState.STARTING
                                || container.stateReason().equals(NEVER_READY))
                        .orElse(task.createdAt().isAfter(now.minus(timing.idleWindow()))))
                .sorted(Comparator.comparing(Task::createdAt))
                .toList();
        return failed.isEmpty()
                ? Optional.empty()
                : Optional.of(new FailedLaunches(
                        failed.size(),
                        failed.getLast().stoppedReason(),
                        failed.getLast().createdAt(),
                        failed.size() + " launches stopped before READY: "
                                + failed.getLast().stoppedReason()));
    }
}
