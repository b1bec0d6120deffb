package dev.spillway.localcloud;

import static dev.spillway.localcloud.SmallCluster.CLUSTER;
import static dev.spillway.localcloud.SmallCluster.SERVICE;
import static dev.spillway.localcloud.SmallCluster.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.services.ecs.model.InvalidParameterException;

/** Rolling deployments, what protection does to them, and the endpoints that a task sees. */
@Timeout(60)
class EcsDeploymentTest {

    @Test
    void a_deployment_starts_new_tasks_first_and_then_stops_the_old_ones() {
        try (SmallCluster cluster = new SmallCluster().withService(2)) {
            List<TaskSnapshot> old = cluster.running();

            cluster.client.updateService(
                    update -> update.cluster(CLUSTER).service(SERVICE).taskDefinition("media:2"));

            await().until(() -> cluster.describe().deployments().size() == 1
                    && cluster.describe()
                            .deployments()
                            .getFirst()
                            .rolloutStateAsString()
                            .equals("COMPLETED"));
            await().until(() -> cluster.ecs.liveTasks(SERVICE).size() == 2);
            assertThat(cluster.running())
                    .hasSize(2)
                    .allSatisfy(task -> assertThat(task.revision()).isEqualTo(2));
            TaskSnapshot firstNew = cluster.running().getFirst();
            assertThat(old)
                    .allSatisfy(task ->
                            assertThat(cluster.task(task.taskId()).stoppedAt()).isAfterOrEqualTo(firstNew.startedAt()));
            assertThat(cluster.describe().taskDefinition()).endsWith("media:2");
        }
    }

    @Test
    void a_forced_deployment_replaces_tasks_of_the_same_revision() {
        try (SmallCluster cluster = new SmallCluster().withService(1)) {
            String old = cluster.running().getFirst().taskId();

            cluster.client.updateService(
                    update -> update.cluster(CLUSTER).service(SERVICE).forceNewDeployment(true));

            await().until(() -> cluster.task(old).stopped() && cluster.running().size() == 1);
            assertThat(cluster.running().getFirst().revision()).isEqualTo(1);
        }
    }

    @Test
    void protected_old_tasks_stay_and_block_further_protection_beyond_the_desired_count() {
        try (SmallCluster cluster = new SmallCluster().withService(1)) {
            TaskSnapshot old = cluster.running().getFirst();
            cluster.protect(old);
            cluster.ecs.deploy(SERVICE, "media", 2);
            await().until(() -> cluster.running().size() == 2);
            TaskSnapshot fresh = cluster.running().getLast();

            var refused = cluster.protect(fresh);

            assertThat(refused.protectedTasks()).isEmpty();
            assertThat(refused.failures())
                    .singleElement()
                    .satisfies(failure -> assertThat(failure.reason()).isEqualTo("DEPLOYMENT_BLOCKED"));
            assertThat(cluster.describe().deployments()).hasSize(2);
            assertThat(cluster.describe().deployments().getFirst().rolloutStateAsString())
                    .isEqualTo("IN_PROGRESS");

            cluster.unprotect(old);
            await().until(() -> cluster.task(old.taskId()).stopped());
            await().until(() -> cluster.describe().deployments().size() == 1);
            assertThat(cluster.protect(fresh).failures()).isEmpty();
        }
    }

    @Test
    void a_sixth_deployment_is_refused_while_five_have_not_ended() {
        try (SmallCluster cluster = new SmallCluster().withService(5)) {
            for (int revision = 1; revision <= 4; revision++) {
                int next = revision + 1;
                cluster.protect(cluster.running().getLast());
                cluster.ecs.deploy(SERVICE, "media", next);
                await().until(() -> cluster.running().stream().anyMatch(task -> task.revision() == next));
            }

            assertThatThrownBy(() -> cluster.client.updateService(
                            update -> update.cluster(CLUSTER).service(SERVICE).taskDefinition("media:6")))
                    .isInstanceOf(InvalidParameterException.class)
                    .hasMessageContaining("5 active deployments exist");
        }
    }

    @Test
    void a_task_protects_itself_and_reads_who_it_is_through_its_own_endpoints() throws Exception {
        try (SmallCluster cluster = new SmallCluster().withService(1)) {
            TaskStart start = cluster.starts.getFirst();

            JsonNode enabled = put(start, "{\"ProtectionEnabled\":true,\"ExpiresInMinutes\":60}");
            JsonNode state = get(URI.create(start.agentUrl() + "/task-protection/v1/state"));
            JsonNode metadata = get(URI.create(start.metadataUrl() + "/task"));

            assertThat(enabled.at("/protection/ProtectionEnabled").asBoolean()).isTrue();
            assertThat(enabled.at("/protection/TaskArn").asText()).isEqualTo(start.taskArn());
            assertThat(state.at("/protection/ExpirationDate").asText())
                    .isEqualTo(enabled.at("/protection/ExpirationDate").asText());
            assertThat(cluster.client
                            .getTaskProtection(get -> get.cluster(CLUSTER).tasks(start.taskArn()))
                            .protectedTasks()
                            .getFirst()
                            .protectionEnabled())
                    .isTrue();
            assertThat(metadata.path("TaskARN").asText()).isEqualTo(start.taskArn());
            assertThat(metadata.path("ServiceName").asText()).isEqualTo("acme");
            assertThat(metadata.path("Family").asText()).isEqualTo("media");
            assertThat(metadata.path("Revision").asText()).isEqualTo("1");
            assertThat(metadata.at("/Containers/0/Networks/0/IPv4Addresses/0").asText())
                    .isEqualTo("127.0.0.1");
            assertThat(metadata.at("/Containers/0/Labels/com.amazonaws.ecs.task-arn")
                            .asText())
                    .isEqualTo(start.taskArn());
        }
    }

    @Test
    void the_agent_says_failure_when_blocked_and_error_when_throttled_or_asked_nonsense() throws Exception {
        try (SmallCluster cluster = new SmallCluster().withService(1)) {
            cluster.protect(cluster.running().getFirst());
            cluster.ecs.deploy(SERVICE, "media", 2);
            await().until(() -> cluster.running().size() == 2);
            TaskStart fresh = cluster.starts.getLast();

            JsonNode blocked = put(fresh, "{\"ProtectionEnabled\":true}");
            cluster.ecs.faults().throttleNext("UpdateTaskProtection", 1);
            JsonNode throttled = put(fresh, "{\"ProtectionEnabled\":true}");
            JsonNode nonsense = put(fresh, "{}");

            assertThat(blocked.at("/failure/Reason").asText()).isEqualTo("DEPLOYMENT_BLOCKED");
            assertThat(blocked.at("/failure/Arn").asText()).isEqualTo(fresh.taskArn());
            assertThat(throttled.at("/error/Code").asText()).isEqualTo("ThrottlingException");
            assertThat(nonsense.at("/error/Code").asText()).isEqualTo("InvalidParameterException");
        }
    }

    private static JsonNode put(TaskStart start, String body) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(start.agentUrl() + "/task-protection/v1/state"))
                .PUT(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    private static JsonNode get(URI url) throws Exception {
        return send(HttpRequest.newBuilder(url).build());
    }

    private static JsonNode send(HttpRequest request) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return new ObjectMapper()
                    .readTree(http.send(request, HttpResponse.BodyHandlers.ofString())
                            .body());
        }
    }
}
