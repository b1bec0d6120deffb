package dev.spillway.core.pool;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.policy;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.startedAt;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.scaling.ScaleIn;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PoolViewTest {
    private static final Duration COLD_START = Duration.ofMinutes(1);

    private static PoolView view(int desired, Instant launchSince, Container... containers) {
        return view(desired, launchSince, Map.of(), containers);
    }

    private static PoolView view(
            int desired, Instant launchSince, Map<ContainerId, Instant> lowered, Container... containers) {
        Pool pool = Sample.pool(
                ACME_POOL,
                policy(0, 10, ScaleOutRule.PLUS_ONE),
                "spillway-acme",
                "wss://acme.streams.example.com",
                desired,
                1,
                launchSince,
                NOW,
                Instant.EPOCH,
                lowered,
                Pool.Launches.FINE,
                Pool.Decision.NONE,
                Instant.MAX,
                Instant.EPOCH);
        return new PoolView(pool, List.of(containers));
    }

    private static Container departed(String name) {
        return in(ContainerState.LOST, ACME_POOL, name).withMayExit();
    }

    @Test
    void free_slots_are_those_of_ready_containers_that_are_heard() {
        PoolView view = view(
                5,
                seconds(-3600),
                withCalls(ready(ACME_POOL, "a1"), ACME, 1, 4),
                withCalls(ready(ACME_POOL, "a2"), ACME, 11, 6),
                in(ContainerState.DRAINING, ACME_POOL, "a3"),
                aliveUntil(ready(ACME_POOL, "a4"), NOW),
                in(ContainerState.STARTING, ACME_POOL, "a5"));

        assertThat(view.free(NOW)).isEqualTo(2);
        assertThat(view.claimsOnClaimable(NOW)).isEqualTo(10);
        assertThat(view.claimable(NOW).map(Container::id)).containsExactly(container("a1"), container("a2"));
        assertThat(view.isHeard(NOW)).isTrue();
        assertThat(view.isHeard(seconds(30))).isFalse();
    }

    @Test
    void a_container_that_was_asked_for_and_has_not_registered_is_starting_for_three_cold_starts() {
        assertThat(view(2, seconds(-179), ready(ACME_POOL, "a1")).starting(NOW, COLD_START))
                .isEqualTo(1);
        assertThat(view(2, seconds(-180), ready(ACME_POOL, "a1")).starting(NOW, COLD_START))
                .isZero();
    }

    @Test
    void a_registered_container_is_starting_for_three_cold_starts_and_counts_once() {
        Container starting = in(ContainerState.STARTING, ACME_POOL, "a2");

        assertThat(view(2, seconds(-170), ready(ACME_POOL, "a1"), startedAt(starting, seconds(-179)))
                        .starting(NOW, COLD_START))
                .isEqualTo(1);
        assertThat(view(2, seconds(-170), ready(ACME_POOL, "a1"), startedAt(starting, seconds(-180)))
                        .starting(NOW, COLD_START))
                .isZero();
    }

    @Test
    void a_container_that_ecs_no_longer_counts_leaves_its_place_to_the_one_that_is_starting() {
        // ECS replaces a lost task by itself, and does not count one for which the desired count was lowered.
        assertThat(view(1, seconds(-5), departed("a1")).starting(NOW, COLD_START))
                .isEqualTo(1);
        assertThat(view(1, seconds(-5), Map.of(container("a1"), NOW), in(ContainerState.STOPPING, ACME_POOL, "a1"))
                        .starting(NOW, COLD_START))
                .isEqualTo(1);
        assertThat(view(1, seconds(-5), in(ContainerState.LOST, ACME_POOL, "a1"))
                        .starting(NOW, COLD_START))
                .isZero();
    }

    @Test
    void others_are_running_tasks_that_will_not_take_calls_but_that_ecs_still_counts() {
        PoolView view = view(
                9,
                seconds(-3600),
                Map.of(container("a6"), NOW),
                ready(ACME_POOL, "a1"),
                aliveUntil(ready(ACME_POOL, "a2"), NOW),
                in(ContainerState.DRAINING, ACME_POOL, "a3"),
                in(ContainerState.DRAINED, ACME_POOL, "a4"),
                in(ContainerState.STOPPING, ACME_POOL, "a5"),
                in(ContainerState.STOPPING, ACME_POOL, "a6"),
                in(ContainerState.LOST, ACME_POOL, "a7"),
                departed("a8"),
                startedAt(in(ContainerState.STARTING, ACME_POOL, "a9"), seconds(-180)),
                in(ContainerState.STARTING, ACME_POOL, "b1").withState(ContainerState.STARTING, "fresh", NOW),
                ready(ACME_POOL, "b2").withState(ContainerState.DRAINING, ScaleIn.DEPLOYMENT, NOW));

        // a2, a3, a4, a5, a7, a9 and b1, which registered an hour ago, and the ninth, which never did; not a6, a8 and
        // b2
        assertThat(view.others(NOW, COLD_START)).isEqualTo(8);
        // of these a2, a7, a9, b1 and the ninth should serve
        assertThat(view.stuck(NOW, COLD_START)).isEqualTo(5);
    }

    @Test
    void a_container_that_was_asked_to_stop_and_whose_task_is_gone_is_no_other() {
        // its task was stopped by somebody else than us, so no count was lowered for it, and ECS has replaced it
        assertThat(view(
                                1,
                                seconds(-60),
                                in(ContainerState.STOPPING, ACME_POOL, "a1").withMayExit())
                        .others(NOW, COLD_START))
                .isZero();
    }

    @Test
    void a_container_that_started_lately_is_no_other() {
        assertThat(view(1, seconds(-60), startedAt(in(ContainerState.STARTING, ACME_POOL, "a1"), seconds(-60)))
                        .others(NOW, COLD_START))
                .isZero();
    }

    @Test
    void containers_are_in_the_order_of_their_ids() {
        PoolView view = view(2, NOW, ready(ACME_POOL, "b"), ready(ACME_POOL, "a"));

        assertThat(view.containers().stream().map(Container::id)).containsExactly(container("a"), container("b"));
        assertThat(view.container(container("b"))).isPresent();
        assertThat(view.container(container("c"))).isEmpty();
    }

    @Test
    void impossible_policies_and_pools_are_refused() {
        assertThatThrownBy(() -> policy(-1, 10, ScaleOutRule.DEMAND)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> policy(3, 2, ScaleOutRule.DEMAND)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> policy(0, 0, ScaleOutRule.DEMAND)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> view(-1, NOW)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void states_go_only_forward_except_that_a_draining_container_may_be_wanted_again() {
        for (ContainerState from : ContainerState.values()) {
            boolean mayBecomeReady = from == ContainerState.STARTING || from == ContainerState.DRAINING;
            assertThat(from.mayBecome(ContainerState.READY)).as(from.name()).isEqualTo(mayBecomeReady);
            assertThat(from.mayBecome(ContainerState.STARTING)).as(from.name()).isFalse();
            assertThat(from.mayBecome(ContainerState.LOST)).as(from.name()).isEqualTo(from != ContainerState.LOST);
        }
        assertThat(ContainerState.DRAINING.mayBecome(ContainerState.DRAINED)).isTrue();
        assertThat(ContainerState.READY.mayBecome(ContainerState.DRAINED)).isFalse();
        assertThat(ContainerState.DRAINED.mayBecome(ContainerState.STOPPING)).isTrue();
        assertThat(ContainerState.READY.mayBecome(ContainerState.STOPPING)).isFalse();
    }
}
