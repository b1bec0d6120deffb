package dev.spillway.system.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.ecs.EcsFleet;
import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Fleet.TaskPhase;
import dev.spillway.localcloud.EcsOptions;
import dev.spillway.localcloud.EcsStandIn;
import dev.spillway.localcloud.FaultyProxy;
import dev.spillway.localcloud.LaunchFault;
import dev.spillway.localcloud.ServiceSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The fleet over the wire, on good days and bad ones. Each test has a service of its own. */
@Timeout(90)
class EcsFleetIT {
    private static final AtomicInteger NEXT = new AtomicInteger();

    /** The clients try three times; a fault that outlasts them reaches the caller. */
    private static final int EVERY_TRY = 3;

    @TempDir
    static Path logs;

    private static EcsStandIn ecs;
    private static FaultyProxy proxy;
    private static AwsClients clients;
    private static AwsClients hasty;
    private static Fleet fleet;
    private static Fleet hastyFleet;

    private String service = "";

    @BeforeAll
    static void start() {
        EcsOptions options = EcsOptions.atSpeed(10, logs, start -> new ProcessBuilder("sleep", "300"))
                .withLaunch(Duration.ofMillis(100), Duration.ofMillis(20))
                .withRestartDelay(Duration.ofMillis(200), Duration.ofSeconds(2), Duration.ofSeconds(10));
        ecs = new EcsStandIn(options, 0);
        proxy = new FaultyProxy("ecs", ecs.port());
        clients = Wire.to(proxy.url(), "ECS");
        hasty = Wire.hastilyTo(proxy.url(), "ECS");
        fleet = new EcsFleet(clients.ecs(), options.cluster());
        hastyFleet = new EcsFleet(hasty.ecs(), options.cluster());
    }

    @AfterAll
    static void stop() {
        hasty.close();
        clients.close();
        proxy.close();
        ecs.close();
    }

    @BeforeEach
    void freshService() {
        service = "service-" + NEXT.incrementAndGet();
        ecs.createService(
                new ServiceSpec(service, 0, "media", null, ServiceSpec.LONGEST_GRACE_PERIOD, Duration.ofMillis(300)));
    }

    @AfterEach
    void nothingRuns() {
        proxy.become(FaultyProxy.PASS);
        ecs.faults().clear();
        ecs.healLaunches(service);
        fleet.setDesired(service, 0);
    }

    private static void eventually(Callable<Boolean> condition) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(50))
                .until(condition);
    }

    private List<Fleet.Task> tasks(TaskPhase phase) {
        return fleet.tasks(service).stream()
                .filter(task -> task.phase() == phase)
                .toList();
    }

    private void running(int count) {
        fleet.setDesired(service, count);
        eventually(() -> tasks(TaskPhase.RUNNING).size() == count);
    }

    // Good days

    @Test
    void a_service_is_described_with_its_counts_and_revision() {
        assertIs(fleet.describe(service), new Fleet.Service(0, 0, 0, false, "media:1"));

        running(2);

        assertIs(fleet.describe(service), new Fleet.Service(2, 2, 0, false, "media:1"));
    }

    @Test
    void a_deployment_shows_while_two_are_active_and_new_tasks_have_its_revision() {
        running(1);

        ecs.deploy(service, "media", 2);

        assertThat(fleet.describe(service).deploying()).isTrue();
        assertThat(fleet.describe(service).revision()).isEqualTo("media:2");
        eventually(() -> !fleet.describe(service).deploying());
        assertThat(tasks(TaskPhase.RUNNING))
                .singleElement()
                .satisfies(task -> assertThat(task.revision()).isEqualTo("media:2"));
    }

    @Test
    void tasks_are_named_as_the_containers_name_themselves() {
        Instant before = Instant.now().minusSeconds(1);
        running(2);

        assertThat(tasks(TaskPhase.RUNNING))
                .extracting(task -> task.id().value())
                .containsExactlyInAnyOrderElementsOf(ecs.liveTasks(service).stream()
                        .map(task -> task.taskId())
                        .toList());
        assertThat(tasks(TaskPhase.RUNNING)).allSatisfy(task -> {
            assertThat(task.revision()).isEqualTo("media:1");
            assertThat(task.stoppedReason()).isEmpty();
            assertThat(task.createdAt()).isBetween(before, Instant.now().plusSeconds(1));
        });
    }

    @Test
    void a_task_that_died_tells_why_beside_its_replacement() {
        running(1);
        String victim = tasks(TaskPhase.RUNNING).getFirst().id().value();

        ecs.killHard(victim);

        eventually(() ->
                tasks(TaskPhase.STOPPED).size() == 1 && tasks(TaskPhase.RUNNING).size() == 1);
        Fleet.Task dead = tasks(TaskPhase.STOPPED).getFirst();
        assertThat(dead.id().value()).isEqualTo(victim);
        assertThat(dead.stoppedReason())
                .startsWith("EssentialContainerExited: ")
                .contains("exit code 137");
    }

    @Test
    void a_launch_that_failed_tells_why() {
        ecs.failLaunches(service, LaunchFault.imageError(), 1);

        fleet.setDesired(service, 1);

        eventually(() -> tasks(TaskPhase.STOPPED).size() == 1);
        assertThat(tasks(TaskPhase.STOPPED).getFirst().stoppedReason())
                .startsWith("TaskFailedToStart: CannotPullContainerError: ");
        eventually(() -> tasks(TaskPhase.RUNNING).size() == 1);
    }

    @Test
    void more_tasks_than_one_page_or_one_description_holds_are_all_seen() {
        ecs.failLaunches(service, new LaunchFault.Never(), 1_000);

        fleet.setDesired(service, 205);

        eventually(() -> tasks(TaskPhase.STARTING).size() == 205);
        assertThat(tasks(TaskPhase.STARTING).stream().map(Fleet.Task::id).distinct())
                .hasSize(205);
    }

    @Test
    void a_desired_count_is_absolute_and_may_be_told_twice() {
        fleet.setDesired(service, 2);
        fleet.setDesired(service, 2);

        eventually(() -> fleet.describe(service).running() == 2);
        assertThat(fleet.describe(service).desired()).isEqualTo(2);

        fleet.setDesired(service, 1);
        eventually(() -> fleet.describe(service).running() == 1);
    }

    // Bad days

    @Test
    void throttling_for_a_moment_is_repeated_until_it_is_taken() {
        ecs.faults().throttleNext("UpdateService", EVERY_TRY - 1);

        fleet.setDesired(service, 1);

        assertThat(fleet.describe(service).desired()).isEqualTo(1);
    }

    @Test
    void throttling_that_lasts_is_a_broken_dependency_and_nothing_was_taken() {
        ecs.faults().throttleNext("UpdateService", EVERY_TRY);

        assertThatThrownBy(() -> fleet.setDesired(service, 1))
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("throttled");

        assertThat(fleet.describe(service).desired()).isZero();
        fleet.setDesired(service, 1);
        assertThat(fleet.describe(service).desired()).isEqualTo(1);
    }

    @Test
    void a_time_out_before_the_effect_leaves_the_count_and_telling_again_is_safe() {
        ecs.faults().timeOutBeforeEffect("UpdateService", EVERY_TRY);

        assertThatThrownBy(() -> hastyFleet.setDesired(service, 1))
                .isInstanceOfSatisfying(
                        DependencyException.class,
                        e -> assertThat(e.dependency()).isEqualTo("ecs"))
                .hasMessageContaining("timed out");

        assertThat(fleet.describe(service).desired()).isZero();
        ecs.faults().clear();
        fleet.setDesired(service, 1);
        assertThat(fleet.describe(service).desired()).isEqualTo(1);
    }

    @Test
    void a_time_out_after_the_effect_has_set_the_count_and_telling_again_is_safe() {
        ecs.faults().timeOutAfterEffect("UpdateService", EVERY_TRY);

        assertThatThrownBy(() -> hastyFleet.setDesired(service, 1))
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("timed out");

        assertThat(fleet.describe(service).desired()).isEqualTo(1);
        ecs.faults().clear();
        fleet.setDesired(service, 1);
        eventually(() -> fleet.describe(service).running() == 1);
        assertThat(tasks(TaskPhase.STARTING)).isEmpty();
    }

    @Test
    void one_lost_reply_is_repeated_and_does_not_count_twice() {
        ecs.faults().timeOutAfterEffect("UpdateService", 1);

        hastyFleet.setDesired(service, 1);

        eventually(() -> fleet.describe(service).running() == 1);
        assertThat(fleet.describe(service).desired()).isEqualTo(1);
    }

    @Test
    void a_view_that_cannot_be_read_is_a_broken_dependency_and_never_an_empty_one() {
        running(1);
        ecs.faults().throttleNext("DescribeServices", EVERY_TRY);
        ecs.faults().throttleNext("ListTasks", EVERY_TRY);
        assertThatThrownBy(() -> fleet.describe(service)).isInstanceOf(DependencyException.class);
        assertThatThrownBy(() -> fleet.tasks(service)).isInstanceOf(DependencyException.class);

        ecs.faults().failNext("DescribeTasks", EVERY_TRY, "ServerException", "internal error");
        assertThatThrownBy(() -> fleet.tasks(service)).isInstanceOf(DependencyException.class);

        assertThat(tasks(TaskPhase.RUNNING)).hasSize(1);
    }

    @Test
    void a_service_that_does_not_exist_is_a_broken_dependency() {
        assertThatThrownBy(() -> fleet.describe("nobody"))
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("nobody");
        assertThatThrownBy(() -> fleet.tasks("nobody")).isInstanceOf(DependencyException.class);
        assertThatThrownBy(() -> fleet.setDesired("nobody", 1)).isInstanceOf(DependencyException.class);
    }

    @Test
    void an_outage_is_a_broken_dependency_and_passes() {
        running(1);
        proxy.become(FaultyProxy.DOWN);
        assertThatThrownBy(() -> fleet.describe(service))
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("cannot be reached");

        proxy.become(FaultyProxy.PASS);
        assertThat(fleet.describe(service).running()).isEqualTo(1);
    }

    /** Whatever the moment at which it was deployed. */
    private static void assertIs(Fleet.Service actual, Fleet.Service wanted) {
        assertThat(actual.since())
                .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(60));
        assertThat(actual)
                .isEqualTo(new Fleet.Service(
                        wanted.desired(),
                        wanted.running(),
                        wanted.pending(),
                        wanted.deploying(),
                        wanted.revision(),
                        actual.since()));
    }
}
