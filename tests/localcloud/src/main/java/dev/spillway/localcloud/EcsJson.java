package dev.spillway.localcloud;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The shapes of services and tasks as ECS writes them: in API answers (epoch seconds) and in events (ISO instants). */
final class EcsJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String ADDRESS = "127.0.0.1";

    private final EcsNames names;

    EcsJson(EcsNames names) {
        this.names = names;
    }

    ObjectNode service(EcsService service) {
        ObjectNode node = NODES.objectNode();
        EcsDeployment primary = service.primary();
        node.put("serviceArn", names.serviceArn(service.name()));
        node.put("serviceName", service.name());
        node.put("clusterArn", names.clusterArn());
        node.put("status", "ACTIVE");
        node.put("desiredCount", service.desired());
        counts(node, service, _ -> true);
        node.put("launchType", "FARGATE");
        node.put("taskDefinition", EcsNames.taskDefinitionArn(primary.family, primary.revision));
        node.put("healthCheckGracePeriodSeconds", service.spec.gracePeriod().toSeconds());
        node.set("createdAt", epochSeconds(service.createdAt));
        node.putObject("deploymentConfiguration").put("maximumPercent", 200).put("minimumHealthyPercent", 100);
        ArrayNode loadBalancers = node.putArray("loadBalancers");
        String group = service.spec.targetGroup();
        if (group != null) {
            loadBalancers
                    .addObject()
                    .put("targetGroupArn", EcsNames.targetGroupArn(group))
                    .put("containerName", primary.family);
        }
        ArrayNode deployments = node.putArray("deployments");
        service.deployments().forEach(deployment -> deployments.add(deployment(service, deployment)));
        ArrayNode events = node.putArray("events");
        service.messages().forEach(message -> {
            ObjectNode event = events.addObject();
            event.put("id", message.id()).put("message", message.text());
            event.set("createdAt", epochSeconds(message.at()));
        });
        return node;
    }

    private static ObjectNode deployment(EcsService service, EcsDeployment deployment) {
        boolean primary = deployment == service.primary();
        ObjectNode node = NODES.objectNode();
        node.put("id", deployment.id);
        node.put("status", primary ? "PRIMARY" : "ACTIVE");
        node.put("taskDefinition", EcsNames.taskDefinitionArn(deployment.family, deployment.revision));
        node.put("desiredCount", primary ? service.desired() : 0);
        counts(node, service, task -> task.deploymentId.equals(deployment.id));
        node.put("failedTasks", deployment.failedTasks());
        node.put("launchType", "FARGATE");
        boolean completed = !primary || deployment.completed();
        node.put("rolloutState", completed ? "COMPLETED" : "IN_PROGRESS");
        node.put(
                "rolloutStateReason",
                "ECS deployment " + deployment.id + (completed ? " completed." : " in progress."));
        node.set("createdAt", epochSeconds(deployment.createdAt));
        node.set("updatedAt", epochSeconds(deployment.updatedAt()));
        return node;
    }

    private static void counts(ObjectNode node, EcsService service, Predicate<EcsTask> which) {
        node.put("runningCount", count(service, which.and(EcsTask::running)));
        node.put("pendingCount", count(service, which.and(task -> task.active() && !task.running())));
    }

    private static int count(EcsService service, Predicate<EcsTask> which) {
        return (int) service.tasks().stream().filter(which).count();
    }

    /** A task of DescribeTasks or StopTask. */
    ObjectNode task(EcsTask task) {
        return taskFields(task, false);
    }

    /** The EventBridge event of a change of the task, as delivered. */
    String stateChange(EcsTask task, Instant now) {
        ObjectNode event = NODES.objectNode();
        event.put("version", "0");
        event.put("id", UUID.randomUUID().toString());
        event.put("detail-type", "ECS Task State Change");
        event.put("source", "aws.ecs");
        event.put("account", EcsNames.ACCOUNT);
        event.put("time", now.toString());
        event.put("region", EcsNames.REGION);
        event.putArray("resources").add(task.arn());
        ObjectNode detail = taskFields(task, true);
        detail.put("updatedAt", now.toString());
        event.set("detail", detail);
        return event.toString();
    }

    private ObjectNode taskFields(EcsTask task, boolean iso) {
        ObjectNode node = NODES.objectNode();
        node.put("taskArn", task.arn());
        node.put("clusterArn", names.clusterArn());
        node.put("taskDefinitionArn", EcsNames.taskDefinitionArn(task.start.family(), task.start.revision()));
        node.put("group", "service:" + task.start.service());
        node.put("startedBy", task.deploymentId);
        node.put("lastStatus", task.status().name());
        node.put("desiredStatus", task.desiredStatus());
        node.put("availabilityZone", task.start.availabilityZone());
        node.put("launchType", "FARGATE");
        node.put("platformVersion", "1.4.0");
        node.put("connectivity", "CONNECTED");
        node.put("cpu", "1024");
        node.put("memory", "2048");
        node.put("version", task.version());
        put(node, "createdAt", task.createdAt, iso);
        put(node, "connectivityAt", task.createdAt, iso);
        put(node, "pullStartedAt", task.startedAt(), iso);
        put(node, "pullStoppedAt", task.startedAt(), iso);
        put(node, "startedAt", task.startedAt(), iso);
        put(node, "stoppingAt", task.stoppingAt(), iso);
        put(node, "stoppedAt", task.stoppedAt(), iso);
        put(node, "executionStoppedAt", task.startedAt() == null ? null : task.stoppedAt(), iso);
        if (task.stopCode() != null) {
            node.put("stopCode", task.stopCode());
        }
        if (task.stoppedReason() != null) {
            node.put("stoppedReason", task.stoppedReason());
        }
        String attachment = UUID.nameUUIDFromBytes(task.id().getBytes(StandardCharsets.US_ASCII))
                .toString();
        node.putArray("containers").add(container(task, attachment));
        node.putArray("attachments").add(attachment(task, attachment));
        node.putObject("overrides").putArray("containerOverrides").addObject().put("name", task.start.family());
        return node;
    }

    private ObjectNode container(EcsTask task, String attachment) {
        ObjectNode node = NODES.objectNode();
        node.put("containerArn", names.containerArn(task.id()));
        node.put("taskArn", task.arn());
        node.put("name", task.start.family());
        node.put("lastStatus", containerStatus(task));
        node.put("healthStatus", "UNKNOWN");
        if (task.exitCode() != null) {
            node.put("exitCode", task.exitCode());
        } else if (task.stopped() && task.stoppedReason() != null) {
            node.put("reason", task.stoppedReason());
        }
        node.putArray("networkInterfaces")
                .addObject()
                .put("attachmentId", attachment)
                .put("privateIpv4Address", ADDRESS);
        return node;
    }

    private static String containerStatus(EcsTask task) {
        return switch (task.status()) {
            case PROVISIONING, PENDING -> "PENDING";
            case RUNNING, DEACTIVATING, STOPPING -> "RUNNING";
            case STOPPED -> "STOPPED";
        };
    }

    private static ObjectNode attachment(EcsTask task, String id) {
        ObjectNode node = NODES.objectNode();
        node.put("id", id);
        node.put("type", "ElasticNetworkInterface");
        node.put("status", task.stopped() ? "DELETED" : "ATTACHED");
        ArrayNode details = node.putArray("details");
        details.addObject().put("name", "networkInterfaceId").put("value", "eni-" + id.substring(0, 8));
        details.addObject().put("name", "privateIPv4Address").put("value", ADDRESS);
        return node;
    }

    private static void put(ObjectNode node, String field, @Nullable Instant at, boolean iso) {
        if (at != null && iso) {
            node.put(field, at.toString());
        } else if (at != null) {
            node.set(field, epochSeconds(at));
        }
    }

    static JsonNode epochSeconds(Instant at) {
        return NODES.numberNode(BigDecimal.valueOf(at.toEpochMilli(), 3));
    }
}
