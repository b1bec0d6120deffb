package dev.spillway.core.reconcile;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.protectedUntil;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.revision;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.startedAt;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet.Service;
import dev.spillway.core.pool.Fleet.Task;
import dev.spillway.core.pool.Fleet.TaskPhase;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FindingTest {
    private final List<Container> containers = new ArrayList<>();
    private final List<Task> tasks = new ArrayList<>();
    private Service service = new Service(2, 2, 0, false, "r1");
    private Pool pool = acme(ScaleOutRule.PLUS_ONE, 2);

    private void task(String name, TaskPhase phase, String reason, Instant createdAt) {
        tasks.add(new Task(container(name), phase, "r1", reason, createdAt));
    }

    private void running(Container... all) {
        for (Container one : all) {
            containers.add(one);
            task(one.id().value(), TaskPhase.RUNNING, "", minutes(-61));
        }
    }

    private List<Finding> find() {
        return Finding.find(new PoolView(pool, containers), service, tasks, Timing.STANDARD, NOW);
    }

    /** Last heard that many seconds ago. */
    private static Container silentFor(long secondsAgo, String name) {
        return aliveUntil(ready(ACME_POOL, name), seconds(30 - secondsAgo));
    }

    @Test
    void a_healthy_pool_has_no_findings() {
        running(ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2"));

        assertThat(find()).isEmpty();
    }

    @Test
    void a_task_that_stopped_though_its_item_counts() {
        containers.add(ready(ACME_POOL, "a1"));
        running(ready(ACME_POOL, "a2"));
        task("a1", TaskPhase.STOPPED, "OutOfMemoryError: killed", minutes(-61));

        assertThat(find()).containsExactly(new Finding.Stopped(containers.getFirst(), "ECS: OutOfMemoryError: killed"));
    }

    @Test
    void a_container_silent_for_30_seconds_that_ecs_shows_as_running_is_to_be_probed() {
        running(silentFor(31, "a1"), ready(ACME_POOL, "a2"));

        assertThat(find())
                .containsExactly(
                        new Finding.Silent(containers.getFirst(), "silent for 31 s, and ECS shows it as running"));
    }

    @Test
    void after_90_seconds_of_silence_while_others_are_heard_it_has_vanished() {
        running(silentFor(89, "a1"), ready(ACME_POOL, "a2"));
        assertThat(find()).hasOnlyElementsOfType(Finding.Silent.class);

        containers.set(0, silentFor(90, "a1"));
        assertThat(find()).containsExactly(new Finding.Vanished(containers.getFirst(), "silent for 90 s"));
    }

    @Test
    void silence_of_the_whole_fleet_declares_nobody_lost() {
        running(silentFor(300, "a1"), silentFor(301, "a2"));
        pool = outage(seconds(-200), Instant.EPOCH);

        assertThat(find()).hasSize(1).hasOnlyElementsOfType(Finding.FleetSilent.class);
    }

    @Test
    void for_60_seconds_after_such_a_silence_nobody_is_declared_lost() {
        running(silentFor(300, "a1"), ready(ACME_POOL, "a2"));

        pool = outage(Instant.MAX, seconds(-59));
        assertThat(find()).hasSize(1).hasOnlyElementsOfType(Finding.FleetSilent.class);

        pool = outage(Instant.MAX, seconds(-60));
        assertThat(find()).hasSize(1).hasOnlyElementsOfType(Finding.Vanished.class);
    }

    private Pool outage(Instant silentSince, Instant heardAgainAt) {
        return Sample.pool(
                pool.id(),
                pool.policy(),
                pool.service(),
                pool.streamUrl(),
                pool.desired(),
                pool.version(),
                pool.launchSince(),
                pool.idleSince(),
                pool.scaleInLockedUntil(),
                pool.lowered(),
                pool.launches(),
                pool.lastDecision(),
                silentSince,
                heardAgainAt);
    }

    private List<Finding> findWithoutFleet() {
        return Finding.findWithoutFleet(new PoolView(pool, containers), Timing.STANDARD, NOW);
    }

    @Test
    void while_ecs_does_not_answer_silence_with_calls_is_found_all_the_same() {
        containers.add(aliveUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 2), seconds(30 - 89)));
        containers.add(ready(ACME_POOL, "a2"));
        assertThat(findWithoutFleet())
                .containsExactly(new Finding.Silent(containers.getFirst(), "silent for 89 s, and ECS does not answer"));

        containers.set(0, aliveUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 2), seconds(30 - 90)));
        assertThat(findWithoutFleet()).hasSize(1).hasOnlyElementsOfType(Finding.Vanished.class);

        containers.set(0, containers.getFirst().withState(ContainerState.LOST, "silent for 90 s", NOW));
        assertThat(findWithoutFleet())
                .as("one that is lost already has its calls looked after, and is lost once")
                .hasSize(1)
                .hasOnlyElementsOfType(Finding.Silent.class);
    }

    @Test
    void while_ecs_does_not_answer_silence_of_the_whole_fleet_declares_nobody_lost() {
        containers.add(aliveUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 2), seconds(30 - 300)));
        pool = outage(seconds(-200), Instant.EPOCH);

        assertThat(findWithoutFleet()).hasSize(1).hasOnlyElementsOfType(Finding.FleetSilent.class);
    }

    @Test
    void the_only_container_can_vanish_too() {
        running(silentFor(95, "a1"));

        assertThat(find()).hasSize(1).hasOnlyElementsOfType(Finding.Vanished.class);
    }

    @Test
    void a_running_task_that_never_registered_is_found_after_three_cold_starts() {
        running(ready(ACME_POOL, "a1"));
        task("zz", TaskPhase.RUNNING, "", seconds(-181));

        assertThat(find()).hasSize(1).hasOnlyElementsOfType(Finding.Unregistered.class);

        tasks.removeLast();
        task("zz", TaskPhase.RUNNING, "", seconds(-180));
        assertThat(find()).isEmpty();
    }

    @Test
    void a_count_that_ecs_does_not_follow_is_a_drift() {
        running(ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2"));
        service = new Service(3, 3, 0, false, "r1");

        assertThat(find()).containsExactly(new Finding.Drift(3, 2, "ECS wants 3 tasks, the pool 2"));
    }

    @Test
    void a_container_of_an_older_revision_is_outdated_once_a_new_one_is_ready() {
        running(ready(ACME_POOL, "a1"));
        service = new Service(2, 2, 0, true, "r2");
        assertThat(find()).noneMatch(Finding.Outdated.class::isInstance);

        running(revision(ready(ACME_POOL, "a2"), "r2"));
        assertThat(find()).contains(new Finding.Outdated(containers.getFirst(), "revision r1, and r2 is READY"));
    }

    @Test
    void a_deployment_that_waits_for_calls_of_former_containers_is_told_and_is_not_blocked() {
        running(protectedUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 2), minutes(50)));
        service = new Service(1, 2, 0, true, "r2", minutes(-40));
        pool = acme(ScaleOutRule.PLUS_ONE, 1);
        fresh(protectedUntil(ready(ACME_POOL, "a2"), minutes(50)), minutes(-39));

        assertThat(deploying())
                .isEqualTo(new Finding.Deploying(
                        false,
                        2,
                        "revision r2: 1 of 1 containers serve; 1 of former revisions have 2 calls and are protected until "
                                + minutes(50) + " at the latest, renewed while they have any"));
    }

    @Test
    void a_deployment_of_which_ecs_starts_nothing_since_protected_tasks_fill_its_room_is_blocked() {
        running(
                protectedUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 2), minutes(50)),
                protectedUntil(withCalls(ready(ACME_POOL, "a2"), ACME, 3, 1), minutes(40)));
        service = new Service(2, 2, 0, true, "r2", minutes(-2));
        assertThat(deploying().blocked()).as("three cold starts are not over").isFalse();

        service = new Service(2, 2, 0, true, "r2", minutes(-4));
        assertThat(deploying().blocked()).isTrue();
        assertThat(deploying().calls()).isEqualTo(3);
        assertThat(deploying().reason())
                .contains(
                        "0 of 2 containers serve",
                        "2 of former revisions have 3 calls",
                        minutes(50).toString())
                .contains("ECS has started none of the new ones since " + minutes(-4));
    }

    @Test
    void launches_of_a_new_revision_that_fail_do_not_count_as_a_blocked_deployment() {
        running(protectedUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1), minutes(50)), ready(ACME_POOL, "a2"));
        service = new Service(2, 2, 0, true, "r2", minutes(-9));
        tasks.add(new Task(container("a3"), TaskPhase.STOPPED, "r2", "CannotPullContainerError", minutes(-8)));

        assertThat(deploying().blocked()).isFalse();
    }

    @Test
    void a_rollback_is_blocked_though_tasks_of_its_revision_that_were_stopped_before_it_are_still_listed() {
        running(protectedUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1), minutes(50)), ready(ACME_POOL, "a2"));
        service = new Service(2, 2, 0, true, "r2", minutes(-9));
        tasks.add(new Task(container("a3"), TaskPhase.STOPPED, "r2", "Scaling activity", minutes(-30)));

        assertThat(deploying().blocked()).isTrue();
    }

    @Test
    void that_ecs_refuses_new_containers_their_protection_meanwhile_is_explained() {
        running(protectedUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 2), minutes(50)));
        pool = acme(ScaleOutRule.PLUS_ONE, 1);
        service = new Service(1, 2, 0, true, "r2", minutes(-9));
        fresh(protectedUntil(withCalls(ready(ACME_POOL, "a2"), ACME, 3, 1), Instant.EPOCH), minutes(-8));

        assertThat(deploying().blocked()).isFalse();
        assertThat(deploying().calls()).isEqualTo(2);
        assertThat(deploying().reason())
                .contains("refuses 1 new ones their protection, the first of them a2", "a further deployment");
    }

    @Test
    void without_a_deployment_or_without_former_containers_there_is_nothing_to_tell() {
        running(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1), ready(ACME_POOL, "a2"));
        service = new Service(2, 2, 0, false, "r2", minutes(-9));
        assertThat(find()).noneMatch(Finding.Deploying.class::isInstance);

        service = new Service(2, 2, 0, true, "r1", minutes(-9));
        assertThat(find()).noneMatch(Finding.Deploying.class::isInstance);
    }

    private Finding.Deploying deploying() {
        return find().stream()
                .filter(Finding.Deploying.class::isInstance)
                .map(Finding.Deploying.class::cast)
                .findFirst()
                .orElseThrow();
    }

    /** A container of the revision r2. */
    private void fresh(Container container, Instant createdAt) {
        containers.add(revision(container, "r2"));
        tasks.add(new Task(container.id(), TaskPhase.RUNNING, "r2", "", createdAt));
    }

    @Test
    void a_stopping_container_whose_task_stopped_has_departed_unless_the_count_was_lowered_for_it() {
        running(ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2"));
        Container stopping = in(ContainerState.STOPPING, ACME_POOL, "a3");
        containers.add(stopping);
        task("a3", TaskPhase.STOPPED, "Task maintenance", minutes(-61));

        assertThat(find()).containsExactly(new Finding.Departed(stopping, "its task has stopped"));

        pool = lowered(container("a3"));
        assertThat(find()).isEmpty();
    }

    private Pool lowered(ContainerId id) {
        return Sample.pool(
                pool.id(),
                pool.policy(),
                pool.service(),
                pool.streamUrl(),
                pool.desired(),
                pool.version(),
                pool.launchSince(),
                pool.idleSince(),
                pool.scaleInLockedUntil(),
                Map.of(id, NOW),
                pool.launches(),
                pool.lastDecision(),
                pool.silentSince(),
                pool.heardAgainAt());
    }

    @Test
    void a_container_that_serves_while_ecs_stops_its_task_is_being_stopped_until_it_has_been_told() {
        running(ready(ACME_POOL, "a1"));
        containers.add(ready(ACME_POOL, "a2"));
        containers.add(in(ContainerState.DRAINING, ACME_POOL, "a3"));
        containers.add(in(ContainerState.DRAINING, ACME_POOL, "a4").withMayExit());
        containers.add(in(ContainerState.DRAINED, ACME_POOL, "a5"));
        for (String name : List.of("a2", "a3", "a4", "a5")) {
            task(name, TaskPhase.STOPPING, "Fargate retires it", minutes(-61));
        }

        assertThat(find())
                .containsExactly(
                        new Finding.BeingStopped(containers.get(1), "ECS stops its task: Fargate retires it"),
                        new Finding.BeingStopped(containers.get(2), "ECS stops its task: Fargate retires it"));
    }

    @Test
    void a_stopping_container_is_gone_when_it_is_silent_and_ecs_has_forgotten_its_task() {
        running(ready(ACME_POOL, "a1"), ready(ACME_POOL, "a2"));
        Container stopping = in(ContainerState.STOPPING, ACME_POOL, "a3").withMayExit();
        containers.add(stopping);
        assertThat(find()).isEmpty(); // alive

        containers.set(2, aliveUntil(stopping, NOW));
        assertThat(find())
                .containsExactly(new Finding.Gone(containers.getLast(), "stopped as asked, and ECS has forgotten it"));

        task("a3", TaskPhase.STOPPED, "Scaling activity", minutes(-61));
        assertThat(find()).isEmpty();
    }

    @Test
    void a_lost_container_departs_when_its_task_has_stopped_and_its_item_goes_30_minutes_later() {
        running(ready(ACME_POOL, "a1"));
        Container lost = ready(ACME_POOL, "a2").withState(ContainerState.LOST, "silent for 90 s", minutes(-30));
        running(lost);
        assertThat(find()).isEmpty();

        tasks.removeLast();
        assertThat(find()).containsExactly(new Finding.Departed(lost, "its task has stopped"));

        containers.set(1, lost.withMayExit());
        assertThat(find()).isEmpty();
        containers.set(
                1,
                ready(ACME_POOL, "a2")
                        .withState(ContainerState.LOST, "silent for 90 s", minutes(-31))
                        .withMayExit());
        assertThat(find()).hasSize(1).hasOnlyElementsOfType(Finding.Gone.class);
    }

    @Test
    void launches_that_stopped_before_ready_are_counted_since_the_last_good_one() {
        running(startedAt(ready(ACME_POOL, "a1"), minutes(-5)));
        task("f0", TaskPhase.STOPPED, "CannotPullContainerError: too old", minutes(-6));
        task("f1", TaskPhase.STOPPED, "CannotPullContainerError: one", minutes(-3));
        task("f2", TaskPhase.STOPPED, "CannotPullContainerError: two", minutes(-2));
        containers.add(startedAt(in(ContainerState.STARTING, ACME_POOL, "f3"), minutes(-1)));
        task("f3", TaskPhase.STOPPED, "Essential container exited", minutes(-1));

        assertThat(find())
                .contains(new Finding.FailedLaunches(
                        3,
                        "Essential container exited",
                        minutes(-1),
                        "3 launches stopped before READY: Essential container exited"));
    }

    @Test
    void containers_that_served_and_were_retired_are_no_failed_launches() {
        // The pool walked to zero; ECS still shows its tasks for an hour, their items are gone.
        pool = acme();
        service = new Service(0, 0, 0, false, "r1");
        task("a1", TaskPhase.STOPPED, "Scaling activity initiated by deployment", minutes(-50));
        task("a2", TaskPhase.STOPPED, "Scaling activity initiated by deployment", minutes(-12));

        assertThat(find()).isEmpty();
    }
}
