package dev.spillway.core.pool;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.in;
import static dev.spillway.core.memory.Sample.job;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.pool.Claim.Phase;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GaugesTest {
    @Test
    void each_slot_is_counted_where_it_belongs() {
        Container mixed = ready(ACME_POOL, "a1")
                .withClaims(Map.of(
                        call(1),
                        Claim.connected(generation(1, 1), ACME, NOW, NOW),
                        job(2),
                        Claim.reserved(generation(1, 2), ACME, NOW, NOW),
                        call(3),
                        new Claim(generation(1, 3), Phase.COOLDOWN, ACME, NOW, NOW, null)));
        Container draining = withCalls(in(ContainerState.DRAINING, ACME_POOL, "a2"), ACME, 10, 2);
        Container silent = withCalls(aliveUntil(ready(ACME_POOL, "a3"), NOW), ACME, 20, 4);
        Container lost = withCalls(in(ContainerState.LOST, ACME_POOL, "a4"), ACME, 30, 5);

        Gauges gauges = Gauges.of(new PoolView(acme(), List.of(mixed, draining, silent, lost)), NOW);

        // 1 + 2 + 4 conversations; the one READY and alive container has 6 slots, 3 of them free; 10 containers of 6 at
        // most
        assertThat(gauges).isEqualTo(new Gauges(7, 1, 1, 6, 3, 60));
    }

    @Test
    void a_pool_at_zero_has_nothing_but_its_ceiling() {
        assertThat(Gauges.of(new PoolView(acme(), List.of()), NOW)).isEqualTo(new Gauges(0, 0, 0, 0, 0, 60));
    }
}
