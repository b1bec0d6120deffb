package dev.spillway.localcloud;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One service: what is wanted of it, and the loop body that makes its tasks follow. Not thread-safe: guarded by the
 * cluster's lock.
 */
final class EcsService {

    /** Tasks of a service are started by its cluster. */
    interface TaskFactory {
        EcsTask create(EcsService service, EcsDeployment deployment, Instant now);
    }

    /** A line of the service's event list. */
    record Message(String id, Instant at, String text) {}

    private static final int KEPT_MESSAGES = 100;
    private static final int MAXIMUM_PERCENT = 200;
    /** ECS refuses a sixth deployment while five have not ended (aws/containers-roadmap, number 2836). */
    private static final int MOST_DEPLOYMENTS = 5;

    private static final Duration STOPPED_TASKS_KEPT = Duration.ofHours(1);

    final ServiceSpec spec;
    final Instant createdAt;
    private final EcsOptions options;
    private final TaskFactory factory;
    private final Map<String, EcsTask> tasks = new LinkedHashMap<>();
    private final Deque<EcsDeployment> deployments = new ArrayDeque<>();
    private final Deque<Message> messages = new ArrayDeque<>();
    private final List<String> judged = new ArrayList<>();
    private int desired;
    private boolean steady;
    private int failuresInARow;
    private Instant lastFailureAt = Instant.MIN;
    private Instant noLaunchBefore = Instant.MIN;
    private @Nullable LaunchFault fault;
    private int faultyLaunches;

    EcsService(ServiceSpec spec, EcsOptions options, TaskFactory factory, Instant now) {
        this.spec = spec;
        this.options = options;
        this.factory = factory;
        this.createdAt = now;
        this.desired = spec.desired();
        deployments.addFirst(deployment(spec.taskFamily(), 1, now));
    }

    private static EcsDeployment deployment(String family, int revision, Instant now) {
        long number = UUID.randomUUID().getMostSignificantBits() & Long.MAX_VALUE;
        return new EcsDeployment("ecs-svc/" + number, family, revision, now);
    }

    void desire(int count) {
        desired = count;
        steady = false;
    }

    void deploy(String family, int revision, Instant now) {
        if (deployments.size() >= MOST_DEPLOYMENTS) {
            throw EcsException.invalid(
                    MOST_DEPLOYMENTS + " active deployments exist, unable to create new deployment.");
        }
        deployments.addFirst(deployment(family, revision, now));
        steady = false;
    }

    void launchFault(@Nullable LaunchFault next, int launches) {
        fault = next;
        faultyLaunches = launches;
    }

    /** The fault of the next launch, used up by asking. */
    @Nullable
    LaunchFault takeLaunchFault() {
        if (faultyLaunches <= 0) {
            return null;
        }
        faultyLaunches--;
        return fault;
    }

    /** One turn of the service loop. */
    void reconcile(Instant now) {
        tasks.values().forEach(task -> task.advance(now));
        judgeStopped(now);
        stopUnhealthy(now);
        scaleIn(now);
        launch(now);
        tasks.values().forEach(task -> task.advance(now));
        settleDeployments(now);
        tasks.values().removeIf(task -> {
            Instant stoppedAt = task.stoppedAt();
            return stoppedAt != null && stoppedAt.plus(STOPPED_TASKS_KEPT).isBefore(now);
        });
        judged.removeIf(id -> !tasks.containsKey(id));
    }

    private void judgeStopped(Instant now) {
        for (EcsTask task : tasks.values()) {
            if (!task.stopped() || judged.contains(task.id())) {
                continue;
            }
            judged.add(task.id());
            steady = false;
            if (task.failedQuickly(options.quickExit())) {
                failed(task, now);
            }
        }
        boolean oneLasts = tasks.values().stream().anyMatch(task -> {
            Instant startedAt = task.startedAt();
            return task.running()
                    && startedAt != null
                    && startedAt.isAfter(lastFailureAt)
                    && !startedAt.plus(options.quickExit()).isAfter(now);
        });
        if (oneLasts) {
            failuresInARow = 0;
        }
    }

    private void failed(EcsTask task, Instant now) {
        failuresInARow++;
        lastFailureAt = now;
        deployments.stream()
                .filter(deployment -> deployment.id.equals(task.deploymentId))
                .forEach(EcsDeployment::taskFailed);
        if (String.valueOf(task.stoppedReason()).startsWith("Capacity is unavailable")) {
            say("was unable to place a task. Reason: " + task.stoppedReason(), now);
        }
        if (failuresInARow >= 2) {
            noLaunchBefore = now.plus(restartDelay());
            say("is unable to consistently start tasks successfully.", now);
        }
    }

    private Duration restartDelay() {
        Duration delay = options.firstRestartDelay();
        for (int doubled = 2;
                doubled < failuresInARow && delay.compareTo(options.longestRestartDelay()) < 0;
                doubled++) {
            delay = delay.multipliedBy(2);
        }
        return delay.compareTo(options.longestRestartDelay()) < 0 ? delay : options.longestRestartDelay();
    }

    private void stopUnhealthy(Instant now) {
        String group = spec.targetGroup();
        if (group == null) {
            return;
        }
        for (EcsTask task : tasks.values()) {
            Instant startedAt = task.startedAt();
            if (task.running()
                    && startedAt != null
                    && Duration.between(startedAt, now).compareTo(spec.gracePeriod()) > 0
                    && options.health().health(group, task.port()) == TargetHealth.UNHEALTHY) {
                task.requestStop(
                        "ServiceSchedulerInitiated",
                        "Task failed ELB health checks in (target-group " + group + ")",
                        now);
                say("task " + task.id() + " is unhealthy in target-group " + group, now);
            }
        }
    }

    private void scaleIn(Instant now) {
        List<EcsTask> old = active(false);
        long surplus = old.size() - stillNeededOf(old);
        // Old tasks that never ran serve nobody: they go first, whatever the new ones do.
        List<EcsTask> pending = old.stream().filter(task -> !task.running()).toList();
        stop(pending, "deployment " + primary().id, now);
        List<EcsTask> runningOld = old.stream().filter(EcsTask::running).toList();
        stop(
                Victims.choose(runningOld, (int) Math.max(0, surplus - pending.size()), now),
                "deployment " + primary().id,
                now);

        List<EcsTask> current = active(true);
        stop(Victims.choose(current, Math.max(0, current.size() - desired), now), "service " + spec.name(), now);
    }

    /** Old tasks stay until as many new ones serve. */
    private long stillNeededOf(List<EcsTask> old) {
        long serving = active(true).stream().filter(this::serves).count();
        return Math.min(old.size(), Math.max(0, desired - serving));
    }

    private boolean serves(EcsTask task) {
        String group = spec.targetGroup();
        return task.running() && (group == null || options.health().health(group, task.port()) != TargetHealth.INITIAL);
    }

    private void stop(List<EcsTask> victims, String what, Instant now) {
        victims.forEach(task ->
                task.requestStop("ServiceSchedulerInitiated", "Scaling activity initiated by (" + what + ")", now));
        if (!victims.isEmpty()) {
            say("has stopped " + victims.size() + " running tasks: " + names(victims), now);
        }
    }

    private void launch(Instant now) {
        if (now.isBefore(noLaunchBefore)) {
            return;
        }
        int current = active(true).size();
        int room = desired * MAXIMUM_PERCENT / 100 - current - active(false).size();
        List<EcsTask> started = new ArrayList<>();
        while (current + started.size() < desired && started.size() < room) {
            EcsTask task = factory.create(this, primary(), now);
            tasks.put(task.id(), task);
            started.add(task);
        }
        if (!started.isEmpty()) {
            say("has started " + started.size() + " tasks: " + names(started), now);
        }
    }

    private void settleDeployments(Instant now) {
        EcsDeployment primary = primary();
        deployments.removeIf(deployment -> deployment != primary
                && tasks.values().stream().noneMatch(task -> task.active() && task.deploymentId.equals(deployment.id)));
        long running = active(true).stream().filter(EcsTask::running).count();
        boolean reached = running == desired && active(true).size() == desired;
        if (!primary.completed() && reached && deployments.size() == 1) {
            primary.complete(now);
            say("(deployment " + primary.id + ") deployment completed.", now);
        }
        if (!steady && reached && deployments.size() == 1) {
            steady = true;
            say("has reached a steady state.", now);
        }
    }

    private void say(String text, Instant now) {
        messages.addFirst(new Message(UUID.randomUUID().toString(), now, "(service " + spec.name() + ") " + text));
        if (messages.size() > KEPT_MESSAGES) {
            messages.removeLast();
        }
    }

    private static String names(List<EcsTask> tasks) {
        return String.join(
                " ", tasks.stream().map(task -> "(task " + task.id() + ").").toList());
    }

    private List<EcsTask> active(boolean ofPrimary) {
        String primary = primary().id;
        return tasks.values().stream()
                .filter(task -> task.active() && task.deploymentId.equals(primary) == ofPrimary)
                .toList();
    }

    /** Why a protection is refused, or null: a deployment runs and more tasks than desired would be protected. */
    boolean blocksProtection(EcsTask task, Instant now) {
        long others = tasks.values().stream()
                .filter(other -> other != task && other.active() && other.protectedAt(now))
                .count();
        return deployments.size() > 1 && others + 1 > desired;
    }

    Instant nextLook(Instant otherwise) {
        Instant next = noLaunchBefore.isAfter(Instant.now()) && noLaunchBefore.isBefore(otherwise)
                ? noLaunchBefore
                : otherwise;
        for (EcsTask task : tasks.values()) {
            Instant look = task.nextLook(otherwise);
            next = look.isBefore(next) ? look : next;
        }
        return next;
    }

    EcsDeployment primary() {
        return deployments.getFirst();
    }

    Collection<EcsDeployment> deployments() {
        return deployments;
    }

    Collection<EcsTask> tasks() {
        return tasks.values();
    }

    Collection<Message> messages() {
        return messages;
    }

    int desired() {
        return desired;
    }

    String name() {
        return spec.name();
    }
}
