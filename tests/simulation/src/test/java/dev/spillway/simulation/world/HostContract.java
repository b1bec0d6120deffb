package dev.spillway.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.contract.FleetContract;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Fleet.TaskPhase;
import dev.spillway.media.host.Host;
import dev.spillway.media.host.Host.Granted;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What a container expects of ECS from inside its task. The fleet's own suite runs with it: the protection that a task asks for
 * is the one by which the service chooses.
 */
abstract class HostContract extends FleetContract {
    /** As the process of that task sees it. */
    abstract Host host(ContainerId task);

    /** By the clock of ECS. */
    abstract Instant now();

    @Override
    protected void protect(ContainerId task) {
        assertThat(host(task).protect(60)).isInstanceOf(Granted.Until.class);
    }

    @Override
    protected void unprotect(ContainerId task) {
        host(task).unprotect();
    }

    private Instant protectedUntil(ContainerId task, int minutes) {
        Granted granted = host(task).protect(minutes);
        assertThat(granted).isInstanceOf(Granted.Until.class);
        return ((Granted.Until) granted).expires();
    }

    @Test
    void a_task_is_told_by_which_name_and_of_which_revision_the_fleet_knows_it() {
        for (ContainerId task : running(2)) {
            Host.Identity identity = host(task).identity();
            assertThat(identity.id()).isEqualTo(task);
            assertThat(identity.revision()).isEqualTo(fleet().describe(SERVICE).revision());
            assertThat(identity.address()).isNotBlank();
        }
    }

    @Test
    void protection_lasts_as_long_as_it_was_asked_for_the_last_time() {
        ContainerId task = running(1).getFirst();

        assertThat(protectedUntil(task, 10))
                .isBetween(now().plus(Duration.ofMinutes(9)), now().plus(Duration.ofMinutes(11)));
        assertThat(protectedUntil(task, 60))
                .isBetween(now().plus(Duration.ofMinutes(59)), now().plus(Duration.ofMinutes(61)));
    }

    @Test
    void while_a_deployment_runs_no_more_tasks_are_protected_than_the_service_wants() {
        ContainerId former = running(1).getFirst();
        protect(former);
        deploy();
        await(() -> tasksIn(TaskPhase.RUNNING).size() == 2);
        List<ContainerId> both = tasksIn(TaskPhase.RUNNING);
        ContainerId newcomer =
                both.stream().filter(task -> !task.equals(former)).findFirst().orElseThrow();

        assertThat(host(newcomer).protect(60)).isEqualTo(new Granted.Refused("DEPLOYMENT_BLOCKED"));

        unprotect(former);
        await(() -> !fleet().describe(SERVICE).deploying());
        assertThat(host(newcomer).protect(60)).isInstanceOf(Granted.Until.class);
    }
}
