package dev.spillway.localcloud;

import static dev.spillway.localcloud.SmallCluster.CLUSTER;
import static dev.spillway.localcloud.SmallCluster.SERVICE;
import static dev.spillway.localcloud.SmallCluster.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.services.ecs.model.ClusterNotFoundException;
import software.amazon.awssdk.services.ecs.model.DesiredStatus;
import software.amazon.awssdk.services.ecs.model.EcsException;
import software.amazon.awssdk.services.ecs.model.InvalidParameterException;
import software.amazon.awssdk.services.ecs.model.ServerException;
import software.amazon.awssdk.services.ecs.model.ServiceNotFoundException;
import software.amazon.awssdk.services.ecs.model.Task;

/** The wire protocol, seen through the real client. */
@Timeout(60)
class EcsApiTest {
    private static SmallCluster cluster;

    @BeforeAll
    static void start() {
        cluster = new SmallCluster().withService(3);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void a_service_is_described_with_its_counts_deployment_and_events() {
        await().until(() -> cluster.describe()
                .deployments()
                .getFirst()
                .rolloutStateAsString()
                .equals("COMPLETED"));

        var service = cluster.describe();

        assertThat(service.serviceName()).isEqualTo("acme");
        assertThat(service.serviceArn()).isEqualTo("arn:aws:ecs:us-east-1:123456789012:service/spillway/acme");
        assertThat(service.desiredCount()).isEqualTo(3);
        assertThat(service.runningCount()).isEqualTo(3);
        assertThat(service.pendingCount()).isZero();
        assertThat(service.healthCheckGracePeriodSeconds()).isEqualTo(2_147_483_647);
        assertThat(service.taskDefinition()).endsWith(":task-definition/media:1");
        assertThat(service.deployments()).singleElement().satisfies(deployment -> {
            assertThat(deployment.status()).isEqualTo("PRIMARY");
            assertThat(deployment.desiredCount()).isEqualTo(3);
            assertThat(deployment.runningCount()).isEqualTo(3);
        });
        assertThat(service.events()).anyMatch(event -> event.message().endsWith("has reached a steady state."));
    }

    @Test
    void tasks_are_listed_in_pages_and_described() {
        List<String> arns = new ArrayList<>();
        cluster.client
                .listTasksPaginator(list -> list.cluster(CLUSTER)
                        .serviceName(SERVICE)
                        .desiredStatus(DesiredStatus.RUNNING)
                        .maxResults(1))
                .taskArns()
                .forEach(arns::add);

        List<Task> tasks = cluster.client
                .describeTasks(describe -> describe.cluster(CLUSTER).tasks(arns))
                .tasks();

        assertThat(arns).hasSize(3).doesNotHaveDuplicates();
        assertThat(tasks).hasSize(3).allSatisfy(task -> {
            assertThat(task.lastStatus()).isEqualTo("RUNNING");
            assertThat(task.desiredStatus()).isEqualTo("RUNNING");
            assertThat(task.group()).isEqualTo("service:acme");
            assertThat(task.availabilityZone()).startsWith("us-east-1");
            assertThat(task.createdAt()).isBefore(task.startedAt());
            assertThat(task.stoppedAt()).isNull();
            assertThat(task.containers()
                            .getFirst()
                            .networkInterfaces()
                            .getFirst()
                            .privateIpv4Address())
                    .isEqualTo("127.0.0.1");
            assertThat(task.attachments().getFirst().details())
                    .anyMatch(detail -> detail.name().equals("privateIPv4Address"));
        });
        assertThat(tasks.stream().map(Task::availabilityZone).distinct()).hasSize(2);
    }

    @Test
    void what_does_not_exist_is_a_typed_error_or_a_failure() {
        assertThatThrownBy(() -> cluster.client.updateService(
                        update -> update.cluster(CLUSTER).service("nobody").desiredCount(1)))
                .isInstanceOf(ServiceNotFoundException.class);
        assertThatThrownBy(() -> cluster.client.listTasks(list -> list.cluster("elsewhere")))
                .isInstanceOf(ClusterNotFoundException.class);
        assertThatThrownBy(() ->
                        cluster.client.stopTask(stop -> stop.cluster(CLUSTER).task("0123")))
                .isInstanceOf(InvalidParameterException.class);
        assertThatThrownBy(() -> cluster.client.describeTasks(describe -> describe.cluster(CLUSTER)))
                .isInstanceOf(InvalidParameterException.class);
        assertThat(cluster.client
                        .describeServices(describe -> describe.cluster(CLUSTER).services("nobody"))
                        .failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo("MISSING"));
        assertThat(cluster.client
                        .describeTasks(describe -> describe.cluster(CLUSTER).tasks("0123"))
                        .failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo("MISSING"));
    }

    @Test
    void protection_is_between_1_and_2880_minutes_for_10_tasks_at_most() {
        String arn = cluster.running().getFirst().taskArn();

        assertThatThrownBy(() -> cluster.client.updateTaskProtection(update -> update.cluster(CLUSTER)
                        .tasks(arn)
                        .protectionEnabled(true)
                        .expiresInMinutes(2_881)))
                .isInstanceOf(InvalidParameterException.class);
        assertThatThrownBy(() -> cluster.client.getTaskProtection(
                        get -> get.cluster(CLUSTER).tasks(java.util.Collections.nCopies(11, arn))))
                .isInstanceOf(InvalidParameterException.class);
    }

    @Test
    void the_next_calls_of_an_operation_are_throttled_and_counted() {
        int before = cluster.ecs.faults().calls("DescribeServices");
        cluster.ecs.faults().throttleNext("DescribeServices", 2);
        cluster.ecs.faults().failNext("DescribeServices", 1, "ServerException", "internal error");

        assertThatThrownBy(cluster::describe).isInstanceOfSatisfying(EcsException.class, error -> {
            assertThat(error.isThrottlingException()).isTrue();
            assertThat(error.awsErrorDetails().errorCode()).isEqualTo("ThrottlingException");
        });
        assertThatThrownBy(cluster::describe).isInstanceOf(EcsException.class);
        assertThatThrownBy(cluster::describe).isInstanceOf(ServerException.class);
        assertThat(cluster.describe().desiredCount()).isEqualTo(3);
        assertThat(cluster.ecs.faults().calls("DescribeServices")).isEqualTo(before + 4);
    }

    @Test
    void a_rate_above_its_limit_is_throttled() {
        cluster.ecs.faults().limit("GetTaskProtection", 2, 0.001);
        String arn = cluster.running().getFirst().taskArn();

        cluster.client.getTaskProtection(get -> get.cluster(CLUSTER).tasks(arn));
        cluster.client.getTaskProtection(get -> get.cluster(CLUSTER).tasks(arn));

        assertThatThrownBy(() -> cluster.client.getTaskProtection(
                        get -> get.cluster(CLUSTER).tasks(arn)))
                .isInstanceOf(EcsException.class)
                .hasMessageContaining("Rate exceeded");
        cluster.ecs.faults().clear();
    }

    @Test
    void a_time_out_comes_before_or_after_the_call_takes_effect() {
        try (SmallCluster own = new SmallCluster()) {
            own.withService(0);
            own.ecs.faults().timeOutBeforeEffect("UpdateService", 1);
            own.ecs.faults().timeOutAfterEffect("UpdateService", 1);

            assertThatThrownBy(() -> updateWithin(own, 1)).isInstanceOf(ApiCallAttemptTimeoutException.class);
            assertThat(own.describe().desiredCount()).isZero();

            assertThatThrownBy(() -> updateWithin(own, 1)).isInstanceOf(ApiCallAttemptTimeoutException.class);
            assertThat(own.describe().desiredCount()).isEqualTo(1);
        }
    }

    private static void updateWithin(SmallCluster cluster, int desired) {
        cluster.client.updateService(update -> update.cluster(CLUSTER)
                .service(SERVICE)
                .desiredCount(desired)
                .overrideConfiguration(override -> override.apiCallAttemptTimeout(Duration.ofMillis(300))));
    }
}
