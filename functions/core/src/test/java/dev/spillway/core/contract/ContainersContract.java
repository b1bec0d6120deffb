package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.BLOOM;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Offer;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Claim.Phase;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.Containers.ClaimResult.Claimed;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every {@link Containers} keeps. Each test has a pool of its own, so that a table may be shared by all of them. */
@SuppressWarnings("NullAway.Init")
public abstract class ContainersContract {
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final ContainerId A1 = new ContainerId("a1");

    private Containers containers;
    private PoolId pool;

    /** The port to test. */
    protected abstract Containers containers();

    @BeforeEach
    void freshPool() {
        containers = containers();
        pool = PoolId.of(new TenantId("containers-" + NEXT.incrementAndGet()));
    }

    private Container a1() {
        return containers.find(pool, A1).orElseThrow();
    }

    private ClaimResult claim(int n) {
        return containers.claim(pool, A1, call(n), reserved(n), LIMIT, NOW);
    }

    private static Claim reserved(int n) {
        return Claim.reserved(generation(1, n), ACME, seconds(n), NOW);
    }

    private boolean become(ContainerState from, ContainerState to, boolean onlyWithoutClaims) {
        return containers.become(pool, A1, from, to, onlyWithoutClaims, "because", seconds(7));
    }

    // Claims

    @Test
    void a_claim_is_kept_as_it_was_made() {
        containers.register(ready(pool, "a1"));

        assertThat(claim(1)).isInstanceOf(Claimed.class);

        assertThat(a1().claims()).isEqualTo(Map.of(call(1), reserved(1)));
    }

    @Test
    void the_seventh_claim_of_a_container_with_six_slots_is_refused() {
        containers.register(ready(pool, "a1"));
        for (int n = 1; n <= 6; n++) {
            assertThat(claim(n)).isInstanceOf(Claimed.class);
        }

        assertThat(claim(7)).isInstanceOf(ClaimResult.Refused.class);
        assertThat(a1().claims()).hasSize(6).doesNotContainKey(call(7));
    }

    @Test
    void claims_in_every_phase_take_a_slot() {
        containers.register(ready(pool, "a1"));
        for (int n = 1; n <= 6; n++) {
            claim(n);
        }
        containers.connect(pool, A1, call(1), generation(1, 1));
        containers.coolDown(pool, A1, call(1), generation(1, 1));
        containers.connect(pool, A1, call(2), generation(1, 2));

        assertThat(claim(7)).isInstanceOf(ClaimResult.Refused.class);
    }

    @Test
    void of_32_claims_at_once_six_get_a_slot() {
        containers.register(ready(pool, "a1"));

        List<ClaimResult> results = AtOnce.run(32, this::claim);

        assertThat(results.stream().filter(Claimed.class::isInstance)).hasSize(6);
        assertThat(a1().claims()).hasSize(6);
        for (int n = 0; n < 32; n++) {
            assertThat(a1().claims().containsKey(call(n))).isEqualTo(results.get(n) instanceof Claimed);
        }
    }

    @Test
    void claims_and_releases_by_32_threads_never_exceed_the_limit_and_lose_nothing() {
        containers.register(ready(pool, "a1"));

        List<Boolean> kept = AtOnce.run(32, n -> {
            boolean claimed = claim(n) instanceof Claimed;
            assertThat(a1().claims().size()).isBetween(0, 6);
            boolean released = claimed && n % 2 == 0 && containers.release(pool, A1, call(n), generation(1, n));
            assertThat(a1().claims().size()).isBetween(0, 6);
            return claimed && !released;
        });

        assertThat(a1().claims())
                .hasSize((int) kept.stream().filter(Boolean::booleanValue).count());
    }

    @Test
    void a_claim_tells_once_since_when_its_slot_was_free() {
        containers.register(ready(pool, "a1"));
        assertThat(claim(1)).isEqualTo(new Claimed(null));
        assertThat(claim(2)).isEqualTo(new Claimed(null));

        containers.release(pool, A1, call(1), generation(1, 1));
        assertThat(claim(3))
                .isInstanceOfSatisfying(
                        Claimed.class, claimed -> assertThat(claimed.freedAt()).isNotNull());
        assertThat(claim(4)).isEqualTo(new Claimed(null));

        containers.end(pool, A1, call(2), generation(1, 2));
        assertThat(claim(5))
                .isInstanceOfSatisfying(
                        Claimed.class, claimed -> assertThat(claimed.freedAt()).isNotNull());
    }

    @Test
    void of_two_slots_given_back_each_is_told_by_the_claim_that_takes_it_the_oldest_first() {
        containers.register(ready(pool, "a1"));
        claim(1);
        claim(2);
        containers.end(pool, A1, call(1), generation(1, 1));
        containers.end(pool, A1, call(2), generation(1, 2));

        assertThat(claim(3))
                .isInstanceOfSatisfying(
                        Claimed.class,
                        first -> assertThat(claim(4)).isInstanceOfSatisfying(Claimed.class, second -> {
                            assertThat(first.freedAt()).isNotNull();
                            assertThat(second.freedAt()).isAfterOrEqualTo(first.freedAt());
                        }));
        assertThat(claim(5)).isEqualTo(new Claimed(null));
    }

    @Test
    void a_slot_taken_without_a_claim_before_tells_it_too_and_a_repetition_tells_nothing() {
        containers.register(ready(pool, "a1"));
        claim(1);
        containers.end(pool, A1, call(1), generation(1, 1));
        Claim late = Claim.connected(generation(1, 2), ACME, NOW, NOW);

        assertThat(containers.admit(pool, A1, "boot-a1", call(2), late, LIMIT))
                .isInstanceOfSatisfying(
                        Claimed.class, claimed -> assertThat(claimed.freedAt()).isNotNull());
        assertThat(containers.admit(pool, A1, "boot-a1", call(2), late, LIMIT)).isEqualTo(new Claimed(null));
        assertThat(claim(3)).isEqualTo(new Claimed(null));
        assertThat(claim(3)).isEqualTo(new Claimed(null));
    }

    @Test
    void one_call_has_one_claim_in_a_container() {
        containers.register(ready(pool, "a1"));
        claim(1);
        Claim other = Claim.reserved(generation(2, 99), ACME, NOW, NOW);

        assertThat(containers.claim(pool, A1, call(1), other, LIMIT, NOW)).isInstanceOf(ClaimResult.Refused.class);
        assertThat(a1().claims()).isEqualTo(Map.of(call(1), reserved(1)));
    }

    @Test
    void a_jobs_claim_takes_a_slot_and_is_kept_under_its_call_once_that_has_a_name() {
        containers.register(ready(pool, "a1"));
        Claim claim = reserved(1).dialledFor(Sample.job(1));
        assertThat(containers.claim(pool, A1, Sample.job(1), claim, 1, NOW)).isInstanceOf(Claimed.class);
        assertThat(containers.claim(pool, A1, call(2), reserved(2), 1, NOW)).isInstanceOf(ClaimResult.Refused.class);

        assertThat(containers.rename(pool, A1, Sample.job(1), call(1), generation(1, 9)))
                .isFalse();
        assertThat(containers.rename(pool, A1, Sample.job(1), call(1), generation(1, 1)))
                .isTrue();
        assertThat(containers.rename(pool, A1, Sample.job(1), call(1), generation(1, 1)))
                .isTrue();
        assertThat(containers.rename(pool, A1, Sample.job(1), call(2), generation(1, 1)))
                .isFalse();

        assertThat(a1().claims()).isEqualTo(Map.of(call(1), claim));
        assertThat(containers.connect(pool, A1, call(1), generation(1, 1)))
                .hasValueSatisfying(connected -> assertThat(connected.job()).isEqualTo(Sample.job(1)));
    }

    @Test
    void a_jobs_claim_is_released_under_the_name_that_it_has() {
        containers.register(ready(pool, "a1"));
        containers.claim(pool, A1, Sample.job(1), reserved(1), 1, NOW);
        containers.rename(pool, A1, Sample.job(1), call(1), generation(1, 1));

        assertThat(containers.release(pool, A1, Sample.job(1), generation(1, 1)))
                .isFalse();
        assertThat(containers.release(pool, A1, call(1), generation(1, 1))).isTrue();
        assertThat(a1().claims()).isEmpty();
    }

    @Test
    void of_32_claims_for_one_call_exactly_one_is_made() {
        containers.register(ready(pool, "a1"));

        List<ClaimResult> results = AtOnce.run(
                32,
                n -> containers.claim(pool, A1, call(1), Claim.reserved(generation(1, n), ACME, NOW, NOW), LIMIT, NOW));

        assertThat(results.stream().filter(Claimed.class::isInstance)).hasSize(1);
        int winner = results.indexOf(new Claimed(null));
        assertThat(claimOfCall1().generation()).isEqualTo(generation(1, winner));
    }

    @Test
    void a_claim_whose_reply_was_lost_counts_as_made_when_repeated_even_in_a_full_container() {
        containers.register(ready(pool, "a1"));
        for (int n = 1; n <= 6; n++) {
            claim(n);
        }

        assertThat(claim(3)).isInstanceOf(Claimed.class);
        assertThat(a1().claims()).hasSize(6);
    }

    @ParameterizedTest
    @EnumSource(value = ContainerState.class, mode = EnumSource.Mode.EXCLUDE, names = "READY")
    void only_a_ready_container_is_claimed(ContainerState state) {
        containers.register(in(state, pool, "a1"));

        assertThat(claim(1)).isInstanceOf(ClaimResult.Refused.class);
        assertThat(a1().claims()).isEmpty();
    }

    @Test
    void a_container_that_was_not_heard_for_30_seconds_is_not_claimed() {
        containers.register(ready(pool, "a1"));

        assertThat(containers.claim(pool, A1, call(1), reserved(1), LIMIT, seconds(30)))
                .isInstanceOf(ClaimResult.Refused.class);
        assertThat(containers.claim(pool, A1, call(1), reserved(1), LIMIT, seconds(29)))
                .isInstanceOf(Claimed.class);
    }

    @Test
    void a_container_that_is_gone_is_not_claimed_and_not_created() {
        assertThat(claim(1)).isInstanceOf(ClaimResult.Refused.class);
        assertThat(containers.find(pool, A1)).isEmpty();
    }

    @Test
    void the_same_id_in_another_pool_is_another_container() {
        PoolId other = PoolId.of(new TenantId("containers-" + NEXT.incrementAndGet()));
        containers.register(ready(pool, "a1"));
        containers.register(ready(other, "a1"));

        claim(1);

        assertThat(containers.find(other, A1).orElseThrow().claims()).isEmpty();
    }

    // Claim against drain

    @Test
    void a_drain_that_comes_after_a_claim_does_not_happen() {
        containers.register(ready(pool, "a1"));
        claim(1);

        assertThat(become(ContainerState.READY, ContainerState.DRAINING, true)).isFalse();
        assertThat(a1().state()).isEqualTo(ContainerState.READY);
    }

    @Test
    void a_claim_that_comes_after_a_drain_is_refused() {
        containers.register(ready(pool, "a1"));

        assertThat(become(ContainerState.READY, ContainerState.DRAINING, true)).isTrue();
        assertThat(claim(1)).isInstanceOf(ClaimResult.Refused.class);
        assertThat(a1().claims()).isEmpty();
    }

    @Test
    void of_a_claim_and_a_drain_at_once_exactly_one_wins() {
        for (int round = 0; round < 30; round++) {
            freshPool();
            containers.register(ready(pool, "a1"));
            List<Callable<Boolean>> race = List.of(
                    () -> claim(1) instanceof Claimed,
                    () -> become(ContainerState.READY, ContainerState.DRAINING, true));

            List<Boolean> won = AtOnce.run(race);

            assertThat(won).containsOnlyOnce(true);
            assertThat(a1().claims()).hasSize(won.get(0) ? 1 : 0);
            assertThat(a1().state()).isEqualTo(won.get(0) ? ContainerState.READY : ContainerState.DRAINING);
        }
    }

    @Test
    void a_deployment_drains_a_container_with_calls() {
        containers.register(ready(pool, "a1"));
        claim(1);

        assertThat(become(ContainerState.READY, ContainerState.DRAINING, false)).isTrue();
        assertThat(a1().claims()).containsOnlyKeys(call(1));
    }

    @Test
    void a_draining_container_confirms_that_it_is_empty_only_without_claims() {
        containers.register(ready(pool, "a1"));
        claim(1);
        become(ContainerState.READY, ContainerState.DRAINING, false);

        assertThat(become(ContainerState.DRAINING, ContainerState.DRAINED, true))
                .isFalse();

        containers.release(pool, A1, call(1), generation(1, 1));
        assertThat(become(ContainerState.DRAINING, ContainerState.DRAINED, true))
                .isTrue();
    }

    // States

    @Test
    void a_state_changes_only_from_the_one_it_is_in_and_remembers_why_and_when() {
        containers.register(in(ContainerState.STARTING, pool, "a1"));

        assertThat(become(ContainerState.READY, ContainerState.DRAINING, true)).isFalse();
        assertThat(become(ContainerState.STARTING, ContainerState.READY, false)).isTrue();

        assertThat(a1().state()).isEqualTo(ContainerState.READY);
        assertThat(a1().stateReason()).isEqualTo("because");
        assertThat(a1().stateSince()).isEqualTo(seconds(7));
    }

    @ParameterizedTest
    @EnumSource(
            value = ContainerState.class,
            names = {"DRAINED", "STOPPING", "LOST"})
    void drained_stopping_and_lost_never_become_ready(ContainerState state) {
        containers.register(in(state, pool, "a1"));

        boolean became = true;
        try {
            became = become(state, ContainerState.READY, false);
        } catch (IllegalArgumentException e) {
            became = false; // refusing to write such a thing at all is as good
        }

        assertThat(became).isFalse();
        assertThat(a1().state()).isEqualTo(state);
    }

    @Test
    void a_draining_container_may_be_wanted_again() {
        containers.register(in(ContainerState.DRAINING, pool, "a1"));

        assertThat(become(ContainerState.DRAINING, ContainerState.READY, false)).isTrue();
        assertThat(claim(1)).isInstanceOf(Claimed.class);
    }

    @Test
    void of_being_wanted_again_and_having_drained_exactly_one_happens() {
        for (int round = 0; round < 20; round++) {
            freshPool();
            containers.register(in(ContainerState.DRAINING, pool, "a1"));
            List<Callable<Boolean>> race = List.of(
                    () -> become(ContainerState.DRAINING, ContainerState.READY, false),
                    () -> become(ContainerState.DRAINING, ContainerState.DRAINED, true));

            assertThat(AtOnce.run(race)).containsOnlyOnce(true);
        }
    }

    @Test
    void the_state_of_a_container_that_is_gone_does_not_change() {
        assertThat(become(ContainerState.READY, ContainerState.LOST, false)).isFalse();
        containers.allowExit(pool, A1);
        assertThat(containers.find(pool, A1)).isEmpty();
    }

    @Test
    void leave_to_exit_is_given_and_stays() {
        containers.register(in(ContainerState.STOPPING, pool, "a1"));
        assertThat(a1().mayExit()).isFalse();

        containers.allowExit(pool, A1);
        containers.allowExit(pool, A1);

        assertThat(a1().mayExit()).isTrue();
        assertThat(a1().state()).isEqualTo(ContainerState.STOPPING);
    }

    @ParameterizedTest
    @EnumSource(ContainerState.class)
    void only_a_stopping_or_lost_container_is_removed(ContainerState state) {
        containers.register(in(state, pool, "a1"));

        containers.remove(pool, A1);

        boolean gone = state == ContainerState.STOPPING || state == ContainerState.LOST;
        assertThat(containers.find(pool, A1).isEmpty()).isEqualTo(gone);
    }

    @Test
    void removing_what_is_gone_does_nothing() {
        containers.remove(pool, A1);

        assertThat(containers.find(pool, A1)).isEmpty();
    }

    // Releases

    @Test
    void only_its_own_generation_releases_a_claim() {
        containers.register(ready(pool, "a1"));
        claim(1);

        assertThat(containers.release(pool, A1, call(1), generation(1, 9))).isFalse();
        assertThat(containers.release(pool, A1, call(2), generation(1, 1))).isFalse();
        assertThat(a1().claims()).hasSize(1);

        assertThat(containers.release(pool, A1, call(1), generation(1, 1))).isTrue();
        assertThat(a1().claims()).isEmpty();
    }

    @Test
    void a_connected_claim_is_not_released_but_cools_down() {
        containers.register(ready(pool, "a1"));
        claim(1);
        containers.connect(pool, A1, call(1), generation(1, 1));

        assertThat(containers.release(pool, A1, call(1), generation(1, 1))).isFalse();
        assertThat(phaseOfCall1()).isEqualTo(Phase.CONNECTED);

        assertThat(containers.coolDown(pool, A1, call(1), generation(1, 9))).isFalse();
        assertThat(containers.coolDown(pool, A1, call(1), generation(1, 1))).isTrue();
        assertThat(phaseOfCall1()).isEqualTo(Phase.COOLDOWN);
        assertThat(containers.release(pool, A1, call(1), generation(1, 1))).isFalse();
    }

    @Test
    void a_reserved_claim_does_not_cool_down() {
        containers.register(ready(pool, "a1"));
        claim(1);

        assertThat(containers.coolDown(pool, A1, call(1), generation(1, 1))).isFalse();
        assertThat(phaseOfCall1()).isEqualTo(Phase.RESERVED);
    }

    @Test
    void of_a_release_and_a_connect_at_once_exactly_one_wins() {
        for (int round = 0; round < 30; round++) {
            freshPool();
            containers.register(ready(pool, "a1"));
            claim(1);
            List<Callable<Boolean>> race = List.of(
                    () -> containers.release(pool, A1, call(1), generation(1, 1)),
                    () -> containers
                            .connect(pool, A1, call(1), generation(1, 1))
                            .isPresent());

            List<Boolean> won = AtOnce.run(race);

            assertThat(won).containsOnlyOnce(true);
            assertThat(a1().claims()).hasSize(won.get(0) ? 0 : 1);
        }
    }

    private Phase phaseOfCall1() {
        return claimOfCall1().phase();
    }

    private Claim claimOfCall1() {
        return Optional.ofNullable(a1().claims().get(call(1))).orElseThrow();
    }

    // Offers

    @Test
    void an_offer_is_announced_on_the_claim_of_that_generation() {
        containers.register(ready(pool, "a1"));
        claim(1);
        Offer offer = new Offer(new ContainerId("b2"), generation(2, 5), seconds(40));

        assertThat(containers.announce(pool, A1, call(1), generation(1, 9), offer))
                .isFalse();
        assertThat(containers.announce(pool, A1, call(2), generation(1, 1), offer))
                .isFalse();
        assertThat(a1().claims()).isEqualTo(Map.of(call(1), reserved(1)));

        assertThat(containers.announce(pool, A1, call(1), generation(1, 1), offer))
                .isTrue();
        assertThat(a1().claims()).isEqualTo(Map.of(call(1), reserved(1).offered(offer)));
    }

    @Test
    void connecting_keeps_an_announced_offer() {
        containers.register(ready(pool, "a1"));
        claim(1);
        Offer offer = new Offer(new ContainerId("b2"), generation(2, 5), seconds(40));
        containers.announce(pool, A1, call(1), generation(1, 1), offer);

        Claim connected =
                containers.connect(pool, A1, call(1), generation(1, 1)).orElseThrow();

        assertThat(connected.offer()).isEqualTo(offer);
        assertThat(a1().claims().get(call(1))).isEqualTo(connected);
    }

    @Test
    void a_closed_container_takes_no_claim_before_its_time_and_keeps_those_it_has() {
        containers.register(ready(pool, "a1"));
        containers.claim(pool, A1, call(1), Claim.reserved(generation(1, 1), ACME, NOW, NOW), LIMIT, NOW);

        containers.closeUntil(pool, A1, Instant.EPOCH, seconds(20));

        assertThat(a1().closedUntil()).isEqualTo(seconds(20));
        assertThat(containers.claim(
                        pool, A1, call(2), Claim.reserved(generation(1, 2), ACME, NOW, NOW), LIMIT, seconds(19)))
                .isInstanceOf(ClaimResult.Refused.class);
        assertThat(containers.connect(pool, A1, call(1), generation(1, 1))).isPresent();
        assertThat(containers.claim(
                        pool, A1, call(3), Claim.reserved(generation(1, 3), ACME, NOW, NOW), LIMIT, seconds(20)))
                .isInstanceOf(ClaimResult.Claimed.class);
    }

    @Test
    void a_container_that_was_closed_is_opened_again() {
        containers.register(ready(pool, "a1"));
        containers.closeUntil(pool, A1, Instant.EPOCH, seconds(20));

        assertThat(containers.closeUntil(pool, A1, seconds(19), Instant.EPOCH))
                .as("by whoever saw something else")
                .isFalse();
        assertThat(a1().closedUntil()).isEqualTo(seconds(20));
        assertThat(containers.closeUntil(pool, A1, seconds(20), Instant.EPOCH)).isTrue();

        assertThat(a1()).isEqualTo(ready(pool, "a1"));
        assertThat(containers.claim(pool, A1, call(1), Claim.reserved(generation(1, 1), ACME, NOW, NOW), LIMIT, NOW))
                .isInstanceOf(ClaimResult.Claimed.class);
    }

    @Test
    void closing_a_container_that_is_gone_makes_no_item() {
        containers.closeUntil(pool, A1, Instant.EPOCH, seconds(20));

        assertThat(containers.find(pool, A1)).isEmpty();
    }

    // What only the container writes

    @Test
    void a_container_registers_once_with_everything_it_says() {
        Generation generation = generation(3, 1);
        Offer offer = new Offer(new ContainerId("b2"), generation(4, 5), seconds(40));
        Container whole = new Container(
                pool,
                A1,
                "boot-7",
                ContainerState.DRAINING,
                "deployment",
                seconds(1),
                "10.0.3.4:8443",
                "spillway:17",
                4,
                Map.of(
                        call(1),
                        new Claim(generation, Phase.COOLDOWN, BLOOM, seconds(2), seconds(3), offer),
                        call(2),
                        Claim.connected(generation(1, 2), ACME, seconds(4), seconds(5))),
                new Report(1, 2, 3, 4, 123_456_789, seconds(6), true, true),
                seconds(30),
                seconds(1800),
                seconds(-60),
                true);

        assertThat(containers.register(whole)).isTrue();
        assertThat(containers.register(ready(pool, "a1"))).isFalse();

        assertThat(a1()).isEqualTo(whole);
    }

    @Test
    void a_container_that_never_was_protected_reads_back_so() {
        Container fresh = ready(pool, "a1").heard(Report.empty(NOW), seconds(30), Instant.EPOCH);

        containers.register(fresh);

        assertThat(a1()).isEqualTo(fresh);
    }

    @Test
    void a_heartbeat_writes_report_liveness_and_protection_and_gives_the_item() {
        containers.register(ready(pool, "a1"));
        claim(1);
        Report report = new Report(1, 2, 3, 4, 99, seconds(8));

        Container item = containers
                .heartbeat(pool, A1, "boot-a1", report, seconds(40), seconds(1800))
                .orElseThrow();

        assertThat(item.report()).isEqualTo(report);
        assertThat(item.aliveUntil()).isEqualTo(seconds(40));
        assertThat(item.protectedUntil()).isEqualTo(seconds(1800));
        assertThat(item.claims()).isEqualTo(Map.of(call(1), reserved(1)));
        assertThat(a1()).isEqualTo(item);
    }

    @Test
    void a_heartbeat_never_touches_state_claims_or_leave_to_exit() {
        containers.register(ready(pool, "a1"));
        claim(1);
        become(ContainerState.READY, ContainerState.DRAINING, false);
        containers.allowExit(pool, A1);
        Container before = a1();

        Report report = Report.empty(seconds(8));
        containers.heartbeat(pool, A1, "boot-a1", report, seconds(40), seconds(1800));

        assertThat(a1()).isEqualTo(before.heard(report, seconds(40), seconds(1800)));
    }

    @Test
    void heartbeats_and_claims_at_once_lose_nothing() {
        containers.register(ready(pool, "a1"));

        List<Boolean> claimed = AtOnce.run(
                32,
                n -> n % 2 == 0
                        ? claim(n) instanceof Claimed
                        : containers
                                .heartbeat(pool, A1, "boot-a1", Report.empty(NOW), seconds(60 + n), seconds(1800))
                                .isEmpty());

        assertThat(claimed.stream().filter(Boolean::booleanValue)).hasSize(6);
        assertThat(a1().claims()).hasSize(6);
    }

    @Test
    void a_heartbeat_of_another_boot_or_of_a_container_that_is_gone_changes_nothing() {
        containers.register(ready(pool, "a1"));
        Container before = a1();

        assertThat(containers.heartbeat(pool, A1, "boot-new", Report.empty(NOW), seconds(99), seconds(99)))
                .isEmpty();
        assertThat(containers.heartbeat(
                        pool, new ContainerId("b2"), "boot-b2", Report.empty(NOW), seconds(99), seconds(99)))
                .isEmpty();

        assertThat(a1()).isEqualTo(before);
        assertThat(containers.find(pool, new ContainerId("b2"))).isEmpty();
    }

    @Test
    void a_heartbeat_revives_nothing_that_is_lost() {
        containers.register(in(ContainerState.LOST, pool, "a1"));

        Container item = containers
                .heartbeat(pool, A1, "boot-a1", Report.empty(NOW), seconds(40), seconds(1800))
                .orElseThrow();

        assertThat(item.state()).isEqualTo(ContainerState.LOST);
    }

    @Test
    void the_same_stream_connects_once() {
        containers.register(ready(pool, "a1"));
        claim(1);

        Optional<Claim> connected = containers.connect(pool, A1, call(1), generation(1, 1));

        assertThat(connected).contains(new Claim(generation(1, 1), Phase.CONNECTED, ACME, seconds(1), NOW, null));
        assertThat(containers.connect(pool, A1, call(1), generation(1, 1))).isEmpty();
    }

    @Test
    void of_32_connects_of_one_stream_exactly_one_wins() {
        containers.register(ready(pool, "a1"));
        claim(1);

        List<Boolean> won = AtOnce.run(
                32, n -> containers.connect(pool, A1, call(1), generation(1, 1)).isPresent());

        assertThat(won).containsOnlyOnce(true);
    }

    @Test
    void a_stream_of_another_generation_or_without_a_claim_does_not_connect() {
        containers.register(ready(pool, "a1"));
        claim(1);

        assertThat(containers.connect(pool, A1, call(1), generation(1, 9))).isEmpty();
        assertThat(containers.connect(pool, A1, call(2), generation(1, 1))).isEmpty();
        assertThat(containers.connect(pool, new ContainerId("b2"), call(1), generation(1, 1)))
                .isEmpty();
        assertThat(phaseOfCall1()).isEqualTo(Phase.RESERVED);
    }

    @Test
    void a_claim_held_in_a_draining_container_still_connects() {
        containers.register(ready(pool, "a1"));
        claim(1);
        become(ContainerState.READY, ContainerState.DRAINING, false);

        assertThat(containers.connect(pool, A1, call(1), generation(1, 1))).isPresent();
    }

    @Test
    void a_call_that_was_admitted_without_the_table_is_written_afterwards_even_when_draining() {
        containers.register(in(ContainerState.DRAINING, pool, "a1"));
        Claim late = Claim.connected(generation(1, 1), ACME, seconds(1), seconds(2));

        assertThat(containers.admit(pool, A1, "boot-a1", call(1), late, LIMIT)).isEqualTo(new Claimed(null));
        assertThat(containers.admit(pool, A1, "boot-a1", call(1), late, LIMIT)).isEqualTo(new Claimed(null));

        assertThat(a1().claims()).isEqualTo(Map.of(call(1), late));
    }

    @Test
    void an_admission_beyond_the_limit_of_another_boot_or_without_an_item_is_refused() {
        containers.register(ready(pool, "a1"));
        Claim late = Claim.connected(generation(1, 7), ACME, seconds(1), seconds(2));
        for (int n = 1; n <= 6; n++) {
            claim(n);
        }

        assertThat(containers.admit(pool, A1, "boot-a1", call(7), late, LIMIT)).isInstanceOf(ClaimResult.Refused.class);
        containers.release(pool, A1, call(6), generation(1, 6));
        assertThat(containers.admit(pool, A1, "boot-new", call(7), late, LIMIT))
                .isInstanceOf(ClaimResult.Refused.class);
        assertThat(containers.admit(pool, new ContainerId("b2"), "boot-b2", call(7), late, LIMIT))
                .isInstanceOf(ClaimResult.Refused.class);
        assertThat(a1().claims()).hasSize(5).doesNotContainKey(call(7));

        assertThat(containers.admit(pool, A1, "boot-a1", call(7), late, LIMIT)).isInstanceOf(Claimed.class);
    }

    @Test
    void of_claims_and_admissions_by_32_threads_six_fit() {
        containers.register(ready(pool, "a1"));

        List<Boolean> in = AtOnce.run(
                32,
                n -> n % 2 == 0
                        ? claim(n) instanceof Claimed
                        : containers.admit(
                                        pool,
                                        A1,
                                        "boot-a1",
                                        call(n),
                                        Claim.connected(generation(1, n), ACME, NOW, NOW),
                                        LIMIT)
                                instanceof Claimed);

        assertThat(in.stream().filter(Boolean::booleanValue)).hasSize(6);
        assertThat(a1().claims()).hasSize(6);
    }

    @Test
    void the_container_ends_its_own_claim_in_any_phase() {
        containers.register(ready(pool, "a1"));
        for (int n = 1; n <= 3; n++) {
            claim(n);
        }
        containers.connect(pool, A1, call(2), generation(1, 2));
        containers.connect(pool, A1, call(3), generation(1, 3));
        containers.coolDown(pool, A1, call(3), generation(1, 3));

        for (int n = 1; n <= 3; n++) {
            assertThat(containers.end(pool, A1, call(n), generation(1, 9))).isFalse();
            assertThat(containers.end(pool, A1, call(n), generation(1, n))).isTrue();
            assertThat(containers.end(pool, A1, call(n), generation(1, n))).isFalse();
        }
        assertThat(a1().claims()).isEmpty();
    }

    @Test
    void an_unknown_container_is_not_found() {
        assertThat(containers.find(pool, A1)).isEmpty();
    }
}
