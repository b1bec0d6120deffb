package dev.spillway.adapters.ecs;

import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Fleet.TaskPhase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.ecs.model.Container;
import software.amazon.awssdk.services.ecs.model.Deployment;
import software.amazon.awssdk.services.ecs.model.Service;
import software.amazon.awssdk.services.ecs.model.Task;

/** ECS's services and tasks as the core sees them. */
final class EcsCodec {
    private EcsCodec() {}

    static Fleet.Service service(Service service) {
        List<Deployment> active = service.deployments().stream()
                .filter(deployment -> "PRIMARY".equals(deployment.status()) || "ACTIVE".equals(deployment.status()))
                .toList();
        Optional<Deployment> primary = active.stream()
                .filter(deployment -> "PRIMARY".equals(deployment.status()))
                .findFirst();
        String revision = primary.map(Deployment::taskDefinition).orElse(service.taskDefinition());
        return new Fleet.Service(
                count(service.desiredCount(), "desired", service),
                count(service.runningCount(), "running", service),
                count(service.pendingCount(), "pending", service),
                active.size() > 1,
                lastPart(revision),
                primary.flatMap(deployment -> Optional.ofNullable(deployment.createdAt()))
                        .orElse(Instant.MAX));
    }

    static Fleet.Task task(Task task) {
        TaskPhase phase = phase(orEmpty(task.lastStatus()), orEmpty(task.desiredStatus()));
        return new Fleet.Task(
                new ContainerId(lastPart(task.taskArn())),
                phase,
                lastPart(task.taskDefinitionArn()),
                phase == TaskPhase.STOPPED || phase == TaskPhase.STOPPING ? stoppedReason(task) : "",
                task.createdAt() == null ? Instant.EPOCH : task.createdAt());
    }

    /**
     * The statuses of a task's life (ECS developer guide, "Task lifecycle"): PROVISIONING, PENDING, ACTIVATING, RUNNING,
     * DEACTIVATING, STOPPING, DEPROVISIONING, STOPPED, DELETED.
     */
    static TaskPhase phase(String lastStatus, String desiredStatus) {
        return switch (lastStatus) {
            case "STOPPED", "DELETED" -> TaskPhase.STOPPED;
            case "DEACTIVATING", "STOPPING", "DEPROVISIONING" -> TaskPhase.STOPPING;
            default -> {
                if (desiredStatus.equals("STOPPED")) {
                    yield TaskPhase.STOPPING;
                }
                yield lastStatus.equals("RUNNING") ? TaskPhase.RUNNING : TaskPhase.STARTING;
            }
        };
    }

    /** Such as {@code TaskFailedToStart: CannotPullContainerError: … (media: exit code 1, OutOfMemoryError)}. */
    private static String stoppedReason(Task task) {
        List<String> parts = new ArrayList<>();
        text(task.stopCodeAsString()).ifPresent(parts::add);
        text(task.stoppedReason()).ifPresent(parts::add);
        String details = task.containers().stream()
                .flatMap(container -> details(container).stream())
                .collect(Collectors.joining("; "));
        String reason = String.join(": ", parts);
        return details.isEmpty() ? reason : (reason + " (" + details + ")").strip();
    }

    private static Optional<String> details(Container container) {
        List<String> parts = new ArrayList<>();
        if (container.exitCode() != null) {
            parts.add("exit code " + container.exitCode());
        }
        text(container.reason()).ifPresent(parts::add);
        return parts.isEmpty()
                ? Optional.empty()
                : Optional.of(orEmpty(container.name()) + ": " + String.join(", ", parts));
    }

    private static Optional<String> text(@Nullable String text) {
        return Optional.ofNullable(text).filter(some -> !some.isBlank());
    }

    /** {@code arn:aws:ecs:…:task-definition/media:7} becomes {@code media:7}. */
    static String lastPart(@Nullable String arn) {
        String text = orEmpty(arn);
        return text.substring(text.lastIndexOf('/') + 1);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** A count that is missing is not read as zero: nothing may be lowered or stopped by it. */
    private static int count(@Nullable Integer count, String which, Service service) {
        if (count == null) {
            throw new DependencyException(
                    EcsFleet.DEPENDENCY,
                    "describing service " + service.serviceName(),
                    new IllegalStateException("no " + which + " count in the answer"));
        }
        return count;
    }
}
