package dev.spillway.core.attempt;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.desired;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.startedAt;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.Timing;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Report;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CauseTest {
    private static final Container FULL = withCalls(ready(ACME_POOL, "a1"), ACME, 1, LIMIT);

    private static Cause cause(Pool pool, Instant now, Container... containers) {
        return Cause.of(new PoolView(pool, List.of(containers)), now, Timing.STANDARD.coldStart());
    }

    /** The container with one more claim, in that phase. */
    private static Container with(Container container, int n, Claim.Phase phase) {
        Map<ClaimKey, Claim> claims = new HashMap<>(container.claims());
        claims.put(call(n), new Claim(generation(1, n), phase, ACME, NOW, NOW, null));
        return container.withClaims(claims);
    }

    private static Pool launching(Pool pool) {
        return Sample.pool(
                pool.id(),
                pool.policy(),
                pool.service(),
                pool.streamUrl(),
                pool.desired(),
                pool.version(),
                NOW,
                pool.idleSince(),
                pool.scaleInLockedUntil(),
                pool.lowered(),
                pool.launches(),
                pool.lastDecision(),
                pool.silentSince(),
                pool.heardAgainAt());
    }

    private static Pool failing(Pool pool) {
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
                new Pool.Launches(3, "CannotPullContainerError", seconds(60)),
                pool.lastDecision(),
                pool.silentSince(),
                pool.heardAgainAt());
    }

    @Test
    void a_pool_of_full_containers_is_full() {
        assertThat(cause(desired(acme(), 1), NOW, FULL)).isEqualTo(Cause.FULL);
    }

    @Test
    void a_pool_without_containers_of_which_none_is_on_its_way_is_full_with_no_slot_at_all() {
        assertThat(cause(acme(), NOW)).isEqualTo(Cause.FULL);
        assertThat(Slots.of(new PoolView(acme(), List.of()), NOW)).isEqualTo(new Slots(ACME_POOL, 0, 0, 0, 0, 0));
    }

    @Test
    void a_container_on_its_way_makes_it_starting_whether_it_has_registered_or_not() {
        assertThat(cause(launching(desired(acme(), 2)), NOW, FULL)).isEqualTo(Cause.STARTING);
        Container registered = startedAt(in(ContainerState.STARTING, ACME_POOL, "a2"), seconds(-20));
        assertThat(cause(desired(acme(), 2), NOW, FULL, registered)).isEqualTo(Cause.STARTING);
    }

    @Test
    void a_launch_older_than_three_cold_starts_is_no_longer_awaited() {
        Container overdue = startedAt(in(ContainerState.STARTING, ACME_POOL, "a2"), seconds(-181));
        assertThat(cause(desired(acme(), 2), NOW, FULL, overdue)).isEqualTo(Cause.FULL);
    }

    @Test
    void a_finished_call_that_still_has_its_slot_is_cooldown_even_while_a_container_starts() {
        Container cooling = with(withCalls(ready(ACME_POOL, "a1"), ACME, 1, LIMIT - 1), 99, Claim.Phase.COOLDOWN);
        assertThat(cause(launching(desired(acme(), 2)), NOW, cooling)).isEqualTo(Cause.COOLDOWN);
    }

    @Test
    void a_finished_call_on_a_container_that_has_a_free_slot_besides_fills_nothing() {
        Container cooling = with(ready(ACME_POOL, "a2"), 99, Claim.Phase.COOLDOWN);
        assertThat(cause(desired(acme(), 2), NOW, FULL, cooling)).isEqualTo(Cause.FULL);
    }

    @Test
    void a_pool_of_which_nothing_is_heard_is_a_dependencys_fault() {
        assertThat(cause(desired(acme(), 1), seconds(31), ready(ACME_POOL, "a1")))
                .isEqualTo(Cause.DEPENDENCY);
    }

    @Test
    void launches_that_fail_are_a_dependencys_fault_until_the_back_off_ends() {
        assertThat(cause(failing(acme()), NOW)).isEqualTo(Cause.DEPENDENCY);
        assertThat(cause(failing(acme()), seconds(61))).isEqualTo(Cause.FULL);
        assertThat(cause(failing(desired(acme(), 1)), NOW, FULL)).isEqualTo(Cause.FULL);
    }

    @Test
    void slots_count_claims_by_phase_and_setups_by_report_on_claimable_containers_only() {
        Container one = with(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 3), 50, Claim.Phase.RESERVED);
        one = with(with(one, 51, Claim.Phase.RESERVED), 52, Claim.Phase.COOLDOWN);
        one = one.heard(new Report(2, 3, 0, 0, 0, NOW), one.aliveUntil(), one.protectedUntil());
        Container draining = withCalls(in(ContainerState.DRAINING, ACME_POOL, "a2"), ACME, 60, 4);

        assertThat(Slots.of(new PoolView(acme(), List.of(one, draining, ready(ACME_POOL, "a3"))), NOW))
                .isEqualTo(new Slots(ACME_POOL, 3, 2, 2, 1, 12));
    }

    @Test
    void every_text_of_a_cause_reads_back() {
        for (Cause cause : Cause.values()) {
            assertThat(Cause.of(cause.text())).isEqualTo(cause);
        }
        assertThat(Cause.OUTBOUND_LIMIT.text()).isEqualTo("outbound-limit");
        assertThat(Cause.CALLING_HOURS.text()).isEqualTo("calling-hours");
        assertThatThrownBy(() -> Cause.of("weather")).hasMessageContaining("weather");
    }

    @Test
    void a_slot_ends_the_wait_for_a_slot_and_no_other_wait() {
        assertThat(Stream.of(Cause.values()).filter(cause -> !cause.endsWithASlot()))
                .containsExactlyInAnyOrder(Cause.CALLING_HOURS, Cause.DAILY_CAP, Cause.SUPPRESSED, Cause.DEPENDENCY);
    }
}
