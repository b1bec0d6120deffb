package dev.spillway.system;

import static dev.spillway.system.Stage.ACME;
import static dev.spillway.system.Stage.GLOBEX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.localcloud.EventBridgeStandIn;
import dev.spillway.localcloud.FaultyProxy;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * What the world does to the running system, one bad day after another; after each, nothing is left. Takes a quarter of an
 * hour, so it runs only when asked: {@code -Dspillway.bad-days=true}.
 */
@EnabledIfSystemProperty(named = "spillway.bad-days", matches = "true")
class BadDaysIT {
    private static final Duration BEARABLE = Duration.ofSeconds(3);
    private static Stage stage;
    private static LocalSystem system;

    @BeforeAll
    static void start() throws Exception {
        stage = new Stage(20, TwilioSwitches.likely(2));
        system = stage.system();
    }

    @AfterAll
    static void stop() {
        stage.close();
    }

    @AfterEach
    void nothing_is_left() throws Exception {
        system.table().become(FaultyProxy.PASS);
        system.ecs().faults().clear();
        system.bus().fault(EventBridgeStandIn.Fault.NONE);
        stage.allIsGone();
    }

    private static CallScript lasting(int seconds) {
        return CallScript.lasting(Duration.ofSeconds(seconds));
    }

    @Test
    void a_gateway_container_killed_while_it_holds_calls_leaves_every_caller_connected() throws Exception {
        List<Call> calls = stage.calls(LocalTenant.ACME, 4, lasting(22));
        Stage.talking(calls);
        system.ecs().killHard(stage.busiest(PoolId.GATEWAY).id().value());
        Stage.wentWell(calls, LocalTenant.ACME, BEARABLE);
    }

    @Test
    void a_container_killed_just_when_it_became_ready_strands_nobody() throws Exception {
        List<Call> calls = stage.calls(LocalTenant.ACME, 3, lasting(30));
        await().pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofSeconds(20))
                .until(() -> !stage.ready(ACME).isEmpty());
        system.ecs().killHard(stage.ready(ACME).getFirst().id().value());
        Stage.wentWell(calls, LocalTenant.ACME, BEARABLE);
    }

    @Test
    void a_container_killed_when_the_first_call_reached_it_strands_nobody() throws Exception {
        List<Call> calls = stage.calls(LocalTenant.ACME, 5, lasting(30));
        await().pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofSeconds(25))
                .until(() -> stage.claims(ACME) > 0);
        system.ecs().killHard(stage.busiest(ACME).id().value());
        Stage.wentWell(calls, LocalTenant.ACME, BEARABLE);
    }

    @Test
    void a_terminated_container_gives_its_calls_back_or_finishes_them() throws Exception {
        List<Call> calls = stage.calls(LocalTenant.GLOBEX, 4, lasting(15));
        Stage.talking(calls);
        Container victim = stage.busiest(GLOBEX);
        process(victim.id()).destroy();
        Stage.wentWell(calls, LocalTenant.GLOBEX, BEARABLE);
    }

    @Test
    void a_terminated_gateway_container_strands_nobody() throws Exception {
        List<Call> calls = stage.calls(LocalTenant.ACME, 4, lasting(20));
        Stage.talking(calls);
        process(stage.busiest(PoolId.GATEWAY).id()).destroy();
        Stage.wentWell(calls, LocalTenant.ACME, BEARABLE);
    }

    @Test
    void callers_of_a_frozen_container_go_on_elsewhere_within_a_minute() throws Exception {
        List<Call> calls = stage.calls(LocalTenant.GLOBEX, 4, lasting(45));
        Stage.talking(calls);
        ContainerId victim = stage.busiest(GLOBEX).id();
        system.ecs().freeze(victim.value());
        try {
            Stage.wentWell(calls, LocalTenant.GLOBEX, Duration.ofSeconds(60));
        } finally {
            system.ecs().thaw(victim.value());
        }
    }

    @Test
    void a_container_frozen_for_a_moment_goes_on_where_it_was() throws Exception {
        List<Call> calls = stage.calls(LocalTenant.GLOBEX, 4, lasting(25));
        Stage.talking(calls);
        ContainerId victim = stage.busiest(GLOBEX).id();
        system.ecs().freeze(victim.value());
        TimeUnit.SECONDS.sleep(2);
        system.ecs().thaw(victim.value());
        Stage.wentWell(calls, LocalTenant.GLOBEX, Duration.ofSeconds(5));
    }

    @Test
    void a_container_frozen_past_its_expiry_and_thawed_again_is_no_ghost() throws Exception {
        List<Call> calls = stage.calls(LocalTenant.GLOBEX, 4, lasting(30));
        Stage.talking(calls);
        ContainerId victim = stage.busiest(GLOBEX).id();
        system.ecs().freeze(victim.value());
        TimeUnit.SECONDS.sleep(14);
        system.ecs().thaw(victim.value());
        Stage.wentWell(calls, LocalTenant.GLOBEX, Duration.ofSeconds(60));
    }

    @Test
    void an_update_that_took_effect_though_nobody_heard_of_it_starts_one_container() throws Exception {
        system.ecs().faults().timeOutAfterEffect("UpdateService", 2);
        List<Call> calls = stage.calls(LocalTenant.ACME, 2, lasting(30));
        Stage.heard(calls, Duration.ofSeconds(8));
        await().atMost(Duration.ofSeconds(28)).until(() -> stage.claims(ACME) == 2);
        assertThat(system.liveTasks(LocalTenant.ACME)).isEqualTo(1);
        Stage.wentWell(calls, LocalTenant.ACME, BEARABLE);
    }

    @Test
    void with_a_slow_table_everybody_is_answered() throws Exception {
        List<Call> before = stage.calls(LocalTenant.GLOBEX, 2, lasting(25));
        Stage.talking(before);
        system.table().become(new FaultyProxy.Slow(Duration.ofMillis(2_500)));
        List<Call> calls = stage.calls(LocalTenant.ACME, 3, lasting(25));
        List<Call> direct = stage.calls(LocalTenant.GLOBEX, 3, lasting(25));
        Stage.heard(calls, Duration.ofSeconds(12));
        Stage.heard(direct, Duration.ofSeconds(12));
        await().during(Duration.ofSeconds(8)).atMost(Duration.ofSeconds(9)).until(() -> true);
        system.table().become(FaultyProxy.PASS);
        Stage.wentWell(before, LocalTenant.GLOBEX, BEARABLE);
        Stage.wentWell(calls, LocalTenant.ACME, BEARABLE);
        Stage.wentWell(direct, LocalTenant.GLOBEX, BEARABLE);
    }

    @Test
    void with_the_table_down_while_calls_end_nothing_is_left() throws Exception {
        List<Call> calls = new ArrayList<>(stage.calls(LocalTenant.GLOBEX, 4, lasting(8)));
        Stage.talking(calls);
        system.table().become(FaultyProxy.DOWN);
        Stage.wentWell(calls, LocalTenant.GLOBEX, BEARABLE);
    }

    @Test
    void with_the_bus_down_calls_are_handed_over_by_the_minutely_rounds() throws Exception {
        system.bus().fault(EventBridgeStandIn.Fault.DOWN);
        List<Call> calls = stage.calls(LocalTenant.ACME, 2, lasting(40));
        Stage.heard(calls, Duration.ofSeconds(8));
        await().atMost(Duration.ofSeconds(38)).until(() -> stage.claims(ACME) == 2);
        Stage.wentWell(calls, LocalTenant.ACME, BEARABLE);
    }

    private static ProcessHandle process(ContainerId id) {
        long pid = system.ecs().tasks().stream()
                .filter(task -> task.taskId().equals(id.value()))
                .findFirst()
                .orElseThrow()
                .pid();
        return ProcessHandle.of(pid).orElseThrow();
    }
}
