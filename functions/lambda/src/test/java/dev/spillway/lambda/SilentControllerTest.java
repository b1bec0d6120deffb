package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.PoolId;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Background work has not run for an hour: whoever calls is served as ever, and somebody is told. */
class SilentControllerTest {
    private final World world = new World().withGateway();

    @BeforeEach
    void silentForAnHour() {
        world.table.fleet().put(ACME_SERVICE, new Fleet.Service(1, 1, 0, false, "r1"));
        world.table.put(Sample.acme(Sample.acme().policy().scaleOut(), 1));
        world.lastVisited(ACME_POOL, NOW.minus(Duration.ofHours(1)));
        world.lastVisited(PoolId.GATEWAY, NOW.minus(Duration.ofHours(1)));
    }

    @Test
    void a_caller_gets_a_known_free_container_of_its_own_pool() {
        world.table.put(Sample.ready(ACME_POOL, "a1"));

        assertThat(world.fallback(Request.fallback()).getBody()).contains("/stream/acme/a1/" + World.call());

        assertThat(world.table.look(ACME_POOL, new ContainerId("a1")).claims()).containsKey(World.call());
    }

    @Test
    void a_caller_for_whom_no_container_is_free_gets_the_gateway_and_the_pool_still_grows() {
        world.table.put(Sample.withCalls(Sample.ready(ACME_POOL, "a1"), ACME, 11, 6));

        assertThat(world.fallback(Request.fallback()).getBody()).contains("wss://gateway.streams.example.com");
        new OverflowScalerHandler(world.functions()).handleRequest(Fixtures.bus("call-overflowed"), null);

        assertThat(world.table.fleet().desired(ACME_SERVICE)).isEqualTo(2);
    }

    @Test
    void overflows_raise_one_alert_a_minute_that_names_the_last_complete_visit() {
        OverflowScalerHandler handler = new OverflowScalerHandler(world.functions());

        handler.handleRequest(Fixtures.bus("call-overflowed"), null);
        handler.handleRequest(Fixtures.bus("call-overflowed"), null);

        assertThat(world.table.written("alert")).hasSize(1);
        assertThat(world.table.written("alert").getFirst().fields())
                .containsEntry("alert", "controller-silent")
                .containsEntry("pool", "acme")
                .containsEntry("attempts", "1")
                .containsEntry("reason", "no complete visit of background work since 2026-11-29T08:00:00Z");
    }

    @Test
    void a_container_that_became_ready_gets_the_held_calls() {
        world.fallback(Request.fallback());
        world.table.put(Sample.ready(ACME_POOL, "0123456789abcdef0123456789abcdef"));

        new HandOffHandler(world.functions()).handleRequest(Fixtures.bus("container-ready"), null);

        assertThat(world.table.look(ACME, World.call()).offer()).isNotNull();
    }

    @Test
    void the_first_visit_ends_the_silence() {
        new IdleSweeperHandler(world.functions()).handleRequest(Fixtures.bus("schedule"), null);

        assertThat(world.table.look(ACME_POOL).pool().background().silentSince(Timing.STANDARD.controllerExpiry(), NOW))
                .isEmpty();
        assertThat(world.table.look(ACME_POOL).pool().heardAgainAt()).isEqualTo(NOW);
    }
}
