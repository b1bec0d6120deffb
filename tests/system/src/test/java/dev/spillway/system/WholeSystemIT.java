package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.localcloud.FaultyProxy;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallHistory;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.EndReason;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Real processes behind stand-ins on loopback, twenty times as fast as life: a cold start takes 3 s, heartbeats 2 s. The
 * tests run in order and hand the system on: each leaves it without calls.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WholeSystemIT {
    private static final double SPEED = 20;
    private static final PoolId ACME = PoolId.of(LocalTenant.ACME.tenant().id());
    private static final PoolId GLOBEX = PoolId.of(LocalTenant.GLOBEX.tenant().id());
    private static LocalSystem system;

    @BeforeAll
    static void start() throws Exception {
        Path work = Files.createTempDirectory("spillway-it-");
        System.out.println("logs of containers and functions: " + work + "; seed 1");
        system = new LocalSystem(new LocalSystem.Options(SPEED, 300, Cli.home(), work, 1, TwilioSwitches.likely(1)));
        system.start();
    }

    @AfterAll
    static void stop() {
        system.close();
    }

    @Test
    @Order(1)
    void a_call_to_a_pool_with_a_free_slot_goes_straight_to_its_container() throws Exception {
        // given globex with two READY containers
        // when
        Call call = system.call(LocalTenant.GLOBEX, CallScript.ofTurns(2));
        assertThat(call.awaitEnd(Duration.ofSeconds(30))).isTrue();
        // then
        assertThat(call.endReason()).contains(EndReason.CALLER_HUNG_UP);
        assertThat(call.history().webhooks(CallHistory.Purpose.FALLBACK)).isEmpty();
        assertThat(speakers(call)).containsExactly("globex");
        assertThat(call.history().turns()).hasSizeGreaterThanOrEqualTo(2);
        noClaimsRemain(GLOBEX);
    }

    @Test
    @Order(2)
    void a_call_to_an_empty_pool_is_answered_by_the_gateway_and_handed_over() throws Exception {
        // given no container of acme
        assertThat(ready(ACME)).isEmpty();
        // when
        Call call = system.call(LocalTenant.ACME, CallScript.lasting(Duration.ofSeconds(25)));
        // then it is answered at once in acme's voice, on the gateway
        await().atMost(Duration.ofSeconds(10))
                .until(() -> call.history().firstAudioAt().isPresent());
        assertThat(call.history().streams().getFirst().url().getPort())
                .isEqualTo(system.gatewayUrl().getPort());
        // and moved to acme's own container once there is one, in the same persona
        await().atMost(Duration.ofSeconds(20))
                .until(() -> call.history().movedAt().size() == 1);
        assertThat(call.history().streams().getLast().url().getPort())
                .isEqualTo(system.loadBalancerUrl(LocalTenant.ACME).getPort());
        assertThat(call.awaitEnd(Duration.ofSeconds(40))).isTrue();
        assertThat(call.endReason()).contains(EndReason.CALLER_HUNG_UP);
        assertThat(speakers(call)).containsExactly("acme");
        assertThat(kinds(call)).startsWith("greeting").contains("resume");
        assertThat(call.history().longestSilence()).isLessThan(Duration.ofSeconds(3));
        noClaimsRemain(ACME);
        noClaimsRemain(PoolId.GATEWAY);
    }

    @Test
    @Order(3)
    void callers_of_a_container_killed_in_mid_call_go_on_elsewhere_and_it_stops_counting() throws Exception {
        // given three calls on one of globex's containers
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            calls.add(system.call(LocalTenant.GLOBEX, CallScript.lasting(Duration.ofSeconds(20))));
        }
        await().atMost(Duration.ofSeconds(10))
                .until(() ->
                        calls.stream().allMatch(call -> call.history().turns().size() >= 1));
        Container victim = view(GLOBEX)
                .claimable(Instant.now())
                .max(java.util.Comparator.comparingInt(
                        container -> container.claims().size()))
                .orElseThrow();
        assertThat(victim.claims()).isNotEmpty();
        // when
        system.ecs().killHard(victim.id().value());
        // then
        for (Call call : calls) {
            assertThat(call.awaitEnd(Duration.ofSeconds(40))).isTrue();
            assertThat(call.endReason()).contains(EndReason.CALLER_HUNG_UP);
            assertThat(call.history().longestSilence()).isLessThan(Duration.ofSeconds(3));
            assertThat(speakers(call)).containsExactly("globex");
        }
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(view(GLOBEX).container(victim.id()))
                        .hasValueSatisfying(
                                container -> assertThat(container.state()).isEqualTo(ContainerState.LOST)));
        await().atMost(Duration.ofSeconds(30)).until(() -> ready(GLOBEX).size() == 2);
        noClaimsRemain(GLOBEX);
    }

    @Test
    @Order(4)
    void with_the_table_down_a_caller_is_still_answered_and_containers_catch_up() throws Exception {
        // given
        await().atMost(Duration.ofSeconds(30)).until(() -> ready(GLOBEX).size() == 2);
        // when
        system.table().become(FaultyProxy.DOWN);
        Call direct;
        Call overflowing;
        try {
            direct = system.call(LocalTenant.GLOBEX, CallScript.lasting(Duration.ofSeconds(15)));
            overflowing = system.call(LocalTenant.ACME, CallScript.lasting(Duration.ofSeconds(15)));
            // then both hear an agent
            await().atMost(Duration.ofSeconds(12))
                    .until(() -> direct.history().firstAudioAt().isPresent());
            await().atMost(Duration.ofSeconds(12))
                    .until(() -> overflowing.history().firstAudioAt().isPresent());
        } finally {
            system.table().become(FaultyProxy.PASS);
        }
        // and once the table is back, the calls that are up are written as claims
        await().atMost(Duration.ofSeconds(15)).until(() -> claims(GLOBEX) >= 1);
        assertThat(direct.awaitEnd(Duration.ofSeconds(40))).isTrue();
        assertThat(overflowing.awaitEnd(Duration.ofSeconds(40))).isTrue();
        assertThat(speakers(direct)).containsExactly("globex");
        assertThat(speakers(overflowing)).containsExactly("acme");
        noClaimsRemain(GLOBEX);
        noClaimsRemain(ACME);
        noClaimsRemain(PoolId.GATEWAY);
    }

    @Test
    @Order(5)
    void after_the_last_call_the_pool_returns_to_zero() {
        await().atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
            assertThat(ready(ACME)).isEmpty();
            assertThat(view(ACME).pool().desired()).isZero();
            assertThat(system.liveTasks(LocalTenant.ACME)).isZero();
        });
        assertThat(system.ghosts()).isEmpty();
    }

    private static PoolView view(PoolId id) {
        return system.pools().read(id).orElseThrow();
    }

    private static List<Container> ready(PoolId id) {
        return view(id).claimable(Instant.now()).toList();
    }

    private static long claims(PoolId id) {
        return view(id).containers().stream()
                .filter(container -> container.state() != ContainerState.LOST)
                .flatMap(container -> container.claims().values().stream())
                .filter(claim -> claim.phase() != Claim.Phase.COOLDOWN)
                .count();
    }

    private static void noClaimsRemain(PoolId id) {
        await("claims of " + id).atMost(Duration.ofSeconds(20)).until(() -> claims(id) == 0);
    }

    private static Set<String> speakers(Call call) {
        return call.history().personas().stream()
                .map(CallHistory.PersonaMark::tenant)
                .collect(Collectors.toSet());
    }

    private static List<String> kinds(Call call) {
        return call.history().personas().stream()
                .map(CallHistory.PersonaMark::kind)
                .toList();
    }
}
