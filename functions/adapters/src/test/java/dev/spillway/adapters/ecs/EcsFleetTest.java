package dev.spillway.adapters.ecs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Fleet.TaskPhase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.ecs.EcsClient;
import software.amazon.awssdk.services.ecs.model.Container;
import software.amazon.awssdk.services.ecs.model.Deployment;
import software.amazon.awssdk.services.ecs.model.DescribeServicesRequest;
import software.amazon.awssdk.services.ecs.model.DescribeServicesResponse;
import software.amazon.awssdk.services.ecs.model.DescribeTasksRequest;
import software.amazon.awssdk.services.ecs.model.DescribeTasksResponse;
import software.amazon.awssdk.services.ecs.model.DesiredStatus;
import software.amazon.awssdk.services.ecs.model.EcsException;
import software.amazon.awssdk.services.ecs.model.ListTasksRequest;
import software.amazon.awssdk.services.ecs.model.ListTasksResponse;
import software.amazon.awssdk.services.ecs.model.Service;
import software.amazon.awssdk.services.ecs.model.Task;
import software.amazon.awssdk.services.ecs.model.UpdateServiceRequest;
import software.amazon.awssdk.services.ecs.model.UpdateServiceResponse;

class EcsFleetTest {
    private static final String ARN = "arn:aws:ecs:eu-west-1:123456789012:";
    private static final Instant CREATED = Instant.parse("2026-11-29T09:00:00Z");

    private final Cluster cluster = new Cluster();
    private final EcsFleet fleet = new EcsFleet(cluster, "spillway");

    /** A cluster with 150 running tasks and three stopped ones, given in pages of 100. */
    private static final class Cluster implements EcsClient {
        private final List<Integer> describedAtOnce = new ArrayList<>();
        private DescribeServicesResponse services =
                DescribeServicesResponse.builder().build();
        private @Nullable UpdateServiceRequest update;
        private boolean throttles;

        @Override
        public DescribeServicesResponse describeServices(DescribeServicesRequest request) {
            throttle();
            assertThat(request.cluster()).isEqualTo("spillway");
            return services;
        }

        @Override
        public ListTasksResponse listTasks(ListTasksRequest request) {
            boolean running = request.desiredStatus() == DesiredStatus.RUNNING;
            int from = request.nextToken() == null ? 0 : Integer.parseInt(request.nextToken());
            int all = running ? 150 : 3;
            int to = Math.min(from + 100, all);
            return ListTasksResponse.builder()
                    .taskArns(IntStream.range(from, to)
                            .mapToObj(n -> ARN + "task/spillway/" + (running ? "r" : "s") + n)
                            .toList())
                    .nextToken(to < all ? Integer.toString(to) : null)
                    .build();
        }

        @Override
        public DescribeTasksResponse describeTasks(DescribeTasksRequest request) {
            describedAtOnce.add(request.tasks().size());
            return DescribeTasksResponse.builder()
                    .tasks(request.tasks().stream().map(Cluster::task).toList())
                    .build();
        }

        private static Task task(String arn) {
            return Task.builder()
                    .taskArn(arn)
                    .taskDefinitionArn(ARN + "task-definition/media:7")
                    .lastStatus(arn.contains("/spillway/s") ? "STOPPED" : "RUNNING")
                    .desiredStatus(arn.contains("/spillway/s") ? "STOPPED" : "RUNNING")
                    .createdAt(CREATED)
                    .build();
        }

        @Override
        public UpdateServiceResponse updateService(UpdateServiceRequest request) {
            throttle();
            update = request;
            return UpdateServiceResponse.builder().build();
        }

        private void throttle() {
            if (throttles) {
                throw EcsException.builder()
                        .statusCode(400)
                        .awsErrorDetails(AwsErrorDetails.builder()
                                .errorCode("ThrottlingException")
                                .build())
                        .build();
            }
        }

        @Override
        public String serviceName() {
            return "ecs";
        }

        @Override
        public void close() {}
    }

    private static Deployment deployment(String status, String revision) {
        return Deployment.builder()
                .status(status)
                .taskDefinition(ARN + "task-definition/" + revision)
                .build();
    }

    private Fleet.Service described(Deployment... deployments) {
        cluster.services = DescribeServicesResponse.builder()
                .services(Service.builder()
                        .desiredCount(4)
                        .runningCount(3)
                        .pendingCount(1)
                        .deployments(deployments)
                        .build())
                .build();
        return fleet.describe("acme");
    }

    @Test
    void a_service_tells_its_counts_and_the_revision_that_new_tasks_start_from() {
        assertThat(described(deployment("PRIMARY", "media:8"))).isEqualTo(new Fleet.Service(4, 3, 1, false, "media:8"));
    }

    @Test
    void two_active_deployments_are_a_deployment_and_an_inactive_one_is_none() {
        assertThat(described(deployment("ACTIVE", "media:7"), deployment("PRIMARY", "media:8")))
                .isEqualTo(new Fleet.Service(4, 3, 1, true, "media:8"));
        assertThat(described(deployment("INACTIVE", "media:7"), deployment("PRIMARY", "media:8"))
                        .deploying())
                .isFalse();
    }

    @Test
    void a_count_that_is_missing_is_a_failure_and_never_zero() {
        cluster.services = DescribeServicesResponse.builder()
                .services(Service.builder()
                        .serviceName("acme")
                        .desiredCount(4)
                        .runningCount(3)
                        .build())
                .build();

        assertThatThrownBy(() -> fleet.describe("acme"))
                .isInstanceOf(DependencyException.class)
                .hasRootCauseMessage("no pending count in the answer");
    }

    @Test
    void an_unknown_service_is_a_failure_and_never_a_count_of_zero() {
        assertThatThrownBy(() -> fleet.describe("nobody")).isInstanceOf(DependencyException.class);
    }

    @Test
    void tasks_are_listed_over_all_pages_and_described_100_at_once() {
        List<Fleet.Task> tasks = fleet.tasks("acme");

        assertThat(tasks).hasSize(153);
        assertThat(tasks.getFirst())
                .isEqualTo(new Fleet.Task(new ContainerId("r0"), TaskPhase.RUNNING, "media:7", "", CREATED));
        assertThat(tasks.getLast().phase()).isEqualTo(TaskPhase.STOPPED);
        assertThat(cluster.describedAtOnce).containsExactly(100, 53);
    }

    @Test
    void a_stopped_task_says_why_with_its_containers() {
        Task stopped = Task.builder()
                .taskArn(ARN + "task/spillway/0123456789abcdef")
                .taskDefinitionArn(ARN + "task-definition/media:7")
                .lastStatus("STOPPED")
                .desiredStatus("STOPPED")
                .stopCode("EssentialContainerExited")
                .stoppedReason("Essential container in task exited")
                .containers(Container.builder()
                        .name("media")
                        .exitCode(137)
                        .reason("OutOfMemoryError")
                        .build())
                .build();

        assertThat(EcsCodec.task(stopped).stoppedReason())
                .isEqualTo("EssentialContainerExited: Essential container in task exited"
                        + " (media: exit code 137, OutOfMemoryError)");
    }

    @Test
    void each_status_of_a_task_is_a_phase() {
        assertThat(EcsCodec.phase("PROVISIONING", "RUNNING")).isEqualTo(TaskPhase.STARTING);
        assertThat(EcsCodec.phase("PENDING", "RUNNING")).isEqualTo(TaskPhase.STARTING);
        assertThat(EcsCodec.phase("RUNNING", "RUNNING")).isEqualTo(TaskPhase.RUNNING);
        assertThat(EcsCodec.phase("RUNNING", "STOPPED")).isEqualTo(TaskPhase.STOPPING);
        assertThat(EcsCodec.phase("PENDING", "STOPPED")).isEqualTo(TaskPhase.STOPPING);
        assertThat(EcsCodec.phase("DEPROVISIONING", "STOPPED")).isEqualTo(TaskPhase.STOPPING);
        assertThat(EcsCodec.phase("STOPPED", "STOPPED")).isEqualTo(TaskPhase.STOPPED);
    }

    @Test
    void the_desired_count_is_sent_alone() {
        fleet.setDesired("acme", 3);

        assertThat(Objects.requireNonNull(cluster.update))
                .isEqualTo(UpdateServiceRequest.builder()
                        .cluster("spillway")
                        .service("acme")
                        .desiredCount(3)
                        .build());
    }

    @Test
    void throttling_is_a_failure_of_the_dependency() {
        cluster.throttles = true;

        assertThatThrownBy(() -> fleet.setDesired("acme", 3))
                .isInstanceOfSatisfying(
                        DependencyException.class,
                        e -> assertThat(e.dependency()).isEqualTo("ecs"))
                .hasMessageContaining("throttled (ThrottlingException)");
    }
}
