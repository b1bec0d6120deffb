package dev.spillway.core.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Fleet.Task;
import dev.spillway.core.pool.Fleet.TaskPhase;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What the flows expect of a fleet: a service keeps as many tasks as it is told, and protection alone steers its choice. */
public abstract class FleetContract {
    protected static final String SERVICE = "spillway-acme";

    /** One service, {@link #SERVICE}, that wants no task and has none. */
    protected abstract Fleet fleet();

    /** Lets time go by until it is so; fails if that takes longer than any fleet may need. */
    protected abstract void await(BooleanSupplier so);

    /** Lets as much time go by as the fleet takes for whatever it has to do. */
    protected abstract void letTimePass();

    protected abstract void protect(ContainerId task);

    protected abstract void unprotect(ContainerId task);

    /** The task's process ends by itself. */
    protected abstract void end(ContainerId task);

    /** A new revision from now on. */
    protected abstract void deploy();

    protected final List<ContainerId> tasksIn(TaskPhase phase) {
        return fleet().tasks(SERVICE).stream()
                .filter(task -> task.phase() == phase)
                .map(Task::id)
                .toList();
    }

    /** So many tasks, which all run. */
    protected final List<ContainerId> running(int many) {
        fleet().setDesired(SERVICE, many);
        await(() -> tasksIn(TaskPhase.RUNNING).size() == many
                && fleet().describe(SERVICE).pending() == 0);
        return tasksIn(TaskPhase.RUNNING);
    }

    @Test
    void as_many_tasks_run_as_the_count_that_was_set() {
        running(2);

        Fleet.Service service = fleet().describe(SERVICE);
        assertThat(service.desired()).isEqualTo(2);
        assertThat(service.running()).isEqualTo(2);
        assertThat(service.pending()).isZero();
        assertThat(service.deploying()).isFalse();
        assertThat(fleet().tasks(SERVICE))
                .extracting(Task::revision)
                .containsOnly(service.revision())
                .hasSize(2);
    }

    @Test
    void a_count_is_absolute_and_setting_it_again_changes_nothing() {
        List<ContainerId> tasks = running(2);

        fleet().setDesired(SERVICE, 2);
        fleet().setDesired(SERVICE, 2);
        letTimePass();

        assertThat(fleet().tasks(SERVICE)).extracting(Task::id).containsExactlyInAnyOrderElementsOf(tasks);
        assertThat(tasksIn(TaskPhase.RUNNING)).containsExactlyInAnyOrderElementsOf(tasks);
    }

    @Test
    void of_two_tasks_the_one_without_protection_is_stopped_and_is_listed_with_the_reason() {
        List<ContainerId> tasks = running(2);
        protect(tasks.getLast());

        fleet().setDesired(SERVICE, 1);
        await(() -> tasksIn(TaskPhase.STOPPED).size() == 1);

        assertThat(tasksIn(TaskPhase.STOPPED)).containsExactly(tasks.getFirst());
        assertThat(tasksIn(TaskPhase.RUNNING)).containsExactly(tasks.getLast());
        assertThat(fleet().tasks(SERVICE))
                .filteredOn(task -> task.phase() == TaskPhase.STOPPED)
                .allSatisfy(task -> assertThat(task.stoppedReason()).isNotBlank());
    }

    @Test
    void nothing_that_is_protected_is_stopped_before_it_gives_its_protection_back() {
        List<ContainerId> tasks = running(2);
        tasks.forEach(this::protect);

        fleet().setDesired(SERVICE, 0);
        letTimePass();
        assertThat(tasksIn(TaskPhase.RUNNING)).hasSize(2);

        tasks.forEach(this::unprotect);
        await(() -> tasksIn(TaskPhase.STOPPED).size() == 2);
    }

    @Test
    void a_task_that_ends_by_itself_is_replaced() {
        ContainerId first = running(1).getFirst();

        end(first);
        await(() -> tasksIn(TaskPhase.STOPPED).contains(first)
                && tasksIn(TaskPhase.RUNNING).size() == 1);

        assertThat(tasksIn(TaskPhase.RUNNING)).doesNotContain(first);
    }

    @Test
    void a_deployment_lasts_until_the_last_task_of_the_former_revision_is_gone() {
        ContainerId former = running(1).getFirst();
        String before = fleet().describe(SERVICE).revision();
        protect(former);

        deploy();
        await(() -> tasksIn(TaskPhase.RUNNING).size() == 2);
        assertThat(fleet().describe(SERVICE).deploying()).isTrue();
        assertThat(fleet().describe(SERVICE).revision()).isNotEqualTo(before);

        unprotect(former);
        await(() -> !fleet().describe(SERVICE).deploying());
        await(() -> tasksIn(TaskPhase.STOPPED).contains(former));
        assertThat(tasksIn(TaskPhase.RUNNING)).hasSize(1).doesNotContain(former);
    }

    @Test
    void a_service_that_does_not_exist_is_a_failure_and_no_empty_one() {
        assertThatThrownBy(() -> fleet().describe("spillway-nobody")).isInstanceOf(DependencyException.class);
    }
}
