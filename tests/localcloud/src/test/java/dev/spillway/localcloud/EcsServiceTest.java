package dev.spillway.localcloud;

import static dev.spillway.localcloud.SmallCluster.CLUSTER;
import static dev.spillway.localcloud.SmallCluster.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.services.ecs.model.DesiredStatus;

/** Tasks follow the desired count, and end in every way that tasks end. */
@Timeout(60)
class EcsServiceTest {

    @Test
    void a_task_goes_through_its_states_and_runs_as_a_process_with_its_own_port() {
        try (SmallCluster cluster = new SmallCluster().withService(2)) {
            assertThat(cluster.running())
                    .allSatisfy(
                            task -> assertThat(SmallCluster.alive(task.pid())).isTrue());
            assertThat(cluster.running().stream().map(TaskSnapshot::port).distinct())
                    .hasSize(2);
            await().until(() -> cluster.events.size() >= 6);
            assertThat(cluster.events)
                    .anyMatch(event -> event.contains("\"lastStatus\":\"PROVISIONING\""))
                    .anyMatch(event -> event.contains("\"lastStatus\":\"PENDING\""))
                    .anyMatch(event -> event.contains("\"lastStatus\":\"RUNNING\""))
                    .allSatisfy(event -> assertThat(event)
                            .contains("\"detail-type\":\"ECS Task State Change\"", "\"source\":\"aws.ecs\""));
        }
    }

    @Test
    void the_process_starts_as_much_before_the_end_of_the_launch_delay_as_it_needs_itself() {
        // With a whole minute to wait, this would not end within the bound of withService.
        try (SmallCluster cluster = new SmallCluster(
                "exec sleep 300", options -> options.withLaunch(Duration.ofSeconds(60), Duration.ofMillis(59_400)))) {
            cluster.withService(1);

            TaskSnapshot task = cluster.running().getFirst();

            assertThat(Duration.between(task.createdAt(), task.startedAt()))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(600));
        }
    }

    @Test
    void the_launch_delay_can_be_changed_for_the_tasks_to_come() {
        try (SmallCluster cluster = new SmallCluster().withService(1)) {
            cluster.ecs.launchDelay(Duration.ofMillis(820));
            cluster.desire(2);
            await().until(() -> cluster.running().size() == 2);

            TaskSnapshot second = cluster.running().getLast();

            assertThat(Duration.between(second.createdAt(), second.startedAt()))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(800));
        }
    }

    @Test
    void a_service_needs_a_target_group_that_exists_and_a_name_of_its_own() {
        try (LoadBalancer balancer = new LoadBalancer(LoadBalancerOptions.atSpeed(10));
                SmallCluster cluster =
                        new SmallCluster("exec sleep 300", options -> options.withLoadBalancer(balancer, balancer))) {
            assertThatThrownBy(() -> cluster.withService(1, "nowhere", ServiceSpec.LONGEST_GRACE_PERIOD))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no target group nowhere");
            cluster.withService(0);
            assertThatThrownBy(() -> cluster.withService(0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void the_output_of_a_task_goes_to_a_log_of_its_own(@org.junit.jupiter.api.io.TempDir Path logs) throws Exception {
        TaskLauncher launcher =
                start -> new ProcessBuilder("sh", "-c", "echo I am " + start.taskId() + "; exec sleep 300");
        try (EcsStandIn ecs =
                new EcsStandIn(EcsOptions.atSpeed(10, logs, launcher).withLaunch(Duration.ZERO, Duration.ZERO), 0)) {
            ecs.createService(
                    new ServiceSpec("acme", 1, "media", null, ServiceSpec.LONGEST_GRACE_PERIOD, Duration.ofSeconds(1)));
            await().until(() -> ecs.liveTasks("acme").stream().anyMatch(TaskSnapshot::running));
            String id = ecs.liveTasks("acme").getFirst().taskId();

            Path log = logs.resolve("acme-" + id + ".log");

            await().untilAsserted(() -> assertThat(Files.readString(log)).isEqualTo("I am " + id + "\n"));
        }
    }

    @Test
    void scaling_in_stops_the_newest_unprotected_task_of_the_fullest_zone() {
        try (SmallCluster cluster = new SmallCluster().withService(1)) {
            cluster.desire(2);
            await().until(() -> cluster.running().size() == 2);
            cluster.desire(3);
            await().until(() -> cluster.running().size() == 3);
            List<TaskSnapshot> byStart = cluster.running();
            // Zones a, b, a: the first and the third are in the fullest zone, the third is protected.
            cluster.protect(byStart.get(2));

            cluster.desire(2);

            await().until(() -> cluster.ecs.liveTasks("acme").size() == 2);
            assertThat(cluster.task(byStart.get(0).taskId()).stopped()).isTrue();
            assertThat(cluster.task(byStart.get(0).taskId()).stopCode()).isEqualTo("ServiceSchedulerInitiated");
        }
    }

    @Test
    void scaling_in_without_protection_stops_the_newest_task_of_the_fullest_zone() {
        try (SmallCluster cluster = new SmallCluster().withService(1)) {
            cluster.desire(2);
            await().until(() -> cluster.running().size() == 2);
            cluster.desire(3);
            await().until(() -> cluster.running().size() == 3);
            List<String> byStart =
                    cluster.running().stream().map(TaskSnapshot::taskId).toList();

            cluster.desire(1);

            await().until(() -> cluster.ecs.liveTasks("acme").size() == 1);
            // The third is the newest of zone a; then the zones are level and the second is the newest of all.
            assertThat(cluster.running().getFirst().taskId()).isEqualTo(byStart.get(0));
        }
    }

    @Test
    void protected_tasks_are_kept_until_their_protection_is_dropped() {
        try (SmallCluster cluster = new SmallCluster().withService(2)) {
            List<TaskSnapshot> tasks = cluster.running();
            tasks.forEach(cluster::protect);
            cluster.desire(0);
            await().until(() -> cluster.describe().desiredCount() == 0);
            // A turn of the service loop has passed once a launched and stopped task of another service is seen.
            cluster.ecs.createService(new ServiceSpec(
                    "other", 1, "media", null, ServiceSpec.LONGEST_GRACE_PERIOD, Duration.ofMillis(300)));
            await().until(() -> cluster.ecs.liveTasks("other").stream().anyMatch(TaskSnapshot::running));
            assertThat(cluster.running()).hasSize(2);

            cluster.unprotect(tasks.get(1));

            await().until(() -> cluster.ecs.liveTasks("acme").size() == 1);
            assertThat(cluster.running().getFirst().taskId())
                    .isEqualTo(tasks.get(0).taskId());
        }
    }

    @Test
    void a_protection_expires() {
        try (SmallCluster cluster = new SmallCluster(
                        "exec sleep 300", options -> options.withProtectionMinute(Duration.ofMillis(10)))
                .withService(1)) {
            cluster.protect(cluster.running().getFirst());
            cluster.desire(0);

            await().until(() -> cluster.ecs.liveTasks("acme").isEmpty());
        }
    }

    @Test
    void a_task_that_ignores_sigterm_is_killed_after_the_stop_timeout() {
        try (SmallCluster cluster =
                new SmallCluster("trap '' TERM; while :; do sleep 1; done", options -> options).withService(1)) {
            TaskSnapshot task = cluster.running().getFirst();

            cluster.desire(0);

            await().until(() -> cluster.task(task.taskId()).stopped());
            assertThat(cluster.task(task.taskId()).exitCode()).isEqualTo(137);
            assertThat(SmallCluster.alive(task.pid())).isFalse();
        }
    }

    @Test
    void a_task_that_is_stopped_by_hand_is_replaced() {
        try (SmallCluster cluster = new SmallCluster().withService(1)) {
            TaskSnapshot task = cluster.running().getFirst();

            cluster.client.stopTask(
                    stop -> stop.cluster(CLUSTER).task(task.taskArn()).reason("by hand"));

            await().until(() ->
                    cluster.running().stream().anyMatch(other -> !other.taskId().equals(task.taskId())));
            await().until(() -> cluster.task(task.taskId()).stopped());
            assertThat(cluster.task(task.taskId()).stopCode()).isEqualTo("UserInitiated");
            assertThat(cluster.task(task.taskId()).stoppedReason()).isEqualTo("by hand");
            assertThat(cluster.client
                            .listTasks(list -> list.cluster(CLUSTER).desiredStatus(DesiredStatus.STOPPED))
                            .taskArns())
                    .containsExactly(task.taskArn());
        }
    }

    @Test
    void a_killed_process_is_an_essential_container_that_exited_and_is_replaced() {
        try (SmallCluster cluster = new SmallCluster().withService(1)) {
            TaskSnapshot task = cluster.running().getFirst();

            cluster.ecs.killHard(task.taskId());

            await().until(() -> cluster.task(task.taskId()).stopped());
            var described = cluster.client
                    .describeTasks(describe -> describe.cluster(CLUSTER).tasks(task.taskArn()))
                    .tasks()
                    .getFirst();
            assertThat(described.stopCodeAsString()).isEqualTo("EssentialContainerExited");
            assertThat(described.stoppedReason()).isEqualTo("Essential container in task exited");
            assertThat(described.containers().getFirst().exitCode()).isEqualTo(137);
            await().until(() -> cluster.running().size() == 1);
        }
    }

    @Test
    void a_frozen_process_stays_running_for_ecs_and_can_be_thawed() throws Exception {
        try (SmallCluster cluster = new SmallCluster().withService(1)) {
            TaskSnapshot task = cluster.running().getFirst();

            cluster.ecs.freeze(task.taskId());
            await().until(() -> processState(task.pid()) == 'T');
            assertThat(cluster.task(task.taskId()).running()).isTrue();

            cluster.ecs.thaw(task.taskId());
            await().until(() -> processState(task.pid()) != 'T');
        }
    }

    private static char processState(long pid) throws Exception {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return stat.charAt(stat.lastIndexOf(')') + 2);
    }

    @Test
    void launches_that_keep_failing_are_tried_again_at_growing_distance() {
        try (SmallCluster cluster = new SmallCluster()) {
            cluster.withService(0);
            cluster.ecs.failLaunches("acme", new LaunchFault.Crashes(3), 4);

            cluster.desire(1);

            await().until(() -> cluster.running().stream()
                    .anyMatch(task -> cluster.ecs.tasks().size() == 5));
            List<TaskSnapshot> tasks = cluster.ecs.tasks();
            assertThat(tasks.subList(0, 4)).allSatisfy(task -> {
                assertThat(task.exitCode()).isEqualTo(3);
                assertThat(task.stopCode()).isEqualTo("EssentialContainerExited");
            });
            // After the second failure 200 ms, then 400, then 800.
            assertThat(gap(tasks, 1)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
            assertThat(gap(tasks, 2)).isGreaterThanOrEqualTo(Duration.ofMillis(400));
            assertThat(gap(tasks, 3)).isGreaterThanOrEqualTo(Duration.ofMillis(800));
            assertThat(cluster.describe().events())
                    .anyMatch(event -> event.message().contains("is unable to consistently start tasks successfully"));
        }
    }

    private static Duration gap(List<TaskSnapshot> tasks, int stopped) {
        return Duration.between(
                tasks.get(stopped).stoppedAt(), tasks.get(stopped + 1).createdAt());
    }

    @Test
    void a_failed_launch_says_why() {
        try (SmallCluster cluster = new SmallCluster()) {
            cluster.withService(0);
            cluster.ecs.failLaunches("acme", LaunchFault.imageError(), 1);

            cluster.desire(1);

            await().until(() -> cluster.running().size() == 1);
            TaskSnapshot failed = cluster.ecs.tasks().getFirst();
            assertThat(failed.stopCode()).isEqualTo("TaskFailedToStart");
            assertThat(failed.stoppedReason()).startsWith("CannotPullContainerError");
            assertThat(failed.startedAt()).isNull();
            assertThat(failed.pid()).isEqualTo(-1);
        }
    }

    @Test
    void missing_capacity_is_reported_by_the_service_too() {
        try (SmallCluster cluster = new SmallCluster()) {
            cluster.withService(0);
            cluster.ecs.failLaunches("acme", LaunchFault.capacityError(), 1);

            cluster.desire(1);

            await().until(() -> cluster.running().size() == 1);
            assertThat(cluster.ecs.tasks().getFirst().stoppedReason())
                    .startsWith("Capacity is unavailable at this time");
            assertThat(cluster.describe().events())
                    .anyMatch(event -> event.message().contains("was unable to place a task"));
        }
    }

    @Test
    void a_launch_can_be_late_or_never_happen() {
        try (SmallCluster cluster = new SmallCluster()) {
            cluster.withService(0);
            cluster.ecs.failLaunches("acme", new LaunchFault.Never(), 1);
            cluster.desire(1);
            await().until(() -> cluster.ecs.liveTasks("acme").size() == 1);
            cluster.ecs.failLaunches("acme", new LaunchFault.Late(Duration.ofMillis(700)), 1);
            cluster.desire(2);

            await().until(() -> cluster.running().size() == 1);

            TaskSnapshot never = cluster.ecs.tasks().getFirst();
            TaskSnapshot late = cluster.ecs.tasks().getLast();
            assertThat(never.lastStatus()).isEqualTo("PENDING");
            assertThat(Duration.between(late.createdAt(), late.startedAt()))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(700));
            assertThat(cluster.describe().pendingCount()).isEqualTo(1);
        }
    }

    @Test
    void a_target_that_fails_its_health_checks_costs_the_task_outside_the_grace_period_only() {
        HealthView unhealthy = (group, port) -> TargetHealth.UNHEALTHY;
        try (SmallCluster cluster = new SmallCluster(
                "exec sleep 300", options -> options.withLoadBalancer(TargetRegistry.NONE, unhealthy))) {
            cluster.withService(1, "acme", Duration.ofMillis(500));
            TaskSnapshot task = cluster.running().getFirst();

            await().until(() -> cluster.task(task.taskId()).stopped());

            TaskSnapshot stopped = cluster.task(task.taskId());
            assertThat(stopped.stoppedReason()).contains("failed ELB health checks");
            assertThat(Duration.between(stopped.startedAt(), stopped.stoppedAt()))
                    .isGreaterThan(Duration.ofMillis(500));
            await().until(() -> cluster.running().size() == 1);
        }
    }

    @Test
    void closing_leaves_no_process_behind() {
        Set<Long> pids = new HashSet<>();
        try (SmallCluster cluster =
                new SmallCluster("trap '' TERM; while :; do sleep 1; done", options -> options).withService(2)) {
            cluster.running().forEach(task -> pids.add(task.pid()));
            cluster.ecs.freeze(cluster.running().getFirst().taskId());
        }
        assertThat(pids).hasSize(2).noneMatch(SmallCluster::alive);
    }

    @Test
    void a_guarded_process_dies_with_the_guards_owner_unless_it_was_released() throws Exception {
        Process guarded = new ProcessBuilder("sleep", "300").start();
        Process another = new ProcessBuilder("sleep", "300").start();
        Process released = new ProcessBuilder("sleep", "300").start();
        try (OrphanGuard guard = new OrphanGuard()) {
            guard.guard(guarded.pid());
            guard.guard(released.pid());
            guard.guard(another.pid());
            guard.release(released.pid());
            // Closing the guard closes its input, as the end of this JVM would.
        }
        await().until(() -> !guarded.isAlive() && !another.isAlive());
        assertThat(released.isAlive()).isTrue();
        released.destroyForcibly();
    }
}
