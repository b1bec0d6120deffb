package dev.spillway.localcloud;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The ECS API over JSON 1.1: decodes an operation, runs it on the cluster, renders the answer or the typed error. */
final class EcsWire {
    private static final String TARGET_PREFIX = "AmazonEC2ContainerServiceV20141113.";
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int LARGEST_PAGE = 100;
    private static final int MOST_DESCRIBED_TASKS = 100;
    private static final int MOST_DESCRIBED_SERVICES = 10;
    private static final int MOST_PROTECTED_TASKS = 10;
    private static final int LONGEST_PROTECTION_MINUTES = 2_880;
    static final int DEFAULT_PROTECTION_MINUTES = 120;

    private final EcsCluster cluster;
    private final ApiFaults faults;
    private final Silence silence;
    private final EcsJson json;

    EcsWire(EcsCluster cluster, ApiFaults faults, Silence silence) {
        this.cluster = cluster;
        this.faults = faults;
        this.silence = silence;
        this.json = new EcsJson(cluster.names);
    }

    LocalHttpServer.Response handle(LocalHttpServer.Request request) throws InterruptedException {
        String target = request.headers().getOrDefault("x-amz-target", "");
        String operation = target.startsWith(TARGET_PREFIX) ? target.substring(TARGET_PREFIX.length()) : "";
        try {
            return switch (faults.next(operation)) {
                case ApiFaults.Fault.Refusal(String type, String message) -> throw EcsException.of(type, message);
                case ApiFaults.Fault.SilentBefore() -> silence.keep();
                case ApiFaults.Fault.SilentAfter() -> {
                    run(operation, request);
                    yield silence.keep();
                }
                case ApiFaults.Fault.None() -> AwsJson.answer(run(operation, request));
            };
        } catch (EcsException e) {
            return AwsJson.error(e.status(), e.type(), e.text());
        }
    }

    private ObjectNode run(String operation, LocalHttpServer.Request request) {
        JsonNode input;
        try {
            input = MAPPER.readTree(request.body());
        } catch (JsonProcessingException e) {
            throw EcsException.of("SerializationException", "malformed JSON");
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return cluster.change(() -> {
            if (!cluster.names.isCluster(input.path("cluster").asText("default"))) {
                throw EcsException.noCluster();
            }
            Instant now = Instant.now();
            return switch (operation) {
                case "UpdateService" -> updateService(input, now);
                case "DescribeServices" -> describeServices(input);
                case "ListTasks" -> listTasks(input);
                case "DescribeTasks" -> describeTasks(input);
                case "StopTask" -> stopTask(input, now);
                case "UpdateTaskProtection" -> updateTaskProtection(input, now);
                case "GetTaskProtection" -> getTaskProtection(input, now);
                default -> throw EcsException.of("UnknownOperationException", "no such operation: " + operation);
            };
        });
    }

    private ObjectNode updateService(JsonNode input, Instant now) {
        EcsService service = cluster.service(input.path("service").asText());
        int desired = input.path("desiredCount").asInt(service.desired());
        if (desired < 0) {
            throw EcsException.invalid("desiredCount must not be negative");
        }
        EcsDeployment primary = service.primary();
        TaskDefinition wanted = input.hasNonNull("taskDefinition")
                ? TaskDefinition.parse(input.path("taskDefinition").asText(), primary)
                : new TaskDefinition(primary.family, primary.revision);
        boolean changed = !wanted.equals(new TaskDefinition(primary.family, primary.revision));
        if (changed || input.path("forceNewDeployment").asBoolean()) {
            service.deploy(wanted.family(), wanted.revision(), now);
        }
        if (desired != service.desired()) {
            service.desire(desired);
        }
        ObjectNode answer = NODES.objectNode();
        answer.set("service", json.service(service));
        return answer;
    }

    private ObjectNode describeServices(JsonNode input) {
        List<String> wanted = texts(input.path("services"));
        if (wanted.isEmpty() || wanted.size() > MOST_DESCRIBED_SERVICES) {
            throw EcsException.invalid("services must name 1 to " + MOST_DESCRIBED_SERVICES + " services");
        }
        ObjectNode answer = NODES.objectNode();
        ArrayNode found = answer.putArray("services");
        ArrayNode failures = answer.putArray("failures");
        for (String name : wanted) {
            cluster.maybeService(name)
                    .ifPresentOrElse(
                            service -> found.add(json.service(service)),
                            () -> failure(
                                    failures, cluster.names.serviceArn(EcsNames.shortName(name)), "MISSING", null));
        }
        return answer;
    }

    private ObjectNode listTasks(JsonNode input) {
        String desiredStatus = input.path("desiredStatus").asText("RUNNING");
        String service = input.hasNonNull("serviceName")
                ? cluster.service(input.path("serviceName").asText()).name()
                : null;
        int page = input.path("maxResults").asInt(LARGEST_PAGE);
        if (page < 1 || page > LARGEST_PAGE) {
            throw EcsException.invalid("maxResults must be 1 to " + LARGEST_PAGE);
        }
        List<String> arns = cluster.tasks().stream()
                .filter(task -> service == null || task.start.service().equals(service))
                .filter(task -> task.desiredStatus().equals(desiredStatus))
                .map(EcsTask::arn)
                .sorted()
                .toList();
        // The token is the last ARN given, so that tasks coming and going between pages shift nothing.
        String after = input.path("nextToken").asText("");
        List<String> rest =
                arns.stream().filter(arn -> arn.compareTo(after) > 0).toList();
        ObjectNode answer = NODES.objectNode();
        ArrayNode found = answer.putArray("taskArns");
        rest.stream().limit(page).forEach(found::add);
        if (rest.size() > page) {
            answer.put("nextToken", rest.get(page - 1));
        }
        return answer;
    }

    private ObjectNode describeTasks(JsonNode input) {
        List<String> wanted = texts(input.path("tasks"));
        if (wanted.isEmpty()) {
            throw EcsException.invalid("Tasks cannot be empty.");
        }
        if (wanted.size() > MOST_DESCRIBED_TASKS) {
            throw EcsException.invalid("taskIds can have at most " + MOST_DESCRIBED_TASKS + " items.");
        }
        ObjectNode answer = NODES.objectNode();
        ArrayNode found = answer.putArray("tasks");
        ArrayNode failures = answer.putArray("failures");
        for (String task : wanted) {
            cluster.task(task)
                    .ifPresentOrElse(
                            known -> found.add(json.task(known)), () -> failure(failures, arn(task), "MISSING", null));
        }
        return answer;
    }

    private ObjectNode stopTask(JsonNode input, Instant now) {
        EcsTask task = cluster.task(input.path("task").asText())
                .orElseThrow(() -> EcsException.invalid("The referenced task was not found."));
        task.requestStop("UserInitiated", input.path("reason").asText("Task stopped by user"), now);
        ObjectNode answer = NODES.objectNode();
        answer.set("task", json.task(task));
        return answer;
    }

    private ObjectNode updateTaskProtection(JsonNode input, Instant now) {
        List<String> wanted = protectable(input);
        boolean enabled = input.path("protectionEnabled").asBoolean();
        int minutes = input.path("expiresInMinutes").asInt(DEFAULT_PROTECTION_MINUTES);
        checkMinutes(minutes);
        ObjectNode answer = NODES.objectNode();
        ArrayNode done = answer.putArray("protectedTasks");
        ArrayNode failures = answer.putArray("failures");
        for (String name : wanted) {
            EcsTask task = cluster.task(name).orElse(null);
            String refusal = task == null ? "MISSING" : cluster.protect(task, enabled, minutes, now);
            if (task == null || refusal != null) {
                failure(failures, arn(name), String.valueOf(refusal), refusalDetail(refusal));
            } else {
                done.add(protection(task, now));
            }
        }
        return answer;
    }

    private ObjectNode getTaskProtection(JsonNode input, Instant now) {
        ObjectNode answer = NODES.objectNode();
        ArrayNode found = answer.putArray("protectedTasks");
        ArrayNode failures = answer.putArray("failures");
        for (String name : protectable(input)) {
            cluster.task(name)
                    .ifPresentOrElse(
                            task -> found.add(protection(task, now)),
                            () -> failure(failures, arn(name), "MISSING", null));
        }
        return answer;
    }

    static void checkMinutes(int minutes) {
        if (minutes < 1 || minutes > LONGEST_PROTECTION_MINUTES) {
            throw EcsException.invalid("expiresInMinutes must be 1 to " + LONGEST_PROTECTION_MINUTES);
        }
    }

    static @Nullable String refusalDetail(@Nullable String refusal) {
        return "DEPLOYMENT_BLOCKED".equals(refusal)
                ? "Unable to set protection: more tasks than the desired count would be protected during a deployment."
                : null;
    }

    private static List<String> protectable(JsonNode input) {
        List<String> wanted = texts(input.path("tasks"));
        if (wanted.isEmpty() || wanted.size() > MOST_PROTECTED_TASKS) {
            throw EcsException.invalid("tasks must name 1 to " + MOST_PROTECTED_TASKS + " tasks");
        }
        return wanted;
    }

    private static ObjectNode protection(EcsTask task, Instant now) {
        ObjectNode node = NODES.objectNode();
        Instant until = task.protectedUntil(now);
        node.put("taskArn", task.arn());
        node.put("protectionEnabled", until != null);
        if (until != null) {
            node.set("expirationDate", EcsJson.epochSeconds(until));
        }
        return node;
    }

    private String arn(String taskIdOrArn) {
        return cluster.names.taskArn(EcsNames.shortName(taskIdOrArn));
    }

    private static void failure(ArrayNode failures, String arn, String reason, @Nullable String detail) {
        ObjectNode failure = failures.addObject().put("arn", arn).put("reason", reason);
        if (detail != null) {
            failure.put("detail", detail);
        }
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(element -> texts.add(element.asText()));
        return texts;
    }

    /** {@code family}, {@code family:revision} or an ARN of one. */
    record TaskDefinition(String family, int revision) {
        static TaskDefinition parse(String text, EcsDeployment current) {
            String name = EcsNames.shortName(text);
            int colon = name.indexOf(':');
            if (colon < 0) {
                return new TaskDefinition(name, name.equals(current.family) ? current.revision : 1);
            }
            try {
                return new TaskDefinition(name.substring(0, colon), Integer.parseInt(name.substring(colon + 1)));
            } catch (NumberFormatException e) {
                throw EcsException.of("ClientException", "Unable to describe task definition.");
            }
        }
    }
}
