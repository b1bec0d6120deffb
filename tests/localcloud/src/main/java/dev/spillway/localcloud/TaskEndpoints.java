package dev.spillway.localcloud;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the ECS agent answers inside a task: {@code /agent/TASK/task-protection/v1/state}, {@code /metadata/TASK} and
 * {@code /metadata/TASK/task}. Faults of UpdateTaskProtection and GetTaskProtection strike here too.
 */
final class TaskEndpoints {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final EcsCluster cluster;
    private final ApiFaults faults;
    private final Silence silence;

    TaskEndpoints(EcsCluster cluster, ApiFaults faults, Silence silence) {
        this.cluster = cluster;
        this.faults = faults;
        this.silence = silence;
    }

    LocalHttpServer.Response handle(LocalHttpServer.Request request) throws InterruptedException, IOException {
        List<String> path = List.of(request.path().substring(1).split("/", 3));
        String rest = path.size() == 3 ? path.get(2) : "";
        if (path.size() >= 2 && path.getFirst().equals("agent") && rest.equals("task-protection/v1/state")) {
            return protection(request, path.get(1));
        }
        if (path.size() >= 2 && path.getFirst().equals("metadata")) {
            return cluster.change(() ->
                    cluster.task(path.get(1)).map(task -> metadata(task, rest)).orElseGet(TaskEndpoints::notFound));
        }
        return notFound();
    }

    private static LocalHttpServer.Response notFound() {
        return LocalHttpServer.Response.of(404, "text/plain", "not found\n");
    }

    private LocalHttpServer.Response protection(LocalHttpServer.Request request, String taskId)
            throws InterruptedException, IOException {
        boolean put = request.method().equals("PUT");
        JsonNode wanted = put ? MAPPER.readTree(request.body()) : NODES.missingNode();
        return switch (faults.next(put ? "UpdateTaskProtection" : "GetTaskProtection")) {
            case ApiFaults.Fault.Refusal(String type, String message) -> error(taskId, type, message);
            case ApiFaults.Fault.SilentBefore() -> silence.keep();
            case ApiFaults.Fault.SilentAfter() -> {
                cluster.change(() -> state(taskId, put, wanted));
                yield silence.keep();
            }
            case ApiFaults.Fault.None() -> cluster.change(() -> state(taskId, put, wanted));
        };
    }

    private LocalHttpServer.Response state(String taskId, boolean put, JsonNode wanted) {
        EcsTask task = cluster.task(taskId).orElse(null);
        if (task == null) {
            return error(taskId, "InvalidParameterException", "no such task");
        }
        Instant now = Instant.now();
        if (put) {
            if (!wanted.path("ProtectionEnabled").isBoolean()) {
                return error(
                        taskId,
                        "InvalidParameterException",
                        "Invalid request: does not contain 'ProtectionEnabled' field");
            }
            int minutes = wanted.path("ExpiresInMinutes").asInt(EcsWire.DEFAULT_PROTECTION_MINUTES);
            try {
                EcsWire.checkMinutes(minutes);
            } catch (EcsException e) {
                return error(taskId, e.type(), e.text());
            }
            String refusal =
                    cluster.protect(task, wanted.path("ProtectionEnabled").booleanValue(), minutes, now);
            if (refusal != null) {
                return failure(task, refusal);
            }
        }
        ObjectNode answer = NODES.objectNode();
        ObjectNode protection = answer.putObject("protection");
        Instant until = task.protectedUntil(now);
        protection.put("ProtectionEnabled", until != null);
        if (until != null) {
            protection.put("ExpirationDate", until.toString());
        }
        protection.put("TaskArn", task.arn());
        return LocalHttpServer.Response.json(200, answer.toString());
    }

    private static LocalHttpServer.Response failure(EcsTask task, String reason) {
        ObjectNode answer = NODES.objectNode();
        @Nullable String detail = EcsWire.refusalDetail(reason);
        ObjectNode failure = answer.putObject("failure").put("Arn", task.arn()).put("Reason", reason);
        if (detail != null) {
            failure.put("Detail", detail);
        }
        answer.put("requestID", UUID.randomUUID().toString());
        return LocalHttpServer.Response.json(200, answer.toString());
    }

    private LocalHttpServer.Response error(String taskId, String code, String message) {
        ObjectNode answer = NODES.objectNode();
        answer.putObject("error")
                .put("Arn", cluster.names.taskArn(taskId))
                .put("Code", code)
                .put("Message", message);
        answer.put("requestID", UUID.randomUUID().toString());
        return LocalHttpServer.Response.json(code.equals("ServerException") ? 500 : 400, answer.toString());
    }

    private LocalHttpServer.Response metadata(EcsTask task, String rest) {
        return switch (rest) {
            case "" -> LocalHttpServer.Response.json(200, container(task).toString());
            case "task" -> LocalHttpServer.Response.json(200, task(task).toString());
            default -> notFound();
        };
    }

    private ObjectNode task(EcsTask task) {
        ObjectNode node = NODES.objectNode();
        node.put("Cluster", cluster.names.clusterArn());
        node.put("TaskARN", task.arn());
        node.put("Family", task.start.family());
        node.put("Revision", Integer.toString(task.start.revision()));
        node.put("ServiceName", task.start.service());
        node.put("DesiredStatus", task.desiredStatus());
        node.put("KnownStatus", task.running() ? "RUNNING" : task.status().name());
        node.put("AvailabilityZone", task.start.availabilityZone());
        node.put("LaunchType", "FARGATE");
        Instant startedAt = task.startedAt();
        if (startedAt != null) {
            node.put("PullStartedAt", startedAt.toString());
            node.put("PullStoppedAt", startedAt.toString());
        }
        node.putObject("Limits").put("CPU", 1).put("Memory", 2048);
        node.putArray("Containers").add(container(task));
        return node;
    }

    private ObjectNode container(EcsTask task) {
        ObjectNode node = NODES.objectNode();
        node.put("DockerId", task.id() + "-" + task.port());
        node.put("Name", task.start.family());
        node.put("DockerName", task.start.family());
        node.putObject("Labels")
                .put("com.amazonaws.ecs.cluster", cluster.names.clusterArn())
                .put("com.amazonaws.ecs.container-name", task.start.family())
                .put("com.amazonaws.ecs.task-arn", task.arn())
                .put("com.amazonaws.ecs.task-definition-family", task.start.family())
                .put("com.amazonaws.ecs.task-definition-version", Integer.toString(task.start.revision()));
        node.put("DesiredStatus", task.desiredStatus());
        node.put("KnownStatus", "RUNNING");
        node.put("CreatedAt", task.createdAt.toString());
        node.put("Type", "NORMAL");
        node.put("ContainerARN", cluster.names.containerArn(task.id()));
        ObjectNode network = node.putArray("Networks").addObject();
        network.put("NetworkMode", "awsvpc");
        network.putArray("IPv4Addresses").add("127.0.0.1");
        return node;
    }
}
